// How many devices are remembered when devices are forgotten again and again, or move to another address; which
// addresses stay the same; and the form of identifiers.

import BluetoothTypes
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("The limit of identities")
struct IdentityLimitsTests {
    private func address(_ number: UInt64) -> DeviceAddress { DeviceAddress(0xC000_0000_0000 | number, kind: .random) }

    private let changing = DeviceAddress(0x4000_0000_0001, kind: .random)

    @Test("5.1 8192 devices are known in memory, and 2048 are stored")
    func numbers() {
        #expect(IdentityStore.capacity == 8_192)
        #expect(IdentityFile.capacity == 2_048)
    }

    @Test("5.1 after an eighth was forgotten there is place for as many, and one more makes the next eighth forgotten")
    func secondEighth() {
        let store = IdentityStore(randomness: .seeded(1))
        let identifiers = (0..<9_216 as Range<UInt64>).map { store.record(for: self.address($0)).identifier }
        func isKnown() -> [Bool] { identifiers.map { store.record(for: $0) != nil } }
        let first = isKnown()
        #expect(first.firstIndex(of: true) == 1_024 && first.count { $0 } == 8_192)
        _ = store.record(for: self.address(9_216))
        let second = isKnown()
        #expect(second.firstIndex(of: true) == 2_048 && second.count { $0 } == 7_168)
    }

    @Test("5.1 a device that has moved counts once")
    func movedCountsOnce() {
        let store = IdentityStore(randomness: .seeded(1))
        let moved = store.record(for: self.changing).identifier
        store.move(self.changing, to: self.address(0))
        let others = (1..<8_192 as Range<UInt64>).map { store.record(for: self.address($0)).identifier }
        #expect(store.record(for: moved)?.address == self.address(0))
        #expect(others.allSatisfy { store.record(for: $0) != nil })
        // Now there are as many as may be.
        _ = store.record(for: self.address(8_192))
        #expect(store.record(for: moved) == nil && others.count { store.record(for: $0) == nil } == 1_023)
    }

    @Test("5.1 a device that has moved is the last to be forgotten of those that were known then")
    func movedIsYoungest() {
        let store = IdentityStore(randomness: .seeded(1))
        let moved = store.record(for: self.changing).identifier
        let others = (1...1_024 as ClosedRange<UInt64>).map { store.record(for: self.address($0)).identifier }
        store.move(self.changing, to: self.address(0))
        for number in 1_025...8_192 as ClosedRange<UInt64> { _ = store.record(for: self.address(number)) }
        #expect(others.allSatisfy { store.record(for: $0) == nil })
        #expect(store.record(for: moved)?.address == self.address(0))
    }

    @Test("5.1 a device that was never met gets a record where it moves, and its first address is unknown")
    func moveOfUnknown() {
        let store = IdentityStore(randomness: .seeded(1))
        let record = store.move(self.changing, to: self.address(1))
        #expect(record.address == self.address(1) && record.name == nil && !record.isDeviceName)
        #expect(store.record(for: record.identifier) == record && store.record(for: self.address(1)) == record)
    }

    @Test(
        "A device can be known again by a public address and by a static one, and by no private one",
        arguments: [
            (0x0000_0000_0001, .public, true), (0x4000_0000_0001, .public, true), (0xC000_0000_0001, .random, true),
            (0x0000_0000_0001, .random, false), (0x4000_0000_0001, .random, false), (0x8000_0000_0001, .random, false),
            (0x4000_0000_0001, .publicIdentity, true), (0xC000_0000_0001, .randomIdentity, true),
            (0x4000_0000_0001, .randomIdentity, false),
        ] as [(UInt64, DeviceAddress.Kind, Bool)]
    )
    func worthKeeping(value: UInt64, kind: DeviceAddress.Kind, isWorthKeeping: Bool) {
        #expect(DeviceAddress(value, kind: kind).isWorthKeeping == isWorthKeeping)
    }

    @Test(
        "A random UUID has the bits it is given, the most significant first, but for its version and its variant",
        arguments: [
            (0, 0, "00000000-0000-4000-8000-000000000000"), (.max, .max, "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF"),
            (0x0123_4567_89AB_CDEF, 0x0123_4567_89AB_CDEF, "01234567-89AB-4DEF-8123-456789ABCDEF"),
        ] as [(UInt64, UInt64, String)]
    )
    func identifier(high: UInt64, low: UInt64, text: String) {
        #expect(UUID(random: high, low).uuidString == text)
    }
}
