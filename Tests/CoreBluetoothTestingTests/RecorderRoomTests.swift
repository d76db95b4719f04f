// How many packets a recorder has at a time: a fifth more than it keeps, before the oldest go together. A trace has
// only what is kept; a capture has all that there is.

import BluetoothHCI
import BluetoothTransport
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("The room of a recorder")
struct RecorderRoomTests {
    @Test(
        "The oldest packets go when there are more than a fifth too many",
        arguments: [
            (10, 10, 10), (10, 11, 11), (10, 12, 12), (10, 13, 10), (10, 15, 12), (10, 16, 10), (4, 4, 4), (4, 5, 4),
            (5, 6, 6), (5, 7, 5), (30, 36, 36), (30, 37, 30),
        ] as [(Int, Int, Int)]
    )
    func captured(capacity: Int, count: Int, left: Int) throws {
        let recorder = Recorder(capacity: capacity)
        let device = recorder.add("phone")
        let reset = HCIPacket(h4: ByteBuffer(bytes: [0x01, 0x03, 0x0C, 0x00]))
        for number in 1...count {
            // A microsecond after the other.
            recorder.record(reset, .sent, device: device, at: .uptimeNanoseconds(UInt64(number) * 1_000))
        }
        var reader = try BTSnoopReader(recorder.capture(of: "phone"))
        var times: [Int64] = []
        while let record = try reader.next() { times.append(record.time.microsecondsSince1970 - 946_684_800_000_000) }
        #expect(times.count == left && times.first == Int64(count - left + 1) && times.last == Int64(count))
        let kept = min(count, capacity)
        let trace = recorder.trace(of: nil).includingHCI
        #expect(trace.count == kept && trace.forgottenCount == count - kept)
    }
}
