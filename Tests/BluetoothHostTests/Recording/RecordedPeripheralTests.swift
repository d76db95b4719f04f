// The name and the first values of a recorded peripheral.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("RecordedPeripheral")
struct RecordedPeripheralTests {
    @Test("has the name of the scan response, or else of the advertisement, or else the one that was read")
    func name() {
        var peripheral = RecordedPeripheral()
        #expect(peripheral.name == nil)
        peripheral.deviceName = "Anna"
        #expect(peripheral.name == "Anna")
        peripheral.advertisingData = hex("05 09 42 61 6C 6C")
        #expect(peripheral.name == "Ball")
        peripheral.scanResponse = hex("02 0A 00")
        #expect(peripheral.name == "Ball")
        peripheral.scanResponse = hex(Captured.named)
        #expect(peripheral.name == "Pulse")
    }

    @Test("begins a value with the first successful read, or else with the first value that was sent spontaneously")
    func firstValue() {
        var value = RecordedCharacteristic(uuid: 0x2A37, properties: .read, handle: 3)
        #expect(value.firstValue == nil)
        value.updates = [5, 6].map { .init(delay: .seconds(1), value: ByteBuffer(bytes: [$0])) }
        #expect(value.firstValue == hex("05"))
        value.reads = [.init(.failure(.readNotPermitted))]
        #expect(value.firstValue == hex("05"))
        value.reads += [.init(.success(hex("07"))), .init(.success(hex("08")))]
        #expect(value.firstValue == hex("07"))
    }
}
