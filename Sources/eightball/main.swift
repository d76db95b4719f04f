// The Magic 8-Ball on the command line. Parses, runs, and turns what was thrown into the exit statuses of the contract:
// 0 success, 1 failure with one line on standard error, 2 wrong usage, 130 after an interrupt.

import ArgumentParser
import Foundation

do {
    var command = try EightBall.parseAsRoot()
    try command.run()
} catch {
    Ending.end(with: error)
}
