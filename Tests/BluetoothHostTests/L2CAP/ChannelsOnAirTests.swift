// Two hosts on one air in virtual time: everything that goes into a channel comes out of it, whatever the air loses.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("Credit-based channels on the air")
struct ChannelsOnAirTests {
    @Test("COS: a long stream in both directions at once, with loss", arguments: [0, 0.1])
    func bothWays(loss: Double) throws {
        let scene = try ChannelsOnAir(loss: loss)
        #if DEBUG
        let total = 2 * 1024 * 1024
        #else
        let total = 64 * 1024 * 1024
        #endif
        scene.run(octets: total)
        for end in [scene.central, scene.peripheral] {
            #expect(end.written == total && end.received == total && end.isUnchanged)
            #expect(end.closed == nil)
        }
        scene.central.close()
        scene.settle()
        #expect(scene.central.closed == .closedLocally && scene.peripheral.closed == .closedByPeer)
    }
}
