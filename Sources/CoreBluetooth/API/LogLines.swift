// The module's log lines: about misuse of the API, and one line for each problem that a person has to fix. The wording
// about misuse is Apple's, since people search for it.

import Foundation
import Logging
import NIOConcurrencyHelpers

/// Lines on standard error, or in the program's log.
enum LogLines {
    /// Receives the lines instead of standard error, in tests.
    @TaskLocal static var listener: (@Sendable (String) -> Void)?

    /// Writes one line with Core Bluetooth's prefix, or to the program's log.
    static func log(_ text: @autoclosure () -> String, _ level: Logger.Level = .error) {
        let text = text()
        if let listener = self.listener { return listener("[CoreBluetooth] " + text) }
        let logger = Logger(label: "CoreBluetooth")
        // A program without a log of its own gets the line that people search for, without swift-log's columns.
        guard logger.handler is StreamLogHandler else { return logger.log(level: level, "\(text)") }
        self.write("[CoreBluetooth] " + text, to: STDERR_FILENO)
    }

    /// Writes a line to a file descriptor, and nothing to one that is closed or broken, at which Foundation's
    /// `FileHandle` would crash.
    static func write(_ line: String, to descriptor: CInt) {
        var octets = Array((line + "\n").utf8)[...]
        while !octets.isEmpty {
            let count = octets.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            octets = octets.dropFirst(count)
        }
    }
}

extension LogLines {
    /// Writes a line about misuse of the API.
    static func misuse(_ text: @autoclosure () -> String) { self.log("API MISUSE: \(text())") }

    /// A channel ended that the app has released.
    static func logUnknownChannel(_ peer: CBPeer, _ psm: CBL2CAPPSM) {
        self.log("No known channel matching peer \(peer) with psm \(psm)")
    }
}

/// Releases objects of a process that has ended, without lines about what it has not cancelled.
package func withoutLogLines<Result>(_ release: () throws -> Result) rethrows -> Result {
    try LogLines.$listener.withValue({ _ in }, operation: release)
}

/// Lines about problems outside the program, each logged once.
enum Notice {
    private static let said = NIOLockedValueBox<Set<String>>([])

    /// Writes a line, unless it was written before.
    static func once(_ text: String, _ level: Logger.Level = .error) {
        guard self.said.withLockedValue({ $0.count < 1000 && $0.insert(text).inserted }) else { return }
        LogLines.log(text, level)
    }
}

/// Ends the program for misuse that raises an exception on Apple's platforms.
func fatalMisuse(_ text: String) -> Never {
    fatalError("[CoreBluetooth] \(text)")
}

/// The address of an object as log lines show it.
func pointerText(_ object: AnyObject) -> String {
    "0x" + String(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()), radix: 16)
}
