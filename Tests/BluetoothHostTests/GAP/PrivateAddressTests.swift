// When the own private address is replaced, and which one counts meanwhile.

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

    /// The address that is to be set at a time.
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

    @Test("The first address is due at once, and in use when the controller has taken it")
    func first() throws {
        var address = PrivateAddress()
        #expect(address.isDue(self.configuration, now: Self.time(0)))
        let made = try #require(self.next(&address, at: 0))
        #expect(ResolvablePrivateAddress.matches(made, self.key))
        #expect(address.address == nil && address.deadline == nil)
        #expect(self.next(&address, at: 0) == nil, "a command is on its way")
        address.completed(.success, self.configuration, now: Self.time(1))
        #expect(address.address == made)
        #expect(address.deadline == Self.time(901))
        #expect(!address.isDue(self.configuration, now: Self.time(900)))
    }

    @Test("An address is replaced when its time is over; until the controller answers the old one counts")
    func time() throws {
        var address = PrivateAddress()
        let first = try #require(self.next(&address, at: 0))
        address.completed(.success, self.configuration, now: Self.time(0))
        #expect(self.next(&address, at: 899, seed: 2) == nil)
        let second = try #require(self.next(&address, at: 900, seed: 2))
        #expect(second != first && address.address == first)
        address.completed(.success, self.configuration, now: Self.time(900))
        #expect(address.address == second)
    }

    @Test("An address is replaced after a number of links, where one is given", arguments: [nil, 0, 1, 3])
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

    @Test("A controller that refuses keeps the old address, and is asked again when that would be replaced")
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

    @Test("An interval that was refused the first address leaves none")
    func neverSet() {
        var address = PrivateAddress()
        _ = self.next(&address, at: 0)
        address.completed(.unknownCommand, self.configuration, now: Self.time(0))
        #expect(address.address == nil)
        #expect(!address.isDue(self.configuration, now: Self.time(1)))
    }

    @Test("With another key everything begins anew")
    func otherKey() {
        var address = PrivateAddress()
        _ = self.next(&address, at: 0)
        address.reset()
        address.completed(.success, self.configuration, now: Self.time(0))
        #expect(address.address == nil, "the answer is to the command of the old key")
        #expect(address.isDue(self.configuration, now: Self.time(0)))
    }
}
