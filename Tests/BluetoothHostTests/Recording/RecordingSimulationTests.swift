// Random captures, and characteristics that are replayed in a different order.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: simulations")
struct RecordingSimulationTests {
    private static func check(_ peripheral: RecordedPeripheral) {
        var last: AttributeHandle = 0
        for service in peripheral.services {
            #expect(service.handles.lowerBound > last, "services do not overlap")
            last = service.handles.upperBound
            var lastValue = service.handles.lowerBound
            for characteristic in service.characteristics {
                #expect(characteristic.handle > lastValue && service.handles.contains(characteristic.handle))
                lastValue = characteristic.handle
                #expect(characteristic.reads.allSatisfy { $0.writesBefore <= characteristic.writes.count })
                let delays = characteristic.updates.map(\.delay) + characteristic.writes.flatMap(\.answers).map(\.delay)
                #expect(delays.allSatisfy { $0 >= .zero && $0 <= .hours(24) })
                #expect(characteristic.wasSubscribed || characteristic.updates.isEmpty)
            }
        }
    }

    @Test(
        "creates valid peripherals from any capture, each once, and messages of one line",
        arguments: simulationSeeds(5)
    )
    func captures(seed: UInt64) {
        var capture = RandomCapture(seed: seed)
        var packets: Captured.Packets = []
        for _ in 0..<600 { packets += capture.next() }
        let found = Captured.read(packets).peripherals()
        #expect(Set(found.map(\.key)).count == found.count && !found.isEmpty)
        for (_, peripheral) in found { Self.check(peripheral) }
        for device in [nil, "local", "link-64", "LINK-65", "Ball", "c0:11:22:33:44:55"] {
            #expect(Captured.failure(packets, device)?.contains("\n") != true)
        }
    }

    @Test(
        "answers replayed reads and writes only with recorded, written or sent values",
        arguments: simulationSeeds(50)
    )
    func replays(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var record = RecordedCharacteristic(uuid: 0x2A37, properties: [.read, .write], handle: 3)
        for number in 0..<choices.below(6) {
            let refuses = choices.once(in: 4)
            let value = ByteBuffer(bytes: [UInt8(number)])
            record.reads.append(
                .init(refuses ? .failure(.readNotPermitted) : .success(value), writesBefore: number / 2)
            )
        }
        for _ in 0..<choices.below(6) {
            let error: ATTErrorCode? = choices.once(in: 4) ? .outOfRange : nil
            record.writes.append(.init(value: ByteBuffer(bytes: [0x10 + UInt8(choices.below(3))]), error: error))
        }
        var replay = CharacteristicReplay(record)
        var values = Set(record.reads.compactMap { try? $0.result.get() })
        for _ in 0..<30 {
            let value = ByteBuffer(bytes: [0x10 + UInt8(choices.below(5))])
            switch choices.below(4) {
            case 0:
                replay.sent(value)
                values.insert(value)
            case 1:
                let write = replay.write(value)
                #expect((write != nil) == record.writes.map(\.value).contains(value))
                #expect(write == nil || write?.value == value)
                if let write, write.error == nil { values.insert(value) }
            default:
                let result = replay.read()
                #expect((result == nil) == (values.isEmpty && record.reads.isEmpty))
                if case .success(let read)? = result { #expect(values.contains(read)) }
            }
        }
    }
}
