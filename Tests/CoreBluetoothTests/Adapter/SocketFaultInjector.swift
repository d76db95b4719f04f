// Somebody between a host and its controller: a socket that hosts connect to, behind which stands the socket of a real
// controller. What the controller says is passed on whole, in pieces, joined, or not at all, and the test can say
// something in the controller's name.

import Fixtures
import Foundation

/// Passes H4 connections on and meddles with what the controller says. Unchecked: the lock guards what changes.
final class SocketFaultInjector: @unchecked Sendable {
    /// What is done with the controller's octets of one connection.
    enum Mode {
        /// Nothing.
        case pass
        /// Each octet is a write of its own.
        case split
        /// Nothing leaves before nothing more has come for a moment.
        case join
        /// Nothing is passed on.
        case silence
    }

    /// Where hosts connect to.
    let path: String
    private let target: String
    private let lock = NSLock()
    // Under the lock.
    private var modes: [Mode]
    private var mode = Mode.pass
    private var host: Int32 = -1
    private var controller: Int32 = -1
    private var listener: Int32 = -1
    private var count = 0

    /// Listens at `path` and passes what comes to the socket at `target`.
    ///
    /// - Parameter modes: Of the connections that come, one after the other; ``Mode/pass`` when they are used up.
    init(at path: String, to target: String, modes: [Mode] = []) throws {
        self.path = path
        self.target = target
        self.modes = modes
        try self.listen()
    }

    deinit { self.unplug() }

    /// How many hosts have connected so far.
    var connectionCount: Int { self.lock.withLock { self.count } }

    /// Says something in the controller's name.
    func say(_ octets: [UInt8]) {
        self.lock.withLock { _ = Self.writeAll(self.host, octets) }
    }

    /// Passes nothing on from now on.
    func fallSilent() { self.lock.withLock { self.mode = .silence } }

    /// Ends the connection that stands.
    func cut() {
        self.lock.withLock {
            for descriptor in [self.host, self.controller] where descriptor >= 0 {
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// Ends the connection and takes nobody any more.
    func unplug() {
        self.cut()
        self.lock.withLock {
            guard self.listener >= 0 else { return }
            shutdown(self.listener, Int32(SHUT_RDWR))
            close(self.listener)
            self.listener = -1
        }
        unlink(self.path)
    }

    /// Takes hosts again.
    func plugIn() throws { try self.listen() }

    private func listen() throws {
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
            close(host)
            close(controller)
            return
        }
        self.lock.withLock {
            self.count += 1
            self.host = host
            self.controller = controller
            self.mode = self.modes.isEmpty ? .pass : self.modes.removeFirst()
        }
        Thread.detachNewThread {
            var testbed = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(host, &testbed, testbed.count)
                guard count > 0, Self.writeAll(controller, testbed[..<count]) else { break }
            }
            shutdown(controller, Int32(SHUT_RDWR))
        }
        Thread.detachNewThread { [self] in
            self.passOn(from: controller, to: host)
            shutdown(host, Int32(SHUT_RDWR))
        }
    }

    private func passOn(from controller: Int32, to host: Int32) {
        var testbed = [UInt8](repeating: 0, count: 65_536)
        var kept: [UInt8] = []
        while true {
            if !kept.isEmpty {
                var request = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
                // Everything that comes within a moment is joined.
                if poll(&request, 1, 5) == 0 {
                    guard self.lock.withLock({ Self.writeAll(host, kept) }) else { return }
                    kept = []
                }
            }
            let count = read(controller, &testbed, testbed.count)
            guard count > 0 else { return }
            let isGood = self.lock.withLock {
                switch self.mode {
                case .pass: return Self.writeAll(host, testbed[..<count])
                case .split: return testbed[..<count].allSatisfy { Self.writeAll(host, [$0]) }
                case .join:
                    kept += testbed[..<count]
                    return true
                case .silence: return true
                }
            }
            guard isGood else { return }
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

    private static func makeSocket() -> Int32 {
        #if canImport(Darwin)
        socket(AF_UNIX, SOCK_STREAM, 0)
        #else
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }
}
