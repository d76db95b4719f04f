import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("5.5 Connected devices")
struct ConnectedPeersTests {
    @Test("finds devices by their services, longest connected first, and every device by the common ones")
    func services() {
        let (first, second) = (DeviceAddress(1, kind: .public), DeviceAddress(2, kind: .public))
        let peers = ConnectedPeers()
        peers.setServices([0x180D], of: first)
        for address in [second, first, second] { peers.insert(address) }
        #expect(peers.peers(withAnyOf: [0x1801]) == [second, first] && peers.peers(withAnyOf: [0x180D]) == [])
        peers.setServices([0x180D, 0x180F], of: first)
        #expect(peers.peers(withAnyOf: [0x180F, 0x2A00]) == [first] && peers.peers(withAnyOf: []) == [])
        peers.remove(second)
        #expect(peers.peers(withAnyOf: [0x1800]) == [first])
        peers.removeAll()
        #expect(peers.peers(withAnyOf: [0x1800]) == [])
    }

    @Test("keeps one entry for a device that moves to an address with an entry")
    func move() {
        let (first, second) = (DeviceAddress(1, kind: .public), DeviceAddress(2, kind: .public))
        let peers = ConnectedPeers()
        peers.move(first, to: second)
        for address in [first, second] { peers.insert(address) }
        peers.setServices([0x180D], of: first)
        peers.move(first, to: second)
        #expect(peers.peers(withAnyOf: [0x1800]) == [second] && peers.peers(withAnyOf: [0x180D]) == [second])
    }
}
