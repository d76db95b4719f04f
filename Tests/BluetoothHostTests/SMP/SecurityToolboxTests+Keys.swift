// Key pairs of P-256 (Vol 3, Part H, 2.3.5.6.1).

import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Key pairs")
struct KeyPairTests {
    /// Returns numbers that are not private keys, and then those of a seed.
    private struct LateGenerator: RandomNumberGenerator {
        /// A private key is made of four numbers.
        var uselessNumbers: Int
        private var rest = SeededGenerator(seed: 3)

        init(uselessKeys: Int) { self.uselessNumbers = uselessKeys * 4 }

        mutating func next() -> UInt64 {
            guard self.uselessNumbers > 0 else { return self.rest.next() }
            self.uselessNumbers -= 1
            return .max
        }
    }

    @Test("skips up to seven numbers that are not private keys", arguments: [0, 1, 7])
    func passedOver(count: Int) {
        var (late, seeded) = (LateGenerator(uselessKeys: count), SeededGenerator(seed: 3))
        #expect(KeyPair(using: &late).publicKey == KeyPair(using: &seeded).publicKey)
    }

    @Test("does not loop forever with a useless generator, and creates another key")
    func givenUp() {
        var (late, seeded) = (LateGenerator(uselessKeys: 8), SeededGenerator(seed: 3))
        #expect(KeyPair(using: &late).publicKey != KeyPair(using: &seeded).publicKey)
        // It has returned no number of the seed yet.
        var fresh = SeededGenerator(seed: 3)
        let (next, first) = (late.next(), fresh.next())
        #expect(next == first)
    }

    @Test("computes the public keys and the DHKey of the sample data, and recognizes the debug key")
    func sampleData() throws {
        let a = try #require(KeyPair(privateKey: SampleData.privateA))
        let b = try #require(KeyPair(privateKey: SampleData.privateB))
        #expect(a.publicKey == SampleData.publicA && b.publicKey == SampleData.publicB)
        #expect(a.dhKey(with: b.publicKey) == SampleData.dhKey && b.dhKey(with: a.publicKey) == SampleData.dhKey)
        #expect(a.publicKey.isDebugKey && !b.publicKey.isDebugKey)
    }

    @Test("rejects numbers that are not private keys and points that are not on the curve")
    func invalidKeys() throws {
        let all = Octets32(high: Octets16(high: .max, low: .max), low: Octets16(high: .max, low: .max))
        #expect(KeyPair(privateKey: .zero) == nil && KeyPair(privateKey: all) == nil)
        let own = try #require(KeyPair(privateKey: SampleData.privateB))
        let x = SampleData.publicA.x
        for key in [
            PublicKey(x: .zero, y: .zero), PublicKey(x: x, y: .zero), PublicKey(x: x, y: x),
            PublicKey(x: all, y: all), PublicKey(x: .zero, y: SampleData.publicA.y),
        ] {
            #expect(own.dhKey(with: key) == nil)
        }
    }
}
