// What the module logs: Core Bluetooth's lines about wrong use, and one line for what a person has to mend. The checks
// stand where the API is called. The words about wrong use are Apple's, since people search for them.

import Foundation
import Logging
import NIOConcurrencyHelpers

/// Lines on standard error, or in the log that the program has set up.
enum LogLines {
    /// Takes the lines in place of standard error, in tests.
    @TaskLocal static var listener: (@Sendable (String) -> Void)?

    /// Writes one line: with Core Bluetooth's prefix, or where the program has its log.
    static func log(_ text: @autoclosure () -> String, _ level: Logger.Level = .error) {
        let text = text()
        if let listener = self.listener { return listener("[CoreBluetooth] " + text) }
        let logger = Logger(label: "CoreBluetooth")
        // A program that has set up no log gets the line that people search for, and not the columns of swift-log.
        guard logger.handler is StreamLogHandler else { return logger.log(level: level, "\(text)") }
        self.write("[CoreBluetooth] " + text, to: STDERR_FILENO)
    }

    /// Writes a line to a file descriptor; one that is closed or broken gets nothing. Foundation's `FileHandle` would
    /// end the program there.
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
    /// Writes the line about a wrong use of the API.
    static func misuse(_ text: @autoclosure () -> String) { self.log("API MISUSE: \(text())") }

    /// A channel ended that the app has released.
    static func logUnknownChannel(_ peer: CBPeer, _ psm: CBL2CAPPSM) {
        self.log("No known channel matching peer \(peer) with psm \(psm)")
    }
}

/// Releases objects of a process that has ended: no line says what it has not cancelled.
package func withoutLogLines<Result>(_ release: () throws -> Result) rethrows -> Result {
    try LogLines.$listener.withValue({ _ in }, operation: release)
}

/// Lines about what is wrong outside of the program: each is logged once.
enum Notice {
    private static let said = NIOLockedValueBox<Set<String>>([])

    /// Writes a line, unless it was written before.
    static func once(_ text: String, _ level: Logger.Level = .error) {
        guard self.said.withLockedValue({ $0.count < 1000 && $0.insert(text).inserted }) else { return }
        LogLines.log(text, level)
    }
}

/// Ends the program for a mistake that Apple answers with an exception, which Swift does not have on Linux.
func fatalMisuse(_ text: String) -> Never {
    fatalError("[CoreBluetooth] \(text)")
}

/// The address of an object as log lines show it.
func pointerText(_ object: AnyObject) -> String {
    "0x" + String(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()), radix: 16)
}
