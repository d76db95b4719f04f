// A bonded peripheral knows the subscriptions of the last link as soon as this one is encrypted, and may send at once.

import BluetoothHost
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Values of a bonded peripheral before the app subscribes")
struct EarlyValuesTests {
    /// Devices that pair; the peripheral's app sends values as soon as a central is subscribed.
    private final class Encounters {
        let testbed: Testbed
        let pair: SecretPair
        let number = CBMutableCharacteristic(
            type: IDs.answer,
            properties: [.notify, .notifyEncryptionRequired],
            value: nil,
            permissions: []
        )
        private var count = 0

        init() {
            let testbed = Testbed(settings: .realistic)
            self.testbed = testbed
            self.pair = SecretPair(in: testbed)
            let server = self.pair.server!
            server.ball.characteristics = [self.number]
            server.manager.removeAllServices()
            server.manager.add(server.ball)
            server.onCall = { [unowned self, unowned server] call in
                guard call.hasPrefix("subscribed") else { return }
                for _ in 0..<2 {
                    self.count += 1
                    server.manager.updateValue("\(self.count)".octets, for: self.number, onSubscribedCentrals: nil)
                }
            }
        }

        /// Connects, lets time pass, and looks at what an app gets that subscribes then; the calls from there on.
        func meet(waiting time: TimeAmount = .zero, unsubscribes: Bool = false) throws -> [String] {
            let client = self.pair.client!
            let peripheral = try self.pair.find()
            peripheral.delegate = client
            client.connect(peripheral, in: self.testbed)
            self.testbed.run(time)
            let number = try peripheral.discover([IDs.service], in: self.testbed).characteristic(IDs.answer)
            client.calls = []
            client.values = []
            peripheral.setNotifyValue(true, for: number)
            self.testbed.run(.seconds(2))
            if unsubscribes {
                peripheral.setNotifyValue(false, for: number)
                self.testbed.run()
            }
            let calls = client.calls
            client.disconnect(peripheral, in: self.testbed)
            self.testbed.run()
            return calls
        }
    }

    @Test("N1 come right after the answer to its subscription, on each link", arguments: [0, 2, 40])
    func eachLink(seconds: Int64) throws {
        let encounters = Encounters()
        for round in 0..<4 {
            let calls = try encounters.meet(waiting: .seconds(seconds))
            #expect(calls == ["notifying true", "value", "value"], "\(round)")
            #expect(encounters.pair.client.values == ["\(2 * round + 1)", "\(2 * round + 2)"])
        }
        #expect(encounters.pair.server.calls.count { $0 == "subscribed 1" } == 4)
    }

    @Test("N1 are none after the app has unsubscribed on the link before")
    func unsubscribed() throws {
        let encounters = Encounters()
        _ = try encounters.meet(unsubscribes: true)
        #expect(try encounters.meet(waiting: .seconds(2)) == ["notifying true", "value", "value"])
        #expect(encounters.pair.client.values == ["3", "4"])
    }

    @Test("N1 of too many the latest are kept")
    func limit() {
        var values = EarlyValues()
        for number in 0...UInt8(EarlyValues.valueLimit) { values.add(ByteBuffer(bytes: [number]), for: 3) }
        #expect(values.take(3) == .init((1...UInt8(EarlyValues.valueLimit)).map { ByteBuffer(bytes: [$0]) }))
    }

    @Test("are kept for a limited number of characteristics, and removed with the services")
    func characteristics() {
        var values = EarlyValues()
        for handle in 1...AttributeHandle(EarlyValues.characteristicLimit + 1) {
            values.add(ByteBuffer(bytes: [1]), for: handle)
            values.add(ByteBuffer(bytes: [2]), for: handle)
        }
        #expect(values.contains(1) && !values.contains(AttributeHandle(EarlyValues.characteristicLimit + 1)))
        #expect(values.take(1) == [ByteBuffer(bytes: [1]), ByteBuffer(bytes: [2])])
        #expect(values.take(1).isEmpty)
        values.remove(in: 2...3)
        #expect(!values.contains(3) && values.contains(4))
    }
}
