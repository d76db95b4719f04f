// The end of an input from which an answer is read, on a thread whose earlier call has failed: it is the end all the
// same, and is not read again and again.

import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("The end of an answer's input")
struct AnswerEndTests {
    @Test(
        "The end of the input is the end, and that of a line without its end, also where an earlier call has failed",
        arguments: [("", 0), ("", EINTR), ("", EAGAIN), ("yes", EINTR), ("yes", EAGAIN)] as [(String, CInt)]
    )
    func end(text: String, number: CInt) async {
        let (input, cancel) = (Pipe(), Pipe())
        input.fileHandleForWriting.write(Data(text.utf8))
        input.fileHandleForWriting.closeFile()
        let descriptor = input.fileHandleForReading.fileDescriptor
        let cancelled = cancel.fileHandleForReading.fileDescriptor
        let outcome = Watched<TerminalInput.Reading?>(nil)
        // On a thread of its own: where it read again and again, it would do so until it is cancelled.
        let thread = Thread {
            errno = number
            let reading = TerminalInput.read(descriptor, until: cancelled)
            outcome.update { $0 = reading }
        }
        thread.start()
        #expect(await outcome.wait(seconds: 30) { $0 != nil })
        let expected: TerminalInput.Reading = text.isEmpty ? .end : .line(text)
        #expect(outcome.value == expected)
        cancel.fileHandleForWriting.closeFile()
        withExtendedLifetime((input, cancel)) {}
    }
}
