// The main thread of a process whose clocks are a world's: sessions live there, while time passes on another thread.

package import CoreBluetoothTesting
import Dispatch

extension World {
    /// Does something on the main thread when so much of the world's time has passed.
    package func onMain(after delay: Duration, _ body: @escaping @MainActor () -> Void) {
        after(delay) { DispatchQueue.main.async { MainActor.assumeIsolated(body) } }
    }

    /// What the time is, in whole milliseconds.
    package var milliseconds: Int64 {
        now.components.seconds * 1000 + now.components.attoseconds / 1_000_000_000_000_000
    }
}
