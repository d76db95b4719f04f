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

    /// The command failed, and Core Bluetooth has written the line that says why.
    static func failAsSaid() -> Never { exit(1) }

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
        let keepAlive = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
        RunLoop.main.add(keepAlive, forMode: .default)
        while true {
            withExtendedLifetime(interrupts) { RunLoop.main.run() }
        }
    }
}

/// A limit on how long something may take.
@MainActor
final class Deadline {
    private let timer: Timer

    /// Calls `body` after `seconds`, unless called off.
    init(after seconds: TimeInterval, _ body: @escaping @MainActor () -> Void) {
        // Given as a date: on Linux a timer that is given an interval alone fires at once.
        timer = Timer(fire: Date(timeIntervalSinceNow: seconds), interval: 0, repeats: false) { _ in
            MainActor.assumeIsolated { body() }
        }
        RunLoop.main.add(timer, forMode: .common)
    }

    /// Calls it off.
    func cancel() { timer.invalidate() }
}
