// Writes without response to services that change: those that wait are taken back, those that an app asks for before it
// knows of the change are not sent, and none of them counts as on its way any more.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.12 Writes without response to services that change")
struct InvalidatedWritesTests {
    /// A central that has discovered a foreign peripheral with a service 180D at the handles 1 to 3, and with Service
    /// Changed at the handle 18.
    private struct Setup {
        let testbed = Testbed()
        let foreign: ForeignPeripheral
        let device: RestartableDevice
        let central: CentralApp
        let peripheral: CBPeripheral
        let heart: CBCharacteristic

        init() throws {
            let attributes = ForeignPeripheral.heart(descriptors: []) + ForeignPeripheral.serviceChangedAttributes
            self.foreign = ForeignPeripheral(in: self.testbed, attributes)
            self.device = RestartableDevice("Curious", in: self.testbed)
            let central = CentralApp(on: self.device.adapter)
            self.central = central
            self.testbed.run { central.manager.state == .poweredOn }
            self.peripheral = try central.connect(in: self.testbed, services: nil)
            let service = try self.peripheral.discover(nil, in: self.testbed)
            self.heart = try #require(service.characteristics?.first)
            // The name is asked for by then.
            self.testbed.run(.seconds(3))
            central.calls = []
            _ = self.device.takeSent()
        }

        /// The peripheral reports that the services at some handles have changed.
        func change(_ handles: [UInt8]) {
            self.foreign.push([0x1D, 0x12, 0x00] + handles)
            self.testbed.run(.milliseconds(100))
        }

        func write(_ count: Int) {
            for _ in 0..<count { self.peripheral.writeValue("x".octets, for: self.heart, type: .withoutResponse) }
            self.testbed.run(.milliseconds(100))
        }

        /// How many ATT_WRITE_CMD PDUs have left.
        func sentCount() -> Int { self.device.takeSent().count { $0 == 0x52 } }
    }

    @Test("7.12 writes that wait behind a request are taken back when their service changes, and count as sent")
    func waiting() throws {
        let setup = try Setup()
        setup.foreign.onRequest = { $0[0] == 0x0A ? [] : nil }
        for _ in 1...2 { setup.peripheral.readValue(for: setup.heart) }
        setup.write(3)
        #expect(setup.sentCount() == 0 && setup.peripheral.writeWindow.count == 3)
        // Another service: nothing changes for the writes.
        setup.change([0x20, 0x00, 0x30, 0x00])
        #expect(setup.sentCount() == 0 && setup.peripheral.writeWindow.count == 3)
        setup.change([0x01, 0x00, 0x03, 0x00])
        #expect(setup.sentCount() == 0 && setup.peripheral.writeWindow.count == 0)
        #expect(
            setup.central.calls == [
                "modified ", "value CBATTErrorDomain 1", "value CBATTErrorDomain 1", "modified 180D",
            ]
        )
        // The answer to the first request comes, and nothing follows it.
        setup.foreign.push([0x0B, 0x21])
        setup.testbed.run(.milliseconds(100))
        #expect(setup.sentCount() == 0 && setup.central.calls.count == 4)
    }

    @Test(
        "7.12 writes that an app asks for before it knows of a change are sent where it concerns others alone",
        arguments: [([0x01, 0x00, 0x02, 0x00], 5), ([0x03, 0x00, 0x03, 0x00], 0), ([0x04, 0x00, 0x0F, 0x00], 5)]
            as [([UInt8], Int)]
    )
    func unaware(handles: [UInt8], sentCount: Int) throws {
        let setup = try Setup()
        setup.device.adapter.holdCallbacks(for: .seconds(20))
        setup.change(handles)
        setup.write(5)
        #expect(setup.central.calls.isEmpty)
        #expect(setup.sentCount() == sentCount)
        #expect(setup.peripheral.writeWindow.count == 0)
    }
}
