// The places of objects that are gone, some of which restored objects get: no place is given twice, and none is lost.

import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("5.3 The places of objects that are gone")
struct FreedPlacesTests {
    private let testbed = Testbed()

    @Test("A free place that a restored object gets is free no longer, and the other free ones are", arguments: 0...2)
    func restored(place: Int) {
        let context = CentralContext.withoutSession(in: self.testbed)
        var gone = (1...3).map { context.peripheral(for: .numbered($0)) }
        while !gone.isEmpty { gone.removeFirst() }
        #expect(context.livePeripherals.isEmpty)
        let token = PeripheralToken(index: Int32(place), generation: 9)
        let restored = context.peripheral(for: .numbered(4), token: token)
        #expect(restored.token == token)
        // The two that are left, then a new one.
        let others = (5...7).map { context.peripheral(for: .numbered($0)) }
        #expect(Set(others.map(\.token.index)) == Set([0, 1, 2, 3]).subtracting([Int32(place)]))
        #expect(context.peripheral(token) === restored)
        #expect(context.livePeripherals.count == 4)
    }
}
