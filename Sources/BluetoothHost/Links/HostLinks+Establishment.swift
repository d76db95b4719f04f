// When a link that this host has opened counts as established. A central's controller reports a link as soon as it has
// sent the connection request; whether the peer has received it is not known yet. Without a packet of the peer the link
// ends after six of its intervals with 0x3E (Vol 6, Part B, 4.5), as happens now and then on a busy channel. The
// connection is then tried again, and the user is not told.
//
//     pending ── link ──▶ awaited ── a packet of the peer, time, or another end ──▶ established: it is reported
//        ▲                │ │ └── cancelled ──▶ cancelled ── end ──▶ nobody hears of it
//        ├── end, 0x3E ◀──┘ │                       └── end, asked for again meanwhile ──▶ pending
//        └── three times    └── the fourth 0x3E ──▶ failed: the user hears of it
//
// A packet of the peer is data, or an event that reports an answer of the peer. Other events of a link may come from
// the controller alone: a packet of this host counts as completed when its buffer is free, flushed or not (Vol 4, Part
// E, 7.7.19), and length and PHY may be settled without the peer (7.7.65.7, 7.8.49). The host sends no extra request: a
// central begins a link with an ATT request or with encryption, and the peer has to answer either. A link that ends
// with another reason than 0x3E was established, too: the Link Layers had exchanged packets even if the host of the
// peer had sent nothing.
//
// A peer can stay silent. Then time decides: a link that still exists after six intervals and the delay of an event is
// established.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension HostLink {
    /// Whether the user knows of a link.
    enum Establishment {
        /// The peer has opened it, or has sent a packet.
        case established
        /// The peer has sent nothing yet.
        case awaited(until: NIODeadline)
        /// The user has cancelled the connection while it was awaited.
        case cancelled
    }

    /// Whether the user knows of the link.
    var isEstablished: Bool { if case .established = self.establishment { true } else { false } }

    /// When the link counts as established even without a packet of the peer: never, once this host ends it.
    var establishmentDeadline: NIODeadline? {
        if case .awaited(let deadline) = self.establishment, !self.isDisconnecting { deadline } else { nil }
    }
}

extension HostLinks {
    /// A link was opened as central. If it is never established, it lasts six intervals, and the event of its end may
    /// be late.
    func awaitPeer(of link: HostLink) {
        link.establishment = .awaited(until: self.loop.now + link.timing.interval.timeAmount * 6 + EarlyData.time)
        self.loop.reconsiderTimer(for: link.establishmentDeadline)
    }

    /// A packet of a link's peer has arrived.
    @inline(__always)
    func heardPeer(of link: HostLink) { if !link.isEstablished { self.establish(link) } }

    /// Checks whether an event shows that the peer of a link has sent something.
    func heardPeer(in event: HCIEvent) {
        guard let handle = event.handleOfHeardPeer, let link = self[handle] else { return }
        self.heardPeer(of: link)
    }

    private func establish(_ link: HostLink) {
        guard link.establishmentDeadline != nil else { return }
        link.establishment = .established
        self.radio.initiating.established(link.information.peer)
        self.host.delegate?.host(self.host, didConnect: link.information)
    }

    /// A link ends: unless the reason is 0x3E, it had been established.
    func heardPeer(of link: HostLink, atEndWith reason: HCIErrorCode) {
        guard reason != .connectionFailedToBeEstablished, self.isConnecting(to: link.information.peer) else { return }
        self.heardPeer(of: link)
    }

    /// Whether the user waits for a link to a device: nothing is pending without a controller or in a shutdown.
    private func isConnecting(to peer: DeviceAddress) -> Bool {
        self.controller.isReady && !self.host.shutdown.isUnderWay && self.radio.initiating.isConnecting(to: peer)
    }

    /// Establishes links whose time has passed without a failure.
    func establish(at now: NIODeadline) {
        for link in self.all where link.establishmentDeadline.map({ $0 <= now }) ?? false { self.establish(link) }
    }

    /// Whether a link to a device is awaited, or is ending because the user has cancelled.
    func hasUnestablished(to address: DeviceAddress) -> Bool {
        self.all.contains { !$0.isEstablished && $0.information.peer == address }
    }

    /// Reports the end of a link, or of the connection attempt.
    func reportEnd(of link: HostLink, _ reason: HCIErrorCode) {
        let peer = link.information.peer
        switch link.establishment {
        case .established:
            self.host.delegate?.host(self.host, didDisconnect: link.information, reason: reason)
        case .awaited, .cancelled:
            guard self.isConnecting(to: peer) else { return }
            if case .cancelled = link.establishment { return self.radio.initiating.connectAgain(to: peer) }
            if reason == .connectionFailedToBeEstablished, self.radio.initiating.retry(peer) {
                return self.log.debug("\(link.id) was not established, and is tried again")
            }
            self.radio.initiating.fail([peer], reason)
        }
    }
}

extension HCIEvent {
    /// The link whose peer must have sent something for the event to occur.
    fileprivate var handleOfHeardPeer: ConnectionHandle? {
        switch self {
        case .leReadRemoteFeaturesComplete(let event): event.status == .success ? event.handle : nil
        case .readRemoteVersionInformationComplete(let event): event.status == .success ? event.handle : nil
        case .leRemoteConnectionParameterRequest(let event): event.handle
        case .encryptionChange(let event): event.status.isAnswerToEncryption ? event.handle : nil
        case .encryptionChangeV2(let event): event.status.isAnswerToEncryption ? event.handle : nil
        case .encryptionKeyRefreshComplete(let event): event.status == .success ? event.handle : nil
        default: nil
        }
    }
}

extension HCIErrorCode {
    /// Whether the peer has accepted encryption, or has no key for it.
    fileprivate var isAnswerToEncryption: Bool { self == .success || self == .pinOrKeyMissing }
}
