// A capture that could not be written: it has ended, and nothing waits to be written.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothTransport

@Suite("A capture that has ended")
struct EndedCaptureTests {
    @Test("What a full disk did not take does not wait, and neither does what comes later")
    func fullDisk() throws {
        let log = LogLines()
        let file = try CaptureFile(path: "/dev/full", logger: log.logger)
        let packet = Reset().packet()
        // Its header was not taken.
        #expect(!file.needsFlush)
        file.flush()
        file.record(packet, .toController)
        #expect(!file.needsFlush)
        file.close()
        #expect(log.lines.value.count == 1)
    }
}
