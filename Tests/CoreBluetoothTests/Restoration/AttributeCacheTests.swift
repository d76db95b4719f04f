import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.13 Known attributes of a peripheral")
struct AttributeCacheTests {
    /// Discovers everything of a connected ball and returns the calls.
    private func discover(_ setup: RestorationSetup, _ peripheral: CBPeripheral) throws -> [String] {
        setup.central.calls = []
        peripheral.discoverServices([IDs.service])
        try #require(setup.testbed.run { peripheral.services != nil })
        let service = try #require(peripheral.services?.first)
        peripheral.discoverIncludedServices(nil, for: service)
        peripheral.discoverCharacteristics([IDs.answer], for: service)
        peripheral.discoverCharacteristics(nil, for: service)
        try #require(setup.testbed.run { service.characteristics?.count == 2 })
        for characteristic in service.characteristics ?? [] { peripheral.discoverDescriptors(for: characteristic) }
        try #require(setup.testbed.run { service.characteristics?.last?.descriptors != nil })
        return setup.central.calls
    }

    @Test("7.13 a cached reconnect costs one Database Hash read and no discovery, with the same callbacks")
    func reconnect() throws {
        let setup = RestorationSetup(.central)
        let peripheral = try setup.connect()
        let calls = try self.discover(setup, peripheral)
        #expect(setup.curious.takeSent().count > 10)
        setup.reconnect(peripheral)
        #expect(peripheral.services == nil)
        #expect(try self.discover(setup, peripheral) == calls)
        // The MTU, the hash; then, since a server forgets them of a client without a bond, the subscription to Service
        // Changed and the features of the client.
        #expect(setup.curious.takeSent() == [0x02, 0x08, 0x12, 0x12])
        // The attributes work.
        let answer = try #require(peripheral.services?.first?.characteristics?.last)
        peripheral.setNotifyValue(true, for: answer)
        #expect(setup.testbed.run { answer.isNotifying })
        setup.update("warm")
        #expect(setup.testbed.run { setup.central.values == ["warm"] })
        #expect(setup.curious.takeSent() == [0x12])
    }

    @Test("7.13 descriptors that were discovered for a subscription are known from then on")
    func descriptorsOfSubscription() throws {
        let setup = RestorationSetup(.central)
        let peripheral = try setup.connect()
        func subscribe() throws -> [UInt8] {
            let answer = try peripheral.discover([IDs.service], in: setup.testbed).characteristic(IDs.answer)
            _ = setup.curious.takeSent()
            try peripheral.subscribe(to: answer, in: setup.testbed)
            return setup.curious.takeSent()
        }
        // Find Information for the descriptor, and a write of it; then the write alone.
        #expect(try subscribe() == [0x04, 0x12])
        setup.reconnect(peripheral)
        #expect(try subscribe() == [0x12])
    }

    @Test("7.13 only missing attributes are asked for, and known from then on")
    func partly() throws {
        let setup = RestorationSetup(.central)
        let peripheral = try setup.connect()
        /// The PDUs of a discovery on the next link.
        func sent(_ services: [CBUUID]?) -> [UInt8] {
            setup.reconnect(peripheral)
            setup.testbed.run(.milliseconds(10))
            _ = setup.curious.takeSent()
            peripheral.discoverServices(services)
            #expect(setup.testbed.run { peripheral.services?.count == (services == [IDs.other] ? 0 : 1) })
            return setup.curious.takeSent()
        }
        _ = sent([IDs.service])
        // Two questions for the one that is there, one for the other.
        #expect(sent([IDs.service, IDs.other]) == [0x06, 0x06, 0x06] && sent([IDs.other]) == [])
        #expect(!sent(nil).isEmpty && sent(nil) == [])
    }

    @Test("7.13 a peripheral that has changed between two links is discovered anew")
    func changedBetween() throws {
        let setup = RestorationSetup(.central)
        let peripheral = try setup.connect()
        _ = try self.discover(setup, peripheral)
        setup.central.disconnect(peripheral, in: setup.testbed)
        setup.ball.manager.remove(setup.ball.ball)
        setup.ball.manager.add(CBMutableService(type: IDs.other, primary: true))
        setup.ball.manager.add(setup.ball.ball)
        setup.testbed.run(.milliseconds(10))
        setup.central.connect(peripheral, in: setup.testbed)
        peripheral.discoverServices(nil)
        #expect(setup.testbed.run { peripheral.services?.map(\.uuid) == [IDs.other, IDs.service] })
        let service = try #require(peripheral.services?.last)
        peripheral.discoverCharacteristics(nil, for: service)
        #expect(setup.testbed.run { service.characteristics?.count == 2 })
        setup.ball.reading = "here".octets
        peripheral.readValue(for: try #require(service.characteristics?.last))
        #expect(setup.testbed.run { setup.central.values == ["here"] })
    }

    @Test("7.12 7.13 a change during a link that began with known attributes is noticed, and nothing old is used")
    func changedDuring() throws {
        let setup = RestorationSetup(.central)
        let peripheral = try setup.connect()
        _ = try self.discover(setup, peripheral)
        setup.reconnect(peripheral)
        _ = try self.discover(setup, peripheral)
        setup.ball.manager.remove(setup.ball.ball)
        #expect(setup.testbed.run { setup.central.calls.last == "modified \(IDs.service.uuidString)" })
        peripheral.discoverServices(nil)
        #expect(setup.testbed.run { setup.central.calls.last == "services 0" })
        setup.ball.manager.add(CBMutableService(type: IDs.other, primary: true))
        setup.ball.manager.add(setup.ball.ball)
        setup.testbed.run(.milliseconds(100))
        peripheral.discoverServices(nil)
        #expect(setup.testbed.run { peripheral.services?.map(\.uuid) == [IDs.other, IDs.service] })
        // The next link knows the new one.
        setup.central.disconnect(peripheral, in: setup.testbed)
        _ = setup.curious.takeSent()
        setup.central.connect(peripheral, in: setup.testbed)
        peripheral.discoverServices(nil)
        #expect(setup.testbed.run { peripheral.services?.count == 2 })
        #expect(setup.curious.takeSent() == [0x02, 0x08, 0x12, 0x12])
    }
}
