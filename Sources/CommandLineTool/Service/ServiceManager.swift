// What a program reports to the service manager that started it, systemd as a rule: that it is ready, what it does,
// that it ends, and signs of life (sd_notify(3), sd_watchdog_enabled(3)). Elsewhere nothing is reported to nobody.

import Dispatch
import Foundation
import Synchronization

/// The service manager of this process, where it has one.
package final class ServiceManager: Sendable {
    /// That of this process.
    package static let current = ServiceManager(ProcessInfo.processInfo.environment, process: getpid())

    private struct State {
        var isReady = false
        var questions: [Watchdog.Question] = []
        var watchdog: Watchdog?
    }

    private let socket: NotificationSocket?
    /// How long the service manager waits for a sign of life, in microseconds; `nil` where it waits for none.
    private let limit: Int?
    private let state = Mutex(State())

    /// The service manager that an environment names.
    ///
    /// - Parameter process: The number of this process; one that has the environment of another is not watched.
    init(_ environment: [String: String], process: pid_t) {
        socket = environment["NOTIFY_SOCKET"].flatMap { NotificationSocket($0) }
        let isWatched = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        limit = isWatched ? environment["WATCHDOG_USEC"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } : nil
    }

    /// The program does what it was started for, such as advertising; what it does now, in a few words.
    package func ready(_ status: String) {
        let isFirst = state.withLock { state in
            defer { state.isReady = true }
            return !state.isReady
        }
        send((isFirst ? ["READY=1"] : []) + [Self.line(status)])
    }

    /// What the program does now, in a few words.
    package func status(_ status: String) { send([Self.line(status)]) }

    /// The adapter is lost, or not there yet; the program goes on when it is back.
    package func waitsForAdapter() { status("waits for the adapter") }

    /// The program ends.
    func stopping() { send(["STOPPING=1"]) }

    /// Has something answer for the signs of life of this process: without its answer there is none.
    package func watch(_ question: @escaping @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void) {
        state.withLock { $0.questions.append(question) }
    }

    /// Gives signs of life from now on, at half of the limit, as long as the main queue and all that is watched answer.
    func begin(main: DispatchQueue = .main) {
        guard let limit, let socket else { return }
        state.withLock { state in
            guard state.watchdog == nil else { return }
            let watchdog = Watchdog([{ main.async(execute: $0) }] + state.questions) {
                socket.send(["WATCHDOG=1"])
            }
            watchdog.start(every: .microseconds(max(1, limit / 2)))
            state.watchdog = watchdog
        }
    }

    private func send(_ lines: [String]) { socket?.send(lines) }

    // A line of its own would be another variable.
    private static func line(_ status: String) -> String { "STATUS=" + PrintableText.text(status) }
}
