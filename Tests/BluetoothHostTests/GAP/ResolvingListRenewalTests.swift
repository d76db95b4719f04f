// When the controller's resolving list has something to do, and what becomes of it where new addresses are asked for
// while a command is on its way.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Resolving list: renewal")
struct ResolvingListRenewalTests {
    private static let entries = (1...2 as ClosedRange<UInt64>).map { number in
        ResolvingList.Entry(
            peer: DeviceAddress(0xC000_0000_0000 | number, kind: .random),
            peerKey: Octets16(high: 1, low: number),
            localKey: Octets16(high: 2, low: 2),
            mode: .device
        )
    }

    private func list() -> ResolvingList {
        var list = ResolvingList()
        list.capacity = 8
        return list
    }

    @Test("A renewal is due as soon as it is asked for, where the list has an entry of a device that hides")
    func due() {
        var list = self.list()
        list.want(Self.entries, timeout: nil)
        #expect(list.isDue)
        list.renewAddresses()
        #expect(list.next() == .clear)
        list.completed(.success)
        list.renewAddresses()
        #expect(list.next() == .add(Self.entries[0]), "a list without entries has no addresses")
        list.completed(.success)
        while list.next() != nil { list.completed(.success) }
        #expect(!list.isDue && list.isResolving)
        list.renewAddresses()
        #expect(list.isDue && list.isResolving)
        #expect(!list.resolves(Self.entries[0].peer), "what the list has is unknown from now on")
    }

    @Test("A renewal that is asked for while a command is on its way begins with the answer to that")
    func whilePerforming() {
        var list = self.list()
        list.want(Self.entries, timeout: nil)
        #expect(list.next() == .clear)
        list.completed(.success)
        #expect(list.next() == .add(Self.entries[0]))
        list.completed(.success)
        #expect(list.next() == .setMode(Self.entries[0].peer, .device))
        list.renewAddresses()
        #expect(list.isDue)
        #expect(list.next() == nil)
        list.completed(.success)
        #expect(list.next() == .clear)
        list.completed(.success)
        #expect(list.next() == .add(Self.entries[0]))
        list.completed(.success)
        #expect(list.next() == .setMode(Self.entries[0].peer, .device))
        list.completed(.success)
        #expect(list.next() == .add(Self.entries[1]))
    }
}
