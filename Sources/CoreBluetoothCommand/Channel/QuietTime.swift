// The time after the end of an input for which a command that carries octets waits for more from the device.

import ArgumentParser
import CommandLineTool
import Foundation

/// How long to wait for more.
struct QuietTimeOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long to wait for more after the end of the input.", valueName: "s")
    )
    var wait = 1.0

    func validate() throws { try Deadline.validateWait(wait) }
}

/// Calls a function once nothing has come for a time.
@MainActor
final class QuietTime {
    private let body: @MainActor () -> Void
    private var seconds: TimeInterval?
    private var deadline: Deadline?

    init(_ body: @escaping @MainActor () -> Void) { self.body = body }

    /// Begins: the input has ended.
    func begin(_ seconds: TimeInterval) {
        self.seconds = seconds
        restart()
    }

    /// Begins anew if it has begun: something has come.
    func restart() {
        pause()
        guard let seconds else { return }
        guard seconds > 0 else { return body() }
        deadline = Deadline(after: seconds, body)
    }

    /// Stops until the next ``restart()``.
    func pause() { deadline?.cancel() }
}
