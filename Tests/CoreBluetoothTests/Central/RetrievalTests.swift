import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("5 Identity, retention, retrieval")
struct RetrievalTests {
    @Test("5.2 frees a peripheral that the app releases, and retrieves it again")
    func retention() throws {
        let talk = Conversation()
        weak let seen = try talk.find()
        let identifier = try #require(seen?.identifier)
        talk.central.found = []
        #expect(seen == nil)
        let again = try #require(talk.central.manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        #expect(again.identifier == identifier)
        #expect(again.name == "Crystal")
    }

    @Test("5.2 drops pending values of a released peripheral")
    func valuesOfReleased() throws {
        let talk = Conversation()
        _ = try talk.subscribe()
        weak let seen = talk.central.found[0]
        talk.central.onCall = { [unowned central = talk.central] call in
            if call == "value" { central.found = [] }
        }
        for number in 0..<3 {
            talk.update("\(number)")
        }
        talk.testbed.run()
        #expect(talk.central.values == ["0"] && seen == nil)
    }

    @Test("5.4 retrieves known peripherals in the order asked for")
    func order() throws {
        let balls = try TwoBalls()
        let asked = [balls.other.identifier, UUID(), balls.first.identifier]
        #expect(balls.talk.central.manager.retrievePeripherals(withIdentifiers: asked) == [balls.other, balls.first])
    }

    @Test("1.2 keeps delegates and owners weakly")
    func weakOwners() throws {
        let talk = Conversation()
        var services: [CBService] = []
        var characteristics: [CBCharacteristic] = []
        var descriptors: [CBDescriptor] = []
        do {
            let (peripheral, _, answer) = try talk.discover()
            peripheral.discoverDescriptors(for: answer)
            talk.testbed.run { answer.descriptors != nil }
            services = peripheral.services ?? []
            characteristics = services[0].characteristics ?? []
            descriptors = answer.descriptors ?? []
            #expect(services[0].peripheral === peripheral)
            #expect(characteristics.allSatisfy { $0.service === services[0] })
            #expect(descriptors.allSatisfy { $0.characteristic === answer })
            final class Passing: NSObject, CBPeripheralDelegate {}
            peripheral.delegate = Passing()
            #expect(peripheral.delegate == nil)
        }
        CapturedLog().capture { talk.central.found = [] }
        #expect(services[0].peripheral == nil)
        talk.testbed.run()
        services = []
        #expect(characteristics.allSatisfy { $0.service == nil })
        characteristics = []
        #expect(descriptors.allSatisfy { $0.characteristic == nil })
    }

    @Test("5.4 retrieves nothing while Bluetooth is off, and the same objects afterwards")
    func retrievalWhileOff() throws {
        let talk = Conversation()
        let (peripheral, _, _) = try talk.discover()
        let manager: CBCentralManager = talk.central.manager
        talk.centralAdapter.setPowered(false)
        talk.testbed.run()
        CapturedLog().capture {
            #expect(manager.retrievePeripherals(withIdentifiers: [peripheral.identifier]).isEmpty)
            #expect(manager.retrieveConnectedPeripherals(withServices: [IDs.service]).isEmpty)
        }
        talk.centralAdapter.setPowered(true)
        talk.testbed.run { manager.state == .poweredOn }
        #expect(manager.retrievePeripherals(withIdentifiers: [peripheral.identifier]).first === peripheral)
        #expect((peripheral.copy() as? CBPeripheral) === peripheral)
        #expect(manager.retrieveConnectedPeripherals(withServices: [IDs.service]).isEmpty)
    }
}
