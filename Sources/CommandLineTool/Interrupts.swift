// Signals that end a program that runs until it is interrupted.

import Dispatch
import Foundation
import TerminalScreen

/// Ends the program: with status 130 after SIGINT and SIGHUP, and with 0 after SIGTERM, with which a service manager
/// stops a service.
///
/// The end is graceful and takes at most a second: the radio stops, links are closed, and files are written. The main
/// thread does it if it responds; if it is blocked, for example because nobody reads its output, another thread does. A
/// second SIGINT or SIGTERM ends the program at once, with 128 plus the signal's number. (A second SIGHUP does not:
/// when a terminal is closed, the kernel and the shell each send one.)
@MainActor
package final class Interrupts {
    private var sources: [any DispatchSourceSignal] = []

    private nonisolated static let queue = DispatchQueue(label: "interrupts")
    private nonisolated static let endingQueue = DispatchQueue(label: "ending")
    /// The time that the main thread has to respond.
    private nonisolated static let mainThreadLimit = DispatchTimeInterval.milliseconds(200)
    /// Taken by the thread that ends the program, so that `exit` is called once.
    private nonisolated static let ending = DispatchSemaphore(value: 1)
    // Used on the queue alone.
    private nonisolated(unsafe) static var isEnding = false

    private static let shared = Interrupts()

    /// Starts to handle the signals; called before the program prints its first line.
    package static func watch() { _ = shared }

    private init() {
        let registrations = DispatchGroup()
        sources = [SIGINT, SIGTERM, SIGHUP].map { Self.watch($0, registrations) }
        registrations.wait()
    }

    // The handlers run on the queue, so they must not be isolated to the main actor.
    private nonisolated static func watch(_ number: CInt, _ registrations: DispatchGroup) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { received(number) }
        registrations.enter()
        source.setRegistrationHandler { registrations.leave() }
        #if !os(Linux)
        // On Linux the source itself replaces the signal's default action, in one step: ignoring the signal before the
        // source exists would lose it.
        signal(number, SIG_IGN)
        #endif
        source.resume()
        return source
    }

    private nonisolated static func received(_ number: CInt) {
        guard isEnding else {
            isEnding = true
            ServiceManager.current.stopping()
            return end(with: number == SIGTERM ? 0 : 130)
        }
        guard number != SIGHUP else { return }
        Screen.restoreTerminal()
        _exit(128 + number)
    }

    private nonisolated static func end(with status: CInt) {
        DispatchQueue.main.async { exitOnce(status) }
        // Not on the queue of the signals, which must stay responsive.
        endingQueue.asyncAfter(deadline: .now() + mainThreadLimit) { exitOnce(status) }
    }

    private nonisolated static func exitOnce(_ status: CInt) {
        guard ending.wait(timeout: .now()) == .success else { return }
        exit(status)
    }

    /// Runs the main run loop until something calls `exit`.
    package static func runUntilExit() -> Never {
        watch()
        ServiceManager.current.begin()
        // A run loop without a source returns at once.
        let keepAlive = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
        RunLoop.main.add(keepAlive, forMode: .default)
        while true { RunLoop.main.run() }
    }
}
