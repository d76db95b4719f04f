// The devices of a private air: what their addresses follow from.

import BluetoothAir
import BluetoothHost
import BluetoothTypes
import Testing

@testable import CoreBluetooth

/// On threads of their own, so off the record.
@Suite("Private airs", .timeLimit(.minutes(1)))
struct PrivateAirTests {
    /// The address that an adapter's host is given.
    private func address(_ adapter: BluetoothAdapter) async -> DeviceAddress? {
        await withCheckedContinuation { continuation in
            adapter.withCore { core in continuation.resume(returning: core?.host.configuration.address) }
        }
    }

    /// The addresses of some adapters without an identity on an air.
    private func addresses(_ air: PrivateAir, _ count: Int = 3) async -> [DeviceAddress?] {
        var found: [DeviceAddress?] = []
        for _ in 0..<count {
            let adapter = air.makeAdapter()
            found.append(await self.address(adapter))
        }
        return found
    }

    @Test("equal seeds give equal addresses, others give others, and each device has one of its own")
    func seeds() async {
        let first = await self.addresses(PrivateAir(seed: 7))
        let again = await self.addresses(PrivateAir(seed: 7))
        let other = await self.addresses(PrivateAir(seed: 8))
        #expect(first == again && first != other)
        #expect(Set(first + other).count == 6)
        #expect((first + other).allSatisfy { $0?.randomKind == .static })
        let byDefault = await self.addresses(PrivateAir())
        let one = await self.addresses(PrivateAir(seed: 1))
        #expect(byDefault == one)
    }

    @Test("a device with an identity has its address, and takes none of the air's")
    func identities() async {
        let configuration = BluetoothAdapter.Configuration(identity: "Crystal")
        let air = PrivateAir(seed: 7)
        let named = air.makeAdapter(configuration: configuration)
        let address = await self.address(named)
        #expect(address == configuration.addressOnAir)
        let others = await self.addresses(air)
        let expected = await self.addresses(PrivateAir(seed: 7))
        #expect(others == expected && !others.contains(address))
        #expect(named.usesQueues)
    }
}
