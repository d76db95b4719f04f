// A gate between a process and the air: it passes the bytes of one connection both ways until one of them contains what
// it was told to hold. So a test can end a process exactly between a question and its answer.

import Fixtures
import Foundation

/// Passes one connection on, and holds what it is told to hold. Unchecked: the condition's lock guards what changes.
final class Gate: @unchecked Sendable {
    /// Where the process connects to.
    let path: String

    private let listener: Int32
    private let target: String
    private let held: Data
    private let condition = NSCondition()
    private var hasHeld = false
    private var inner: Int32 = -1
    private var outer: Int32 = -1

    /// Listens at `path` and passes what comes to the socket at `target`; bytes toward the process that contain `held` are
    /// kept back, with all that follows.
    init(at path: String, to target: String, holding held: String) throws {
        self.path = path
        self.target = target
        self.held = Data(held.utf8)
        listener = Gate.makeSocket()
        try withSocketAddress(path) { address, length in
            guard bind(listener, address, length) == 0, listen(listener, 1) == 0 else {
                throw Missing("a socket at \(path)")
            }
        }
        Thread.detachNewThread { [self] in serve() }
    }

    /// Waits until something is held.
    func waitUntilHeld(within seconds: TimeInterval = Player.patience) throws {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !hasHeld {
            guard condition.wait(until: deadline) else { throw Missing("bytes to hold") }
        }
    }

    private func serve() {
        inner = accept(listener, nil, nil)
        close(listener)
        outer = Gate.makeSocket()
        let isConnected = (try? withSocketAddress(target) { connect(outer, $0, $1) == 0 }) ?? false
        guard inner >= 0, isConnected else { return }
        Thread.detachNewThread { [self] in pass(from: inner, to: outer, holding: nil) }
        pass(from: outer, to: inner, holding: held)
    }

    private func pass(from source: Int32, to destination: Int32, holding held: Data?) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &bytes, bytes.count)
            guard count > 0 else { break }
            if let held, Data(bytes[..<count]).range(of: held) != nil {
                condition.lock()
                hasHeld = true
                condition.broadcast()
                condition.unlock()
                // Nothing passes this way any more; the other way still tells of the process's end.
                return
            }
            guard write(destination, &bytes, count) == count else { break }
        }
        // The end of one side is the end of the other.
        shutdown(destination, Int32(SHUT_RDWR))
        shutdown(source, Int32(SHUT_RDWR))
    }

    private static func makeSocket() -> Int32 {
        #if canImport(Darwin)
        socket(AF_UNIX, SOCK_STREAM, 0)
        #else
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }
}
