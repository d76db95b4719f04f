// The time of a whole process as the time of a world.

public import CoreBluetoothTesting

extension WorldTime {
    /// The world controls the clocks, timers, sleeps, time limits and random numbers of the whole process.
    ///
    /// Such a world starts at 2025-01-01 00:00:00 UTC and lasts at most 30 days. Only one can exist at a time, and no
    /// other test may run concurrently: `withProcessTime` gives the test a process of its own, as does an exit test of
    /// Swift Testing; or run the tests with `swift test --no-parallel`.
    ///
    /// Available on Linux with glibc and Swift's runtime as shared libraries.
    public static var process: WorldTime { WorldTime { seed in try HeldClock(seed: seed) } }
}
