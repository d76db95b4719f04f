// Resolvable private addresses: their bits, and the keys that they resolve with (Vol 6, Part B, 1.3.2.2).

import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Resolvable private address")
struct ResolvablePrivateAddressTests {
    /// Always the same number.
    private struct Constant: RandomNumberGenerator {
        let value: UInt64
        mutating func next() -> UInt64 { self.value }
    }

    /// The key of the specification's sample data (Vol 3, Part H, D.7).
    private let key = Octets16(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)

    @Test("resolves the specification's sample data only with its key")
    func sample() {
        let address = DeviceAddress(0x7081_940D_FBAA, kind: .random)
        #expect(ResolvablePrivateAddress.matches(address, self.key))
        #expect(!ResolvablePrivateAddress.matches(address, Octets16(high: self.key.high, low: self.key.low ^ 1)))
        for bit in 0..<48 {
            let other = DeviceAddress(address.value ^ 1 << UInt64(bit), kind: .random)
            #expect(!ResolvablePrivateAddress.matches(other, self.key))
        }
        #expect(!ResolvablePrivateAddress.matches(DeviceAddress(address.value, kind: .public), self.key))
    }

    @Test("generates different addresses that begin with 01 and resolve with their key")
    func bits() {
        var generator = SeededGenerator(seed: 3)
        var seen: Set<DeviceAddress> = []
        for _ in 0..<1000 {
            let address = ResolvablePrivateAddress.make(self.key, using: &generator)
            #expect(address.kind == .random && address.value >> 46 == 0b01)
            #expect(ResolvablePrivateAddress.matches(address, self.key))
            seen.insert(address)
        }
        #expect(seen.count > 990)
    }

    @Test(
        "generates no random part of all zeros or all ones",
        arguments: [0, 0x3F_FFFF, 0x40_0000, 0x7F_FFFF, UInt64.max]
    )
    func randomPart(_ number: UInt64) {
        var generator = Constant(value: number)
        let address = ResolvablePrivateAddress.make(self.key, using: &generator)
        let random = address.value >> 24 & 0x3F_FFFF
        #expect(random != 0 && random != 0x3F_FFFF)
        #expect(address.randomKind == .resolvablePrivate)
    }

    @Test("resolves nothing with a key of zero, which stands for none")
    func noKey() {
        var generator = SeededGenerator(seed: 3)
        let address = ResolvablePrivateAddress.make(.zero, using: &generator)
        #expect(!ResolvablePrivateAddress.matches(address, .zero))
    }
}
