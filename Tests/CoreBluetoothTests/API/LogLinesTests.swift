import Fixtures
import Testing

@testable import CoreBluetooth

@Suite("Log lines")
struct LogLinesTests {
    @Test("A7 drops a line for a closed or broken descriptor")
    func broken() throws {
        // A process that has a socket ignores this signal.
        signal(SIGPIPE, SIG_IGN)
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        LogLines.write("first", to: ends[1])
        var octets = [UInt8](repeating: 0, count: 16)
        #expect(read(ends[0], &octets, 16) == 6)
        #expect(octets.prefix(6).elementsEqual("first\n".utf8))
        close(ends[0])
        LogLines.write("second", to: ends[1])
        close(ends[1])
        // No process has a descriptor of this number.
        LogLines.write("third", to: .max)
    }

    @Test("A7 writes a line once after an earlier call of the thread was interrupted")
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
