// The callbacks that an app waits for after it has asked something of a connected peripheral, in each way in which
// published code waits: docs/coverage/callbacks.md has the table.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.3 Callbacks of a peripheral that apps wait for")
struct AwaitedPeripheralCallbacksTests {
    /// What an app asks for.
    enum Call: String, CaseIterable, Sendable {
        case discoverServices, discoverIncludedServices, discoverCharacteristics, discoverDescriptors
        case readCharacteristic, writeCharacteristic, writeWithoutResponse, setNotifyValue, setSameNotifyValue
        case readDescriptor, readRSSI, openL2CAPChannel

        /// The callback, as `CentralApp` records it.
        var callback: String {
            switch self {
            case .discoverServices: "services"
            case .discoverIncludedServices: "included"
            case .discoverCharacteristics: "characteristics"
            case .discoverDescriptors: "descriptors"
            case .readCharacteristic: "value"
            case .writeCharacteristic: "wrote"
            case .writeWithoutResponse: "ready"
            case .setNotifyValue, .setSameNotifyValue: "notifying"
            case .readDescriptor: "descriptor "
            case .readRSSI: "rssi"
            case .openL2CAPChannel: "channel"
            }
        }
    }

    /// A central that is connected to a ball and has discovered all of it.
    private final class Setup {
        let talk = Conversation()
        let call: Call
        private(set) var peripheral: CBPeripheral!
        private var service: CBService!
        private var question: CBCharacteristic!
        private var answer: CBCharacteristic!
        private var descriptor: CBDescriptor!

        init(_ call: Call) throws {
            self.call = call
            self.talk.ball.manager.publishL2CAPChannel(withEncryption: false)
            self.peripheral = try self.talk.connect()
            try self.explore()
        }

        func explore() throws {
            self.service = try self.peripheral.discover([IDs.service], in: self.talk.testbed)
            self.question = try self.service.characteristic(IDs.question)
            self.answer = try self.service.characteristic(IDs.answer)
            self.peripheral.discoverDescriptors(for: self.answer)
            self.talk.testbed.run()
            self.descriptor = try #require(self.answer.descriptors?.first)
            self.talk.central.calls = []
        }

        func perform() {
            switch self.call {
            case .discoverServices: self.peripheral.discoverServices([IDs.service])
            case .discoverIncludedServices: self.peripheral.discoverIncludedServices(nil, for: self.service)
            case .discoverCharacteristics: self.peripheral.discoverCharacteristics(nil, for: self.service)
            case .discoverDescriptors: self.peripheral.discoverDescriptors(for: self.answer)
            case .readCharacteristic: self.peripheral.readValue(for: self.answer)
            case .writeCharacteristic: self.peripheral.writeValue("?".octets, for: self.question, type: .withResponse)
            case .writeWithoutResponse:
                self.peripheral.writeValue("?".octets, for: self.question, type: .withoutResponse)
            case .setNotifyValue: self.peripheral.setNotifyValue(!self.answer.isNotifying, for: self.answer)
            case .setSameNotifyValue: self.peripheral.setNotifyValue(self.answer.isNotifying, for: self.answer)
            case .readDescriptor: self.peripheral.readValue(for: self.descriptor)
            case .readRSSI: self.peripheral.readRSSI()
            case .openL2CAPChannel: self.peripheral.openL2CAPChannel(self.talk.ball.psms.first ?? 0)
            }
        }

        func run(_ time: TimeAmount = .seconds(2)) { self.talk.testbed.run(time) }

        /// How often the callback came.
        var count: Int { self.talk.central.calls.count { $0.hasPrefix(self.call.callback) } }
    }

    @Test("do not come before the call, come once after it, and never again", arguments: Call.allCases)
    func once(call: Call) throws {
        let setup = try Setup(call)
        setup.run()
        #expect(setup.count == 0)
        for number in 1...3 {
            setup.perform()
            #expect(setup.count == number - 1, "never inside the call")
            setup.run()
            #expect(setup.count == number)
        }
        setup.run(.seconds(60))
        #expect(setup.count == 3)
    }

    @Test("come for each call that is made while another one is under way", arguments: Call.allCases)
    func whileUnderWay(call: Call) throws {
        let setup = try Setup(call)
        for _ in 0..<3 { setup.perform() }
        setup.run()
        // Writes without response that leave together are reported together.
        #expect(call == .writeWithoutResponse ? setup.count >= 1 : setup.count == 3)
    }

    @Test("come for a call that is made in the callback", arguments: Call.allCases)
    func inCallback(call: Call) throws {
        let setup = try Setup(call)
        setup.talk.central.onCall = { [unowned setup] name in
            if name.hasPrefix(call.callback), setup.count < 20 { setup.perform() }
        }
        setup.perform()
        setup.run(.seconds(10))
        #expect(setup.count == 20)
    }

    @Test("do not come once the connection is cancelled, and come again on the next one", arguments: Call.allCases)
    func afterTheEnd(call: Call) throws {
        let setup = try Setup(call)
        setup.perform()
        setup.talk.central.manager.cancelPeripheralConnection(setup.peripheral)
        setup.run()
        setup.perform()
        setup.run()
        #expect(setup.count == 0)
        setup.talk.central.connect(setup.peripheral, in: setup.talk.testbed)
        try setup.explore()
        setup.perform()
        setup.run()
        #expect(setup.count == 1)
    }
}
