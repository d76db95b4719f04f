// The random numbers of a host: one source for keys, nonces, passkeys and private addresses, so that a run with a seed
// repeats.

import BluetoothTypes

/// The source of a host's random numbers.
final class HostGenerator: RandomNumberGenerator {
    private var source: any RandomNumberGenerator

    /// Creates a generator with a seed; `nil` for the system's generator.
    init(seed: UInt64?) {
        self.source = seed.map { SeededGenerator(seed: $0) } ?? SystemRandomNumberGenerator()
    }

    func next() -> UInt64 { self.source.next() }
}
