// Key pairs of P-256 from a generator (Vol 3, Part H, 2.3.5.6.1), also from one that gives numbers which are no private
// keys.

import BluetoothTypes
import Testing

@testable import BluetoothHost

/// Gives numbers of which no private key can be made, and then those of a seed.
private struct LateGenerator: RandomNumberGenerator {
    /// How many private keys are too large.
    var uselessKeys: Int
    private var count = 0
    private var rest = SeededGenerator(seed: 3)

    init(uselessKeys: Int) { self.uselessKeys = uselessKeys }

    mutating func next() -> UInt64 {
        // A private key is made of four numbers.
        guard self.count < self.uselessKeys * 4 else { return self.rest.next() }
        self.count += 1
        return .max
    }
}

@Suite("Key pairs")
struct KeyPairTests {
    @Test("Seven numbers that are no private keys are passed over", arguments: [0, 1, 7])
    func passedOver(count: Int) {
        var (late, seeded) = (LateGenerator(uselessKeys: count), SeededGenerator(seed: 3))
        #expect(KeyPair(using: &late).publicKey == KeyPair(using: &seeded).publicKey)
    }

    @Test("After eight numbers that are no private keys the generator is not asked again")
    func givenUp() {
        var (late, seeded) = (LateGenerator(uselessKeys: 8), SeededGenerator(seed: 3))
        #expect(KeyPair(using: &late).publicKey != KeyPair(using: &seeded).publicKey)
        // It has given nothing of the seed yet.
        var fresh = SeededGenerator(seed: 3)
        let (next, first) = (late.next(), fresh.next())
        #expect(next == first)
    }

    @Test("Two pairs have one Diffie-Hellman key, whichever side computes it")
    func commonKey() {
        var generator = SeededGenerator(seed: 4)
        let (first, second) = (KeyPair(using: &generator), KeyPair(using: &generator))
        #expect(first.publicKey != second.publicKey)
        #expect(first.dhKey(with: second.publicKey) != nil)
        #expect(first.dhKey(with: second.publicKey) == second.dhKey(with: first.publicKey))
    }
}
