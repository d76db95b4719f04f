// What BlueZ does beside HCI: it pairs and keeps the keys, says which devices other programs hold connected, and
// publishes services.

import BluetoothBlueZ
import BluetoothHost
import BluetoothTypes
import NIOCore

extension AdapterCore: BlueZSourceDelegate {
    func source(
        _ source: BlueZSource,
        asks question: PairingQuestion,
        about device: DeviceAddress,
        answer: @escaping (PairingAnswer) -> Void
    ) {
        self.ask(question, of: device, answer)
    }

    func source(_ source: BlueZSource, endedPairingWith device: DeviceAddress, _ error: PairingError?) {
        self.pairingAgent?.pairingEnded(
            with: self.pairingPeer(at: device),
            error.map { .failed($0.sentence) } ?? .paired
        )
    }

    func sourceDidChangeConnectedDevices(_ source: BlueZSource) {
        self.connectedPeers.setOthers(source.connectedDevices.map { ($0.address, $0.services) })
        for link in self.host.links { self.updateSystemSecurity(of: link) }
        // Their identifiers are in the storage: `openStorage()` calls again.
        guard self.writer != nil else { return }
        for device in source.connectedDevices {
            guard let name = device.name else { continue }
            _ = self.identities.record(for: device.address)
            self.identities.setName(name, of: device.address)
        }
    }

    /// The link to a device with which BlueZ has paired counts as encrypted. BlueZ does not say how its key was made,
    /// but our agent knows whether it was asked for a code.
    func updateSystemSecurity(of link: LinkInformation) {
        guard link.isCentral, let device = self.bluez?.connectedDevices.first(where: { $0.address == link.peer })
        else { return }
        let key = LinkSecurity.Key(isAuthenticated: device.isAuthenticated, isSecureConnections: false)
        let security = device.isPaired ? LinkSecurity(key: key, isBonded: true) : LinkSecurity.none
        guard security != (self.host.security(of: link.id) ?? LinkSecurity.none) else { return }
        self.host.setSecurity(security, of: link.id)
        self.peers.secured(link.id, security.level)
    }

    func source(_ source: BlueZSource, didPublish handle: AttributeHandle, isAccepted: Bool) {
        for session in self.peripheralSessions { session.published(handle, isAccepted: isAccepted) }
        self.flush()
    }
}
