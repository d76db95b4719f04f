import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("The line of an answer")
struct TerminalInputTests {
    /// Reads lines until there is none, with `errno` set by an earlier error.
    private func readings(_ text: String, behind error: CInt = 0) -> [TerminalInput.Reading] {
        let (input, cancel) = (Pipe(), Pipe())
        input.fileHandleForWriting.write(Data(text.utf8))
        input.fileHandleForWriting.closeFile()
        var readings: [TerminalInput.Reading] = []
        var isAtEnd = false
        while !isAtEnd {
            errno = error
            let reading = TerminalInput.read(
                input.fileHandleForReading.fileDescriptor,
                until: cancel.fileHandleForReading.fileDescriptor
            )
            readings.append(reading)
            if case .line = reading {} else { isAtEnd = true }
        }
        withExtendedLifetime(cancel) {}
        return readings
    }

    @Test(
        "ends with its line, or with the input, whatever errno was before",
        arguments: [0, EINTR, EAGAIN]
    )
    func lines(error: CInt) {
        #expect(readings("", behind: error) == [.end])
        #expect(readings("yes\n\n123456", behind: error) == [.line("yes"), .line(""), .line("123456"), .end])
        #expect(readings("yes\n", behind: error) == [.line("yes"), .end])
    }

    @Test("keeps the first 1,024 octets of a long line", arguments: [1023, 1024, 1025, 4000])
    func limit(count: Int) {
        let line = String((0..<count).map { Character(UnicodeScalar(UInt8(0x61 + $0 % 26))) })
        #expect(readings(line + "\nnext\n") == [.line(String(line.prefix(1024))), .line("next"), .end])
    }

    @Test("reads nothing for a withdrawn question, even if a line is available")
    func cancelled() {
        let (input, cancel) = (Pipe(), Pipe())
        input.fileHandleForWriting.write(Data("yes\n".utf8))
        cancel.fileHandleForWriting.closeFile()
        let reading = TerminalInput.read(
            input.fileHandleForReading.fileDescriptor,
            until: cancel.fileHandleForReading.fileDescriptor
        )
        #expect(reading == .cancelled)
        withExtendedLifetime(input) {}
    }
}
