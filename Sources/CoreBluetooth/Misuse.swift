// What Core Bluetooth says when it is used wrongly: a line on standard error for what it ignores, and the end of the
// program for what Apple answers with an exception. The words are Apple's, since people search for them.

import Foundation
import NIOConcurrencyHelpers

/// Where the lines about misuse go.
enum Misuse {
    /// Takes the lines in place of standard error, in tests.
    @TaskLocal static var listener: (@Sendable (String) -> Void)?

    /// Writes one line with Core Bluetooth's prefix.
    static func log(_ text: String) {
        let line = "[CoreBluetooth] " + text
        if let listener = self.listener { return listener(line) }
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}

/// Ends the program for a mistake that Apple answers with an exception.
func fatalMisuse(_ text: String) -> Never {
    fatalError("[CoreBluetooth] \(text)")
}

/// The address of an object as log lines show it.
func pointerText(_ object: AnyObject) -> String {
    "0x" + String(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()), radix: 16)
}
