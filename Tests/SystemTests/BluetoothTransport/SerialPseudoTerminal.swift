#if os(Linux)

import Fixtures
import Foundation
import NIOCore

@testable import BluetoothTransport

/// A pseudo-terminal whose controller's end is used on the test's own thread.
final class SerialPseudoTerminal: Sendable {
    let path: String
    private let descriptor: Watched<CInt>

    init() throws {
        let pair = try PseudoTerminalPair()
        self.path = pair.path
        self.descriptor = Watched(pair.descriptor)
    }

    deinit { self.hangUp() }

    /// Sends all octets; `false` if the other end takes nothing for 20 seconds.
    @discardableResult
    func send(_ octets: [UInt8]) -> Bool {
        var rest = octets[...]
        while !rest.isEmpty {
            guard self.isReady(for: POLLOUT) else { return false }
            let count = rest.withUnsafeBytes { write(self.descriptor.value, $0.baseAddress, min($0.count, 512)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads exactly `count` octets, or fewer after a timeout.
    func read(_ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while octets.count < count, self.isReady(for: POLLIN) {
            let got = Foundation.read(self.descriptor.value, &chunk, min(chunk.count, count - octets.count))
            guard got > 0 else { break }
            octets += chunk[..<got]
        }
        return octets
    }

    private func isReady(for event: Int32) -> Bool {
        var entry = pollfd(fd: self.descriptor.value, events: Int16(event), revents: 0)
        return poll(&entry, 1, 20_000) == 1 && Int32(entry.revents) & event != 0
    }

    /// Hangs up, as when a plug is pulled.
    func hangUp() {
        self.descriptor.update { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }
}

#endif
