// Timers on the clock of a world. Each SDK has its own protocol for a scheduler, since it depends on Core Bluetooth
// alone; its tests declare that this class conforms.

package import CoreBluetoothTesting

/// Runs work later, on a world's clock.
package final class WorldScheduler {
    /// Work that waits for its time.
    package final class Timer {
        fileprivate var isCancelled = false

        /// Cancels the work; has no effect after it ran.
        package func cancel() { self.isCancelled = true }
    }

    // The world has the work that is postponed, and that work in most cases has its scheduler.
    private weak var world: World?

    /// A scheduler on the clock of a world.
    package init(_ world: World) { self.world = world }

    /// Runs `work` after `seconds`, to the millisecond.
    package func postpone(_ work: @escaping () -> Void, by seconds: Double) -> Timer {
        let timer = Timer()
        self.world?.after(.milliseconds(Int(seconds * 1000))) { if !timer.isCancelled { work() } }
        return timer
    }
}
