// Where a host's numbers come from that nobody may guess: one source for keys, nonces, passkeys and private addresses,
// so that a run with a seed repeats.

import BluetoothTypes

/// The source of a host's random numbers.
final class HostGenerator: RandomNumberGenerator {
    private var source: any RandomNumberGenerator

    /// Numbers that follow from a seed; from the system where that is `nil`.
    init(seed: UInt64?) {
        self.source = seed.map { SeededGenerator(seed: $0) } ?? SystemRandomNumberGenerator()
    }

    func next() -> UInt64 { self.source.next() }
}
