// A relay for H4 with faults: a socket that hosts connect to, and behind it the socket of a real controller. What the
// controller sends is passed on whole, in pieces, joined, up to some octets, or not at all, and a test can inject
// octets.

import Foundation

/// Passes connections on and injects faults into what comes back. Unchecked: the lock guards what changes.
package final class SocketFaultInjector: @unchecked Sendable {
    /// What is done with what comes from the target on one connection.
    package enum Mode: Sendable {
        /// Nothing.
        case pass
        /// Each octet is a write of its own.
        case split
        /// Nothing is written before nothing more has come for a moment.
        case join
        /// Everything is passed on up to a read that contains these octets; from then on it is ``silence``.
        case hold(String)
        /// Nothing is passed on.
        case silence
    }

    /// Where to connect to.
    package let path: String
    private let target: String
    private let lock = NSLock()
    // Under the lock.
    private var modes: [Mode]
    private var mode = Mode.pass
    private var host: Int32 = -1
    private var controller: Int32 = -1
    private var listener: Int32 = -1
    private var count = 0
    private var isHolding = false

    /// Listens at `path` and passes what comes to the socket at `target`.
    ///
    /// - Parameter modes: Of the connections that come, one after the other; ``Mode/pass`` when they are used up.
    package init(at path: String, to target: String, modes: [Mode] = []) throws {
        self.path = path
        self.target = target
        self.modes = modes
        try self.listen()
    }

    deinit { self.close() }

    /// How many connections came so far.
    package var connectionCount: Int { self.lock.withLock { self.count } }

    /// Whether something was held; see ``Mode/hold(_:)``.
    package var hasHeld: Bool { self.lock.withLock { self.isHolding } }

    /// Writes octets to the host, as if the controller had sent them.
    package func inject(_ octets: [UInt8]) {
        self.lock.withLock { _ = Self.writeAll(self.host, octets) }
    }

    /// Passes nothing on from now on.
    package func silence() { self.lock.withLock { self.mode = .silence } }

    /// Ends the connection.
    package func disconnect() {
        self.lock.withLock {
            for descriptor in [self.host, self.controller] where descriptor >= 0 {
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// Closes both ends of a connection, when neither of its threads reads them any longer.
    private func end(host: Int32, controller: Int32) {
        self.lock.withLock {
            // Their numbers belong to others from now on.
            if self.host == host { self.host = -1 }
            if self.controller == controller { self.controller = -1 }
            Foundation.close(host)
            Foundation.close(controller)
        }
    }

    /// Ends the connection and accepts no further ones.
    package func close() {
        self.disconnect()
        self.lock.withLock {
            guard self.listener >= 0 else { return }
            shutdown(self.listener, Int32(SHUT_RDWR))
            Foundation.close(self.listener)
            self.listener = -1
        }
        unlink(self.path)
    }

    /// Accepts connections, again after ``close()``.
    package func listen() throws {
        let descriptor = Self.makeSocket()
        try withSocketAddress(self.path) { address, length in
            guard bind(descriptor, address, length) == 0, Foundation.listen(descriptor, 8) == 0 else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        self.lock.withLock { self.listener = descriptor }
        Thread.detachNewThread { [weak self] in
            while true {
                let host = accept(descriptor, nil, nil)
                guard host >= 0, let self else { return }
                self.serve(host)
            }
        }
    }

    private func serve(_ host: Int32) {
        let controller = Self.makeSocket()
        let isConnected = (try? withSocketAddress(self.target) { connect(controller, $0, $1) == 0 }) ?? false
        guard isConnected else {
            Foundation.close(host)
            Foundation.close(controller)
            return
        }
        self.lock.withLock {
            self.count += 1
            self.host = host
            self.controller = controller
            self.mode = self.modes.isEmpty ? .pass : self.modes.removeFirst()
        }
        let readers = DispatchGroup()
        readers.enter()
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(host, &buffer, buffer.count)
                guard count > 0, Self.writeAll(controller, buffer[..<count]) else { break }
            }
            shutdown(controller, Int32(SHUT_RDWR))
            readers.leave()
        }
        readers.enter()
        Thread.detachNewThread { [self] in
            self.passBack(from: controller, to: host)
            shutdown(host, Int32(SHUT_RDWR))
            readers.leave()
        }
        readers.notify(queue: .global()) { self.end(host: host, controller: controller) }
    }

    private func passBack(from controller: Int32, to host: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var joined: [UInt8] = []
        while true {
            if !joined.isEmpty {
                var request = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
                // Everything that comes within a moment is joined.
                if poll(&request, 1, 5) == 0 {
                    guard self.lock.withLock({ Self.writeAll(host, joined) }) else { return }
                    joined = []
                }
            }
            let count = read(controller, &buffer, buffer.count)
            guard count > 0 else { return }
            let octets = buffer[..<count]
            let isWritten = self.lock.withLock {
                if case .hold(let text) = self.mode, Data(octets).range(of: Data(text.utf8)) != nil {
                    self.mode = .silence
                    self.isHolding = true
                }
                switch self.mode {
                case .pass, .hold: return Self.writeAll(host, octets)
                case .split: return octets.allSatisfy { Self.writeAll(host, [$0]) }
                case .join:
                    joined += octets
                    return true
                case .silence: return true
                }
            }
            guard isWritten else { return }
        }
    }

    private static func writeAll(_ descriptor: Int32, _ octets: some Collection<UInt8>) -> Bool {
        var rest = Array(octets)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func makeSocket() -> Int32 { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }
}
