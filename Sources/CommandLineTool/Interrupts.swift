// The signals that end a program that runs until it is interrupted.

import Dispatch
import Foundation

/// Ends the program: with 130 on SIGINT and SIGHUP, and with 0 on SIGTERM, with which a service manager ends a service.
///
/// The main thread ends it where that has its turn. A main thread that waits, such as for somebody to read what it writes,
/// does not keep the program.
@MainActor
package final class Interrupts {
    private var sources: [any DispatchSourceSignal] = []

    private nonisolated static let queue = DispatchQueue(label: "interrupts")
    /// How long the main thread has to take its turn.
    private nonisolated static let mainThreadLimit = DispatchTimeInterval.milliseconds(200)
    /// Taken by the one that ends the program: `exit` is called once.
    private nonisolated static let ending = DispatchSemaphore(value: 1)

    /// Watches for the signals until released.
    package init() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            sources.append(Self.watch(number))
        }
    }

    // The handler runs on the queue, so it must not belong to the main actor.
    private nonisolated static func watch(_ number: CInt) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { end(with: number == SIGTERM ? 0 : 130) }
        source.resume()
        return source
    }

    private nonisolated static func end(with status: CInt) {
        DispatchQueue.main.async { exitOnce(status) }
        queue.asyncAfter(deadline: .now() + mainThreadLimit) { exitOnce(status) }
    }

    private nonisolated static func exitOnce(_ status: CInt) {
        guard ending.wait(timeout: .now()) == .success else { return }
        exit(status)
    }

    /// Runs the main run loop, on which everything happens, until something calls `exit`.
    package static func runUntilExit() -> Never {
        let interrupts = Interrupts()
        // Without a source of its own the run loop would return at once.
        let keepAlive = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
        RunLoop.main.add(keepAlive, forMode: .default)
        while true {
            withExtendedLifetime(interrupts) { RunLoop.main.run() }
        }
    }
}
