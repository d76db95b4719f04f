// Packets from the controller: events and data, each handed to the object that it concerns.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension LEHost {
    /// A packet from the controller.
    func receive(_ packet: HCIPacket, from channel: any HCIChannel) {
        guard channel === self.controller.channel else { return }
        // Earlier calls of the user come first.
        if self.openLinks.haveWork { self.drain() }
        switch packet.kind {
        case .aclData: self.receiveData(packet)
        case .event: if let event = self.controller.receive(packet) { self.receive(event) }
        default: self.log.debug("ignored an HCI packet of type \(packet.kind.rawValue)")
        }
    }

    /// The controller has no more packets for now.
    func finishBatch(of channel: any HCIChannel) {
        guard channel === self.controller.channel else { return }
        self.finishTurn()
    }

    private func receive(_ event: HCIEvent) {
        self.openLinks.heardPeer(in: event)
        switch event {
        case .numberOfCompletedPackets(let event):
            for element in event.completed {
                guard let link = self.openLinks[element.handle] else { continue }
                self.traffic.completed(Int(element.count), of: link)
            }
        case .leAdvertisingReports(let reports): self.radio.receive(reports)
        case .leExtendedAdvertisingReports(let reports): self.radio.receive(reports)
        case .leConnectionComplete(let event): self.openLinks.connectionCompleted(event)
        case .leEnhancedConnectionComplete(let event): self.openLinks.connectionCompleted(event)
        case .leEnhancedConnectionCompleteV2(let event): self.openLinks.connectionCompleted(event.connection)
        case .disconnectionComplete(let event):
            guard event.status == .success, let link = self.openLinks[event.handle] else { return }
            self.openLinks.close(link, reason: event.reason)
        case .encryptionChange(let event):
            self.security.encryptionChanged(event.handle, event.status, isEnabled: event.encryption != .off)
        case .leLongTermKeyRequest(let event):
            guard let link = self.openLinks[event.handle] else { return }
            self.security.update(link) {
                $0.requestLongTermKey(
                    encryptedDiversifier: event.encryptedDiversifier,
                    random: event.random,
                    &$1
                )
            }
        case .leRemoteConnectionParameterRequest(let event):
            self.answer(event)
        case .encryptionChangeV2(let event):
            self.security.encryptionChanged(event.handle, event.status, isEnabled: event.encryption != .off)
        case .authenticatedPayloadTimeoutExpired(let event):
            self.security.authenticatedPayloadTimeoutExpired(event.handle)
        case .encryptionKeyRefreshComplete(let event):
            self.security.encryptionChanged(event.handle, event.status, isEnabled: true)
        case .leConnectionUpdateComplete(let event): self.openLinks.connectionUpdated(event)
        case .lePHYUpdateComplete(let event): self.openLinks.phyUpdated(event)
        case .readRemoteVersionInformationComplete, .dataBufferOverflow, .leReadRemoteFeaturesComplete,
            .leDataLengthChange, .leReadLocalP256PublicKeyComplete, .leGenerateDHKeyComplete,
            .leDirectedAdvertisingReports, .leScanTimeout, .leAdvertisingSetTerminated,
            .leScanRequestReceived, .leChannelSelectionAlgorithm, .unknown, .unknownLE, .commandComplete,
            .commandStatus, .hardwareError:
            break
        }
    }

    /// Grants the parameters that a peer requests in the link layer, if the specification allows them.
    private func answer(_ request: LERemoteConnectionParameterRequest) {
        guard self.openLinks[request.handle] != nil else { return }
        self.controller.reply(
            LERemoteConnectionParameterRequestReply(
                handle: request.handle,
                parameters: ConnectionParameters(
                    minimumInterval: request.minimumInterval,
                    maximumInterval: request.maximumInterval,
                    latency: request.latency,
                    supervisionTimeout: request.supervisionTimeout
                )
            )
        )
    }
}
