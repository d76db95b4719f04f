// The places of a central manager's table that the manager before it had: no new object gets one of them.

import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 The places of objects of an earlier manager")
struct ReservedPlacesTests {
    private let testbed = Testbed()

    @Test("There is no object in a place that the table does not have")
    func beyond() {
        let context = CentralContext.withoutSession(in: self.testbed)
        #expect(context.peripheral(PeripheralToken(index: 0, generation: 0)) == nil)
        let object = context.peripheral(for: .numbered(1))
        #expect(context.peripheral(object.token) === object)
        #expect(context.peripheral(PeripheralToken(index: 1, generation: 0)) == nil)
        #expect(context.peripheral(PeripheralToken(index: 7, generation: 0)) == nil)
    }

    @Test("New objects stand behind the places that are reserved, and a restored one in its own")
    func behind() {
        let context = CentralContext.withoutSession(in: self.testbed)
        context.reserve(places: 3)
        let token = PeripheralToken(index: 1, generation: 4)
        var restored: CBPeripheral? = context.peripheral(for: .numbered(1), token: token)
        let other = context.peripheral(for: .numbered(2))
        #expect(restored?.token == token && other.token == PeripheralToken(index: 3, generation: 0))
        for index in [0, 2] as [Int32] {
            #expect(context.peripheral(PeripheralToken(index: index, generation: 0)) == nil)
        }
        // The place of an object that is gone is used again, under another token.
        restored = nil
        let next = context.peripheral(for: .numbered(3))
        #expect(next.token == PeripheralToken(index: 1, generation: 5) && restored == nil)
        #expect(context.peripheral(for: .numbered(4)).token == PeripheralToken(index: 4, generation: 0))
        #expect(context.peripheral(token) == nil && context.peripheral(next.token) === next)
    }

    @Test("Places behind which there are others already are not reserved once more")
    func fewer() {
        let context = CentralContext.withoutSession(in: self.testbed)
        let first = context.peripheral(for: .numbered(1))
        context.reserve(places: 1)
        context.reserve(places: 0)
        let second = context.peripheral(for: .numbered(2))
        #expect(first.token.index == 0 && second.token.index == 1)
        #expect(context.livePeripherals == [first, second])
    }
}
