// Reports to the service manager that started the program, usually systemd: readiness, status, the end, and heartbeats
// (sd_notify(3), sd_watchdog_enabled(3)). Without a service manager nothing is sent.

import Dispatch
import Foundation
import Synchronization

/// The service manager of this process, if it has one.
package final class ServiceManager: Sendable {
    /// The service manager of this process.
    package static let current = ServiceManager(ProcessInfo.processInfo.environment, process: getpid())

    private struct State {
        var isReady = false
        var questions: [Watchdog.Question] = []
        var watchdog: Watchdog?
    }

    private let socket: NotificationSocket?
    /// The watchdog's time limit in microseconds; `nil` if the service manager expects no heartbeats.
    private let limit: Int?
    private let state = Mutex(State())

    /// The service manager that an environment names.
    ///
    /// - Parameter process: The identifier of this process; one that inherited another's environment is not watched.
    init(_ environment: [String: String], process: pid_t) {
        socket = environment["NOTIFY_SOCKET"].flatMap { NotificationSocket($0) }
        let isWatched = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        limit = isWatched ? environment["WATCHDOG_USEC"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } : nil
    }

    /// Reports that the program does its job, such as advertising; `status` says in a few words what that is.
    package func ready(_ status: String) {
        let isFirst = state.withLock { state in
            defer { state.isReady = true }
            return !state.isReady
        }
        send((isFirst ? ["READY=1"] : []) + [Self.line(status)])
    }

    /// Reports in a few words what the program does now.
    package func status(_ status: String) { send([Self.line(status)]) }

    /// Reports that there is no adapter; the program goes on when it is back.
    package func waitsForAdapter() { status("waits for the adapter") }

    /// Reports that the program ends.
    func stopping() { send(["STOPPING=1"]) }

    /// Makes the heartbeats of this process depend on an answer.
    package func watch(_ question: @escaping @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void) {
        state.withLock { $0.questions.append(question) }
    }

    /// Starts heartbeats at half of the time limit, while the main queue and everything that is watched answers.
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

    // A line break would begin another variable.
    private static func line(_ status: String) -> String { "STATUS=" + PrintableText.text(status) }
}
