// Two hosts on one air in virtual time: everything that goes into a channel comes out of it, whatever the air loses.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("Credit-based channels on the air")
struct ChannelsOnAirTests {
    @Test("COS: a long stream in both directions at once, with loss", arguments: [0, 0.1])
    func bothWays(loss: Double) throws {
        let pair = try ChannelsOnAir(loss: loss)
        #if DEBUG
        let total = 2 * 1024 * 1024
        #else
        let total = 64 * 1024 * 1024
        #endif
        pair.run(octets: total)
        for end in [pair.central, pair.peripheral] {
            #expect(end.written == total && end.received == total && end.isUnchanged)
            #expect(end.closed == nil)
        }
        pair.central.close()
        pair.settle()
        #expect(pair.central.closed == .closedLocally && pair.peripheral.closed == .closedByPeer)
    }
}
