// The signals that end a program that runs until it is interrupted.

import Dispatch
import Foundation
import TerminalScreen

/// Ends the program: with 130 on SIGINT and SIGHUP, and with 0 on SIGTERM, with which a service manager ends a service.
///
/// The main thread ends it where that has its turn. A main thread that waits, such as for somebody to read what it
/// writes, does not keep the program. The end is graceful: radio and links are ended, what is kept is written, within a
/// second. A second SIGINT or SIGTERM meanwhile ends the program at once, with 128 and the signal's number. (A second
/// SIGHUP does not: where a terminal goes, the kernel and the shell send one each.)
@MainActor
package final class Interrupts {
    private var sources: [any DispatchSourceSignal] = []

    private nonisolated static let queue = DispatchQueue(label: "interrupts")
    private nonisolated static let endingQueue = DispatchQueue(label: "ending")
    /// How long the main thread has to take its turn.
    private nonisolated static let mainThreadLimit = DispatchTimeInterval.milliseconds(200)
    /// Taken by the one that ends the program: `exit` is called once.
    private nonisolated static let ending = DispatchSemaphore(value: 1)
    // Used on the queue alone.
    private nonisolated(unsafe) static var isEnding = false

    private static let shared = Interrupts()

    /// Watches for the signals from now on: before the first line that says that the program is there.
    package static func watch() { _ = shared }

    private init() {
        let registrations = DispatchGroup()
        sources = [SIGINT, SIGTERM, SIGHUP].map { Self.watch($0, registrations) }
        registrations.wait()
    }

    // The handlers run on the queue, so they must not belong to the main actor.
    private nonisolated static func watch(_ number: CInt, _ registrations: DispatchGroup) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { received(number) }
        registrations.enter()
        source.setRegistrationHandler { registrations.leave() }
        #if !os(Linux)
        // On Linux the source itself takes the signal's default action away, in one step: a signal that is ignored until
        // there is a source would be lost.
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
        // Not on the queue of the signals, which goes on taking them.
        endingQueue.asyncAfter(deadline: .now() + mainThreadLimit) { exitOnce(status) }
    }

    private nonisolated static func exitOnce(_ status: CInt) {
        guard ending.wait(timeout: .now()) == .success else { return }
        exit(status)
    }

    /// Runs the main run loop, on which everything happens, until something calls `exit`.
    package static func runUntilExit() -> Never {
        watch()
        ServiceManager.current.begin()
        // Without a source of its own the run loop would return at once.
        let keepAlive = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
        RunLoop.main.add(keepAlive, forMode: .default)
        while true { RunLoop.main.run() }
    }
}
