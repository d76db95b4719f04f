// Events that come behind something that changes what they concern: a peripheral that the app lets go of in the call
// before, services that have become invalid, and a manager that was restored meanwhile.

import BluetoothHost
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Events behind a change of what they concern")
struct LaterEventsTests {
    /// Keeps the only reference to a peripheral until a value comes.
    private final class Keeper: NSObject, CBPeripheralDelegate {
        var peripheral: CBPeripheral?
        var calls: [String] = []

        func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            self.calls.append("value")
            self.peripheral = nil
        }

        func peripheralDidUpdateName(_ peripheral: CBPeripheral) { self.calls.append("name") }
    }

    /// Hands a discovered peripheral over to its keeper, as the only one who has it.
    private func handOver(_ talk: Conversation, to keeper: Keeper) throws -> (ConnectionID, AttributeHandle) {
        let (peripheral, _, answer) = try talk.discover()
        talk.testbed.run()
        peripheral.delegate = keeper
        keeper.peripheral = peripheral
        talk.central.found = []
        return (peripheral.connectionID, try #require(answer.record?.valueHandle))
    }

    @Test("2 a peripheral that the app lets go of in a call hears nothing of the next event", arguments: [true, false])
    func released(isValue: Bool) throws {
        let talk = Conversation()
        let keeper = Keeper()
        let (id, handle) = try self.handOver(talk, to: keeper)
        let manager: CBCentralManager = talk.central.manager
        let first = CentralEvent.value(id, handle, ByteBuffer(string: "Yes"), ReceiveWindow())
        let second = CentralEvent.value(id, handle, ByteBuffer(string: "No"), ReceiveWindow())
        var events: [CentralEvent] = [first, isValue ? second : .name(id, "Ball")]
        let lines = CapturedLog()
        lines.capture { manager.receive(&events) }
        #expect(keeper.calls == ["value"] && keeper.peripheral == nil)
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.contains("Forcing disconnection of unused peripheral") == true)
    }

    @Test("7.12 a descriptor of a service that has become invalid is no attribute of the peripheral any more")
    func invalidDescriptor() throws {
        let talk = Conversation { ball in
            ball.answer.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "The answer")]
            ball.open()
        }
        let (peripheral, _, answer) = try talk.discover()
        peripheral.discoverDescriptors(for: answer)
        talk.testbed.run { answer.descriptors != nil }
        talk.testbed.run()
        let descriptor = try #require(answer.descriptors?.first { $0.uuid == CBUUID(string: "2901") })
        let handle = try #require(descriptor.handle)
        let service = try #require(answer.service?.handles)
        #expect(peripheral.descriptor(handle) === descriptor)
        let manager: CBCentralManager = talk.central.manager
        func invalidate(_ range: AttributeHandleRange) {
            var events: [CentralEvent] = [
                .servicesInvalidated(peripheral.connectionID, range, ReceiveWindow())
            ]
            manager.receive(&events)
        }
        // Another service.
        invalidate((service.upperBound + 1)...0xFFFF)
        #expect(peripheral.descriptor(handle) === descriptor)
        invalidate(service.lowerBound...service.lowerBound)
        #expect(peripheral.descriptor(handle) == nil)
        let lines = CapturedLog()
        lines.capture { peripheral.readValue(for: descriptor) }
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.contains("is not a valid descriptor for peripheral") == true)
    }

    @Test("13.1 a start of advertising that is reported behind a restoration counts, and one behind its end does not")
    func restoredStart() throws {
        let setup = try PublishedEventsSetup()
        setup.manager.stopAdvertising()
        #expect(setup.commands() == ["stop advertising"] && !setup.manager.isAdvertising)
        setup.manager.restoredAdvertising()
        #expect(setup.manager.isAdvertising)
        setup.receive(.startedAdvertising(nil))
        #expect(setup.manager.isAdvertising && setup.ball.calls.last == "advertising true")
        setup.manager.endedAdvertising()
        setup.receive(.startedAdvertising(nil))
        #expect(!setup.manager.isAdvertising && setup.ball.calls.last == "advertising false")
    }
}
