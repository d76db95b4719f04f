import Testbed
import Testing

@testable import CoreBluetooth

@Suite("5.3 13.1 The objects of a central manager")
struct CentralContextTests {
    private let testbed = Testbed()

    /// The objects of a manager without a session, on their own adapter.
    private func context() -> CentralContext {
        let commands = Mailbox<CentralCommand> { _ in }
        let endpoint = BluetoothAdapter.ManagerEndpoint(commands: commands, wakeQueue: {}, begin: {})
        return CentralContext(adapter: self.testbed.adapter(), lock: ObjectLock(), endpoint: endpoint)
    }

    @Test("gives a device one object while it lives, and another one after objects were forgotten")
    func forgotten() throws {
        let context = self.context()
        let peer = PeerDescription.numbered(1)
        var old: CBPeripheral? = context.peripheral(for: peer)
        let token = try #require(old?.token)
        #expect(context.peripheral(for: peer).token == token)
        context.forgetObjects()
        let new = context.peripheral(for: peer)
        #expect(new.token != token && context.livePeripherals.count == 2)
        old = nil
        #expect(context.peripheral(token) == nil && old == nil)
        #expect(context.peripheral(for: peer) === new && context.livePeripherals == [new])
        let other = context.peripheral(for: .numbered(2))
        #expect(other.token == PeripheralToken(index: token.index, generation: token.generation + 1))
        #expect(context.peripheral(token) == nil && context.peripheral(other.token) === other)
    }

    @Test("gives each freed place once, also to a restored object", arguments: 0...2)
    func freed(place: Int) {
        let context = self.context()
        var gone = (1...3).map { context.peripheral(for: .numbered($0)) }
        while !gone.isEmpty { gone.removeFirst() }
        #expect(context.livePeripherals.isEmpty)
        let token = PeripheralToken(index: Int32(place), generation: 9)
        let restored = context.peripheral(for: .numbered(4), token: token)
        #expect(restored.token == token)
        let others = (5...7).map { context.peripheral(for: .numbered($0)) }
        #expect(Set(others.map(\.token.index)) == Set([0, 1, 2, 3]).subtracting([Int32(place)]))
        #expect(context.peripheral(token) === restored)
        #expect(context.livePeripherals.count == 4)
    }

    @Test("places new objects behind reserved places, and a restored one in its own")
    func behind() {
        let context = self.context()
        context.reserve(places: 3)
        let token = PeripheralToken(index: 1, generation: 4)
        var restored: CBPeripheral? = context.peripheral(for: .numbered(1), token: token)
        let other = context.peripheral(for: .numbered(2))
        #expect(restored?.token == token && other.token == PeripheralToken(index: 3, generation: 0))
        for index in [0, 2] as [Int32] {
            #expect(context.peripheral(PeripheralToken(index: index, generation: 0)) == nil)
        }
        restored = nil
        let next = context.peripheral(for: .numbered(3))
        #expect(next.token == PeripheralToken(index: 1, generation: 5) && restored == nil)
        #expect(context.peripheral(for: .numbered(4)).token == PeripheralToken(index: 4, generation: 0))
        #expect(context.peripheral(token) == nil && context.peripheral(next.token) === next)
    }

    @Test("reserves no places that exist already")
    func fewer() {
        let context = self.context()
        let first = context.peripheral(for: .numbered(1))
        context.reserve(places: 1)
        context.reserve(places: 0)
        let second = context.peripheral(for: .numbered(2))
        #expect(first.token.index == 0 && second.token.index == 1)
        #expect(context.livePeripherals == [first, second])
    }
}
