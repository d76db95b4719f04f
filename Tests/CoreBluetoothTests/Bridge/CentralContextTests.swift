// The table of the objects that are alive, without a session behind it.

import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("5.3 The objects of a central manager")
struct CentralContextTests {
    private let testbed = Testbed()

    @Test("The place of a restored peripheral is given to no other one while it lives")
    func restored() {
        let context = CentralContext.withoutSession(in: self.testbed)
        let token = PeripheralToken(index: 2, generation: 5)
        let restored = context.peripheral(for: .numbered(1), token: token)
        let others = (2...4).map { context.peripheral(for: .numbered($0)) }
        #expect(context.peripheral(token) === restored)
        #expect(Set(others.map(\.token)).count == 3)
        #expect(!others.contains { $0.token.index == token.index })
        #expect(Set(context.livePeripherals) == Set(others + [restored]))
    }

    @Test("A device has one object while it lives, and another one after the objects were forgotten")
    func forgotten() throws {
        let context = CentralContext.withoutSession(in: self.testbed)
        let peer = PeerDescription.numbered(1)
        var old: CBPeripheral? = context.peripheral(for: peer)
        let token = try #require(old?.token)
        #expect(context.peripheral(for: peer).token == token)
        context.forgetObjects()
        let new = context.peripheral(for: peer)
        #expect(new.token != token && context.livePeripherals.count == 2)
        // The end of the first one changes nothing for the second, and its place is taken under another token.
        old = nil
        #expect(context.peripheral(token) == nil && old == nil)
        #expect(context.peripheral(for: peer) === new && context.livePeripherals == [new])
        let other = context.peripheral(for: .numbered(2))
        #expect(other.token == PeripheralToken(index: token.index, generation: token.generation + 1))
        #expect(context.peripheral(token) == nil && context.peripheral(other.token) === other)
    }
}
