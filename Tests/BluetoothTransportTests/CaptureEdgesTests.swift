// Captures at their edges: the clock to the microsecond, a device as the file, and a first record with nothing in it.

import BluetoothHCI
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothTransport

@Suite("Captures at their edges")
struct CaptureEdgesTests {
    @Test("The wall clock is that of the system, to the microsecond")
    func microseconds() {
        func system() -> Int64 {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        }
        // A clock that is set meanwhile spoils one reading, not all.
        let isInBetween = (0..<20).map { _ in
            let before = system()
            let now = BTSnoop.Timestamp.now().microsecondsSince1970
            return before <= now && now <= system()
        }
        #expect(isInBetween.contains(true))
    }

    @Test("A device is nobody's alone: each capture is written to it")
    func device() throws {
        let log = LogLines()
        let files = try (0..<2).map { _ in try CaptureFile(path: "/dev/null", logger: log.logger) }
        #expect(files.map(\.path) == ["/dev/null", "/dev/null"])
        for file in files {
            file.record(HCIPacket([0x01, 0x03, 0x0C, 0x00]), .toController)
            file.close()
        }
        #expect(log.lines.value == [])
    }

    @Test("Behind a first record of nothing, what follows is no kind of it: the length of the next record")
    func emptyRecord() throws {
        let records = try CaptureReader.records(
            of: ByteBuffer(
                hex: """
                    08000000 00F15365 01000000
                    0C000000 00F15365 02000000 00 03 0C 00
                    """
            )
        )
        #expect(records.map(\.packet) == [HCIPacket([0x01, 0x03, 0x0C, 0x00])])
        #expect(records.map(\.time.microsecondsSince1970) == [1_700_000_000_000_002])
    }
}
