// The replacement of the own private address, and the valid address meanwhile.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Private address")
struct PrivateAddressTests {
    private let key = Octets16(high: 1, low: 2)
    private let configuration = PrivacyConfiguration()

    private static func time(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    /// The address to set at a time.
    private func next(
        _ address: inout PrivateAddress,
        at seconds: Int64,
        _ configuration: PrivacyConfiguration? = nil,
        seed: UInt64 = 1
    ) -> DeviceAddress? {
        var generator = SeededGenerator(seed: seed)
        return address.next(
            configuration ?? self.configuration,
            key: self.key,
            now: Self.time(seconds),
            using: &generator
        )
    }

    @Test(
        "generates the first address immediately, uses it once the controller has accepted it, and replaces it in time"
    )
    func time() throws {
        var address = PrivateAddress()
        #expect(address.isDue(self.configuration, now: Self.time(0)))
        let made = try #require(self.next(&address, at: 0))
        #expect(ResolvablePrivateAddress.matches(made, self.key))
        #expect(address.address == nil && address.deadline == nil)
        #expect(self.next(&address, at: 0) == nil, "a command is pending")
        address.completed(.success, self.configuration, now: Self.time(1))
        #expect(address.address == made)
        #expect(address.deadline == Self.time(901))
        #expect(self.next(&address, at: 900, seed: 2) == nil)
        let second = try #require(self.next(&address, at: 901, seed: 2))
        #expect(second != made && address.address == made, "the old one is valid until the answer")
        address.completed(.success, self.configuration, now: Self.time(900))
        #expect(address.address == second)
    }

    @Test("replaces an address after a number of links, if one is configured", arguments: [nil, 0, 1, 3])
    func count(_ limit: Int?) throws {
        let configuration = PrivacyConfiguration(connectionsPerAddress: limit)
        var address = PrivateAddress()
        _ = self.next(&address, at: 0, configuration)
        address.completed(.success, configuration, now: Self.time(0))
        for link in 1...4 {
            let isDue = limit.map { link > max($0, 1) } ?? false
            #expect(address.isDue(configuration, now: Self.time(1)) == isDue)
            address.countLink()
        }
    }

    @Test("keeps the old address after a refusal, and tries again when its time is over")
    func refused() throws {
        var address = PrivateAddress()
        let first = try #require(self.next(&address, at: 0))
        address.completed(.success, self.configuration, now: Self.time(0))
        _ = self.next(&address, at: 900, seed: 2)
        address.completed(.commandDisallowed, self.configuration, now: Self.time(900))
        #expect(address.address == first && address.deadline == Self.time(1800))
        #expect(!address.isDue(self.configuration, now: Self.time(1799)))
        #expect(self.next(&address, at: 1800, seed: 3) != nil)
    }

    @Test("starts again with another key")
    func otherKey() {
        var address = PrivateAddress()
        _ = self.next(&address, at: 0)
        address.reset()
        address.completed(.success, self.configuration, now: Self.time(0))
        #expect(address.address == nil, "the answer is to the command of the old key")
        #expect(address.isDue(self.configuration, now: Self.time(0)))
    }
}
