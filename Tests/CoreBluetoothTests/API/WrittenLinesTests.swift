// A line for a descriptor is written once, whatever has failed on the thread before.

import Foundation
import Testing

@testable import CoreBluetooth

@Suite("Written lines")
struct WrittenLinesTests {
    @Test("A7 a line is written once where an earlier call of the thread was interrupted")
    func interruptedBefore() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        errno = EINTR
        LogLines.write("a line", to: ends[1])
        close(ends[1])
        var octets = [UInt8](repeating: 0, count: 64)
        let count = read(ends[0], &octets, octets.count)
        #expect(count == 7)
        #expect(String(decoding: octets.prefix(max(0, count)), as: UTF8.self) == "a line\n")
        close(ends[0])
    }
}
