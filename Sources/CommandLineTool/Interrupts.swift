// The signals that end a program that runs until it is interrupted.

import Dispatch
import Foundation

/// Ends the program: with 130 on SIGINT and SIGHUP, and with 0 on SIGTERM, with which a service manager ends a service.
@MainActor
package final class Interrupts {
    private var sources: [any DispatchSourceSignal] = []

    /// Watches for the signals until released.
    package init() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { exit(number == SIGTERM ? 0 : 130) }
            source.resume()
            sources.append(source)
        }
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
