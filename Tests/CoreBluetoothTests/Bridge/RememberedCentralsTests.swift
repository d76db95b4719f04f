// The centrals that an app may still hold, more of them than are looked through at a time: those that it holds stay the
// same objects, and those that are gone take a bounded space.

import BluetoothHost
import BluetoothTypes
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("10 Centrals that come again")
struct RememberedCentralsTests {
    private func peer(_ number: Int) -> PeerDescription {
        PeerDescription(
            identifier: UUID(random: UInt64(number), 1),
            address: DeviceAddress(UInt64(number), kind: .public)
        )
    }

    private func link(_ number: Int) -> LinkID { LinkID(rawValue: UInt32(number)) }

    /// How many centrals are remembered, those that are gone among them.
    private func count(_ known: KnownCentrals) -> Int? {
        Mirror(reflecting: known).descendant("remembered").map { Mirror(reflecting: $0).children.count }
    }

    @Test("10.4 centrals that the app holds are the same objects when they come again, however many there are")
    func held() {
        var known = KnownCentrals()
        let held = (0..<300).map { known.insert(self.link($0), self.peer($0)) }
        for number in 0..<300 { #expect(known.remove(self.link(number)) === held[number]) }
        for number in 0..<300 {
            #expect(known.insert(self.link(1_000 + number), self.peer(number)) === held[number], "\(number)")
        }
    }

    @Test("10.4 at most 257 centrals are remembered that are gone; with the next one they are forgotten")
    func gone() throws {
        var known = KnownCentrals()
        var counts: [Int] = []
        for number in 0..<600 {
            _ = known.insert(self.link(number), self.peer(number))
            _ = known.remove(self.link(number))
            counts.append(try #require(self.count(known)))
        }
        #expect(Array(counts.prefix(257)) == Array(1...257))
        #expect(counts[257] == 1 && counts.max() == 257)
    }

    @Test("10.4 a central that is held among many that are gone stays the same object")
    func heldAmongGone() {
        var known = KnownCentrals()
        let held = known.insert(self.link(0), self.peer(0))
        _ = known.remove(self.link(0))
        for number in 1...600 {
            _ = known.insert(self.link(number), self.peer(number))
            _ = known.remove(self.link(number))
        }
        #expect(known.insert(self.link(1_000), self.peer(0)) === held)
    }
}
