// A session of the program in a process of its own, in a world that has the process's clocks: what it prints, when and
// with which status it ends, without a second of real time passing.

package import CommandLineTool
import CoreBluetoothProcessTime
package import CoreBluetoothTesting
import Foundation
package import Testing

/// A world with sessions, which live on the main thread; time passes on another one, so that the main queue is served.
package struct SessionRun: @unchecked Sendable {
    // Unchecked: what makes it is done before time passes.

    package let world = World(seed: 1, time: .process)
    private var sessions: [AnyObject] = []

    package init() {}

    /// Starts a session on a device.
    @MainActor
    package mutating func start<Session: AnyObject>(on device: Device, _ start: () throws -> Session) rethrows {
        sessions.append(try device.run(start))
    }

    /// A reader that gets lines at times of the world: `2 list; 3.5 quit; 4 end` has the time of each in seconds, and
    /// ends the input.
    @MainActor
    package func lines(_ script: String) -> LineReader {
        LineReader { take in
            for part in script.split(separator: ";") {
                let words = part.drop { $0 == " " }.split(
                    separator: " ",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                guard let seconds = Double(words[0]) else { preconditionFailure("\(part) has no time") }
                let text = words.count > 1 ? String(words[1]) : ""
                world.onMain(after: .seconds(seconds)) { take(text == "end" ? nil : text) }
            }
        }
    }

    /// Prints a line at a time of the world, by which a test sees whether the program had ended.
    package func mark(_ line: String, at seconds: Double) {
        world.after(.seconds(seconds) - world.now) { Console.print(line) }
    }

    /// Does something on the main thread at a time of the world, in milliseconds.
    @MainActor
    package func at(_ milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
        world.onMain(after: .milliseconds(milliseconds) - world.now, body)
    }

    /// Lets a minute pass in a world that `arrange` has arranged, and ends the process with 99.
    package static func minute(_ arrange: @MainActor (inout SessionRun) throws -> Void) async throws -> Never {
        let run = try await MainActor.run {
            var run = SessionRun()
            // Time is the world's from its first use on.
            _ = run.world.now
            try arrange(&run)
            return run
        }
        run.passMinute()
    }

    /// Lets a minute pass, in which the program is to end.
    package func passMinute() -> Never {
        world.advance(by: .seconds(60))
        exit(99)
    }
}

extension [any PartialKeyPath<ExitTest.Result> & Sendable] {
    /// Both outputs of a process.
    package static var outputs: Self { [\.standardOutputContent, \.standardErrorContent] }
}

extension ExitTest.Result {
    /// The lines on standard output.
    package var lines: [String] { Self.lines(standardOutputContent) }

    /// The lines on standard error, without the program's name before them.
    package var errorLines: [String] {
        Self.lines(standardErrorContent).map { $0.replacing(#/^[^ ]*\.xctest: /#, with: "") }
    }

    private static func lines(_ octets: [UInt8]) -> [String] {
        String(decoding: octets, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map(String.init)
    }
}
