// How many signals a process has got, for tests that are processes of their own.

import Foundation

// A signal handler captures nothing. It runs on any thread, in a process of one test, which only reads the count.
private nonisolated(unsafe) var count = 0

/// How many of the signals have come that are counted.
package var signalCount: Int { count }

/// Counts the signals that it is the handler of.
package func countSignal(_ number: CInt) { count += 1 }
