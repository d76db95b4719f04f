// The GAP Device Names of connected peers: `CBPeripheral.name` once they are known, instead of the advertised name.

import BluetoothHost
import NIOCore

extension PeerTable {
    /// Reads a peer's name once on each link.
    func readName(of peer: Peer) {
        guard let link = peer.link, !peer.server.hasNameReader else { return }
        peer.server.hasNameReader = true
        self.readNameLater(of: peer, on: link)
    }

    /// The time for which the app has the link to itself before its peer's name is read.
    private static let nameDelay = TimeAmount.seconds(1)

    /// Reads the GAP Device Name once, at a moment when no app waits for an answer: apps begin their operations right
    /// after the connection, and these should not wait for a name.
    private func readNameLater(of peer: Peer, on link: LinkID) {
        _ = self.core.schedule(in: Self.nameDelay) { [weak core = self.core] in
            guard let core, peer.link == link else { return }
            guard peer.connections.connections.allSatisfy(\.isIdle) else {
                return core.peers.readNameLater(of: peer, on: link)
            }
            // Without a connection there is nothing to report.
            guard !peer.connections.connections.isEmpty else {
                peer.server.hasNameReader = false
                return
            }
            core.host.perform(ReadDeviceName(), on: link) { [weak core] result in
                // A peer without a readable name keeps the name that it advertises.
                guard let core, let octets = try? result.get(), octets.readableBytes > 0 else { return }
                let name = String(buffer: octets)
                guard core.learned(deviceName: name, of: peer.address) else { return }
                for connection in peer.connections.established { connection.report(.name(connection.id, name)) }
            }
        }
    }
}
