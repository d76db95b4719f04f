import Fixtures
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Log lines")
struct LogLinesTests {
    @Test("A7 a line for a closed or broken descriptor is lost, and nothing else happens")
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
}
