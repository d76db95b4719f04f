import BluetoothAir
import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6.7 6.8 7.12 One app's connection")
struct PeripheralConnectionTests {
    /// A foreign peripheral with a service 180D at the handles 1 to 3 and Service Changed at the handle 18.
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
            self.central = self.testbed.central(on: self.device.adapter)
            self.peripheral = try self.central.connect(in: self.testbed, services: nil)
            let service = try self.peripheral.discover(nil, in: self.testbed)
            self.heart = try #require(service.characteristics?.first)
            self.testbed.run(.seconds(3))
            self.central.calls = []
            _ = self.device.takeSent()
        }

        func change(_ handles: [UInt8]) {
            self.foreign.push([0x1D, 0x12, 0x00] + handles)
            self.testbed.run(.milliseconds(100))
        }

        func write(_ count: Int) {
            for _ in 0..<count { self.peripheral.writeValue("x".octets, for: self.heart, type: .withoutResponse) }
            self.testbed.run(.milliseconds(100))
        }

        /// The number of ATT_WRITE_CMD PDUs.
        func sentCount() -> Int { self.device.takeSent().count { $0 == 0x52 } }
    }

    @Test("7.12 drops waiting writes when their service changes, and counts them as sent")
    func waiting() throws {
        let setup = try Setup()
        setup.foreign.onRequest = { $0[0] == 0x0A ? [] : nil }
        for _ in 1...2 { setup.peripheral.readValue(for: setup.heart) }
        setup.write(3)
        #expect(setup.sentCount() == 0 && setup.peripheral.writeWindow.count == 3)
        setup.change([0x20, 0x00, 0x30, 0x00])
        #expect(setup.sentCount() == 0 && setup.peripheral.writeWindow.count == 3)
        setup.change([0x01, 0x00, 0x03, 0x00])
        #expect(setup.sentCount() == 0 && setup.peripheral.writeWindow.count == 0)
        #expect(
            setup.central.calls == [
                "modified ", "value CBATTErrorDomain 1", "value CBATTErrorDomain 1", "modified 180D", "ready",
            ]
        )
        setup.foreign.push([0x0B, 0x21])
        setup.testbed.run(.milliseconds(100))
        #expect(setup.sentCount() == 0 && setup.central.calls.count == 5)
    }

    @Test(
        "7.12 sends a write of an app that does not know of a change yet only if its handle is unchanged",
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

    private func lose(_ talk: Conversation, _ peripheral: CBPeripheral, _ body: () -> Void) throws {
        let count = talk.central.count("connect 2")
        talk.testbed.air.setLoss(1)
        body()
        try #require(talk.testbed.run { peripheral.state == .connecting })
        talk.testbed.air.setLoss(0)
        try #require(talk.testbed.run { talk.central.count("connect 2") == count + 1 })
        #expect(peripheral.state == .connected)
    }

    @Test("6.7 7.6 does not count writes of a lost link on the next one", arguments: [1, 64, 100])
    func transmitWindow(count: Int) throws {
        let talk = Conversation()
        let peripheral = try talk.connect(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        func question() throws -> CBCharacteristic {
            try peripheral.discover([IDs.service], in: talk.testbed).characteristic(IDs.question)
        }
        for _ in 1...2 {
            let target = try question()
            try self.lose(talk, peripheral) {
                for _ in 0..<count { peripheral.writeValue("lost".octets, for: target, type: .withoutResponse) }
                #expect(peripheral.canSendWriteWithoutResponse == (count < TransmitWindow.size))
            }
            #expect(peripheral.canSendWriteWithoutResponse && peripheral.writeWindow.count == 0)
        }
        let last = try question()
        let written = talk.ball.written.count
        peripheral.writeValue("there".octets, for: last, type: .withoutResponse)
        #expect(talk.testbed.run { talk.ball.written.count > written })
        #expect(talk.ball.written.last == "there".octets)
    }

    @Test("6.7 12.2 drops channel requests of a lost link, and opens others on the next one")
    func channelRequests() throws {
        let talk = Conversation()
        talk.ball.manager.publishL2CAPChannel(withEncryption: false)
        try #require(talk.testbed.run { !talk.ball.psms.isEmpty })
        let psm = talk.ball.psms[0]
        let peripheral = try talk.connect(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        for round in 1...2 {
            try self.lose(talk, peripheral) {
                for _ in 1...3 { peripheral.openL2CAPChannel(psm) }
            }
            talk.testbed.run(.seconds(1))
            #expect(talk.central.channels.count == round - 1)
            peripheral.openL2CAPChannel(psm)
            #expect(talk.testbed.run { talk.central.channels.count == round })
            #expect(talk.central.calls.count { $0.hasPrefix("channel") } == round)
        }
    }
}
