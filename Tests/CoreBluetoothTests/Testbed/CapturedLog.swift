// The lines of Core Bluetooth on standard error, kept for a test instead of being written.

import NIOConcurrencyHelpers

@testable import CoreBluetooth

/// The lines that the module writes on standard error, kept for a test.
final class CapturedLog: Sendable {
    private let lines = NIOLockedValueBox<[String]>([])

    var all: [String] { self.lines.withLockedValue { $0 } }

    /// Runs `body` and keeps the lines that are written during it.
    func capture<Result>(_ body: () throws -> Result) rethrows -> Result {
        try LogLines.$listener.withValue({ line in self.lines.withLockedValue { $0.append(line) } }, operation: body)
    }
}

/// The lines that the module writes on standard error during `body`.
func logLines(of body: () throws -> Void) rethrows -> [String] {
    let log = CapturedLog()
    try log.capture(body)
    return log.all
}
