// How the program ends: every way out goes through `exit`, so that what is registered there (the removal of a served
// air's socket, the end of a capture) is done.

import ArgumentParser
import Dispatch
import Foundation

/// Something failed: one line that says what, why, and what to do about it.
struct Failure: Error {
    /// The line.
    let line: String

    /// Creates a failure from its line.
    init(_ line: String) { self.line = line }
}

/// The ways out.
enum Ending {
    /// The command did what it was told.
    static func succeed() -> Never { exit(0) }

    /// The command failed.
    static func fail(_ failure: Failure) -> Never {
        Console.report("eightball: " + Console.printable(failure.line))
        exit(1)
    }

    /// Ends with what a command threw, or what the parser made of the arguments.
    static func end(with error: any Error) -> Never {
        if let failure = error as? Failure { fail(failure) }
        let text = EightBall.fullMessage(for: error)
        switch EightBall.exitCode(for: error) {
        case .success:
            Console.print(text)
            succeed()
        case .validationFailure:
            Console.report(text)
            exit(2)
        default:
            fail(Failure(EightBall.message(for: error)))
        }
    }
}

/// Ends the program with 130 when it is interrupted, told to terminate, or loses its terminal.
@MainActor
final class Interrupts {
    private var sources: [any DispatchSourceSignal] = []

    /// Watches for the signals until released.
    init() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { exit(130) }
            source.resume()
            sources.append(source)
        }
    }

    /// Runs the main run loop, on which everything happens, until something calls `exit`.
    static func runUntilExit() -> Never {
        let interrupts = Interrupts()
        // Without a source of its own the run loop would return at once.
        let keepAlive = Timer(fire: Date(timeIntervalSinceNow: 3600), interval: 3600, repeats: true) { _ in }
        RunLoop.main.add(keepAlive, forMode: .default)
        while true {
            withExtendedLifetime(interrupts) { RunLoop.main.run(until: .distantFuture) }
        }
    }
}
