// Resolvable private addresses: the bits of what is made, and what they resolve with (Vol 6, Part B, 1.3.2.2).

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

    @Test("The address of the specification's sample data resolves with its key and with no other")
    func sample() {
        let address = DeviceAddress(0x7081_940D_FBAA, kind: .random)
        #expect(ResolvablePrivateAddress.matches(address, self.key))
        #expect(!ResolvablePrivateAddress.matches(address, Octets16(high: self.key.high, low: self.key.low ^ 1)))
        #expect(!ResolvablePrivateAddress.matches(DeviceAddress(address.value ^ 1, kind: .random), self.key))
        #expect(!ResolvablePrivateAddress.matches(DeviceAddress(address.value, kind: .public), self.key))
    }

    @Test("Addresses that are made begin with 01, differ, and resolve with their key")
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

    @Test("The random part is never all zeros or all ones", arguments: [0, UInt64.max])
    func randomPart(_ number: UInt64) {
        var generator = Constant(value: number)
        let address = ResolvablePrivateAddress.make(self.key, using: &generator)
        let random = address.value >> 24 & 0x3F_FFFF
        #expect(random != 0 && random != 0x3F_FFFF)
        #expect(address.randomKind == .resolvablePrivate)
    }

    @Test("A key of zero stands for none: nothing resolves with it")
    func noKey() {
        var generator = SeededGenerator(seed: 3)
        let address = ResolvablePrivateAddress.make(.zero, using: &generator)
        #expect(!ResolvablePrivateAddress.matches(address, .zero))
    }
}
