// Checks of this package's programs.

import Foundation

/// Ends the program with a line if a case does not do what it is meant to measure.
package func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    guard !condition else { return }
    let program = CommandLine.arguments[0].split(separator: "/").last ?? ""
    FileHandle.standardError.write(Data("\(program): \(message())\n".utf8))
    exit(1)
}
