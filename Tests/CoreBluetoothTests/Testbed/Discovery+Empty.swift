// A sighting of a device that says nothing: for the way of discoveries to an app, whatever is in them.

import BluetoothHost
import BluetoothTypes
import NIOCore

@testable import CoreBluetooth

extension Discovery {
    /// A sighting of an advertisement without data that can be connected to, at time zero.
    static func empty(of peer: PeerDescription, rssi: RSSI? = nil) -> Discovery {
        Discovery(
            peer: peer,
            advertisement: Advertisement(data: ByteBuffer(), scanResponse: nil, isConnectable: true),
            overflowServices: [],
            rssi: rssi,
            timestamp: 0,
            primaryPHY: 1,
            secondaryPHY: 0
        )
    }
}
