// The links of a host: how they begin and end, and which of them have something to do.
//
// A link that was made is set up and, as central, awaited (`HostLinks+Establishment`). One that the host ends lasts
// until the controller says that it has ended, or until its end is overdue.

import BluetoothHCI
import BluetoothTypes
import Logging
import NIOCore

/// The open links of a host.
final class HostLinks {
    /// The longest supervision timeout, and a little more: by then a link that was to end has, whatever the peer does.
    static let disconnectTimeout = TimeAmount.seconds(35)

    @exclusivity(unchecked) unowned var host: LEHost!
    let controller: AttachedController
    let radio: HostRadio
    let loop: HostLoop
    let log: Logger

    /// The links in the order in which they came.
    @exclusivity(unchecked) private(set) var all: [HostLink] = []
    @exclusivity(unchecked) private var byHandle = LinkTable<ConnectionHandle>()
    @exclusivity(unchecked) private var byID = LinkTable<LinkID>()
    private var nextNumber: UInt32 = 1

    init(_ controller: AttachedController, _ radio: HostRadio, _ loop: HostLoop, _ log: Logger) {
        self.controller = controller
        self.radio = radio
        self.loop = loop
        self.log = log
    }

    /// The link with a name; `nil` after its end.
    @inline(__always)
    subscript(id: LinkID) -> HostLink? { self.byID[id] }

    /// The link of a controller's handle.
    @inline(__always)
    subscript(handle: ConnectionHandle) -> HostLink? { self.byHandle[handle] }

    /// The roles that the radio has for them.
    var roles: RadioRoles {
        self.all.reduce(into: []) { $0.formUnion($1.information.isCentral ? .central : .peripheral) }
    }

    // MARK: Begin

    /// A link was made, or could not be.
    func connectionCompleted(_ event: some LEConnectionCompletion) {
        guard event.status == .success else {
            // Only an initiator gets an error here, or an advertiser whose directed advertising ran out.
            if event.status == .advertisingTimeout { return self.radio.advertising.ended() }
            return self.radio.initiating.ended(event.status)
        }
        let isCentral = event.role == .central
        let isPlain = event is LEConnectionComplete
        let peer = self.radio.addresses.device(at: event.peer)
        // The other form of the event of this link, which some controllers send, or the same once more.
        if let link = self[event.handle], link.information.isCentral == isCentral,
            link.isFromPlainEvent != isPlain || link.establishmentDeadline != nil && link.information.peer == peer
        {
            return
        }
        self.radio.linkBegan(to: peer, isCentral: isCentral)
        // A handle in use can only mean that the end of the older link was missed.
        if let stale = self[event.handle] {
            self.close(stale, reason: stale.isEstablished ? .connectionTimeout : .connectionFailedToBeEstablished)
        }

        let id = LinkID(rawValue: self.nextNumber)
        self.nextNumber += 1
        let information = LinkInformation(id: id, peer: peer, isCentral: isCentral)
        let link = HostLink(
            handle: event.handle,
            information: information,
            timing: LinkTiming(
                interval: event.interval,
                latency: event.latency,
                supervisionTimeout: event.supervisionTimeout
            ),
            preferredMTU: self.host.configuration.preferredMTU,
            securityManager: self.host.security.makeManager(information, event)
        )
        link.isFromPlainEvent = isPlain
        link.signalling.channels.listeners = self.host.l2capChannels.listeners
        self.all.append(link)
        self.byHandle[event.handle] = link
        self.byID[id] = link
        self.host.security.begin(link)
        if isCentral {
            self.awaitPeer(of: link)
            self.prepare(link)
            // With several pending connections, the controller used the parameters of one of them for all.
            if let wanted = self.radio.initiating.parameters(for: peer, insteadOf: event.interval) {
                self.controller.send(LEConnectionUpdate(handle: link.handle, parameters: wanted))
            }
        } else {
            self.host.delegate?.host(self.host, didConnect: information)
        }
        for packet in self.host.traffic.takeEarly(of: link) { self.host.receive(packet, on: link) }
    }

    /// What a central does first on a new link: larger packets, the faster PHY, a larger MTU, and the validation of
    /// what is cached of the server's database.
    private func prepare(_ link: HostLink) {
        let information = self.controller.information
        if information.features.contains(.dataPacketLengthExtension), information.knows(LESetDataLength.self) {
            self.controller.send(
                LESetDataLength(
                    handle: link.handle,
                    transmitOctets: DataPacketLimits.maximumOctets,
                    transmitTime: DataPacketLimits.maximumTimeOn1M
                )
            )
        }
        if information.features.contains(.phy2M), information.knows(LESetPHY.self) {
            // With 1M allowed, controllers take 2M where the peer can; without, a peer that later asks for 1M
            // would never get it.
            let preference = PHYPreference(transmitter: [.le1M, .le2M], receiver: [.le1M, .le2M])
            self.controller.send(LESetPHY(handle: link.handle, preference: preference))
        }
        self.host.beginClient(of: link)
    }

    // MARK: End

    /// Ends a link; the delegate hears when it has ended.
    func disconnect(_ link: HostLink, reason: HCIErrorCode) {
        guard !link.isDisconnecting else { return }
        link.isDisconnecting = true
        // Some controllers report the end only when the host has finished with everything that came.
        self.host.traffic.resume(link)
        self.host.traffic.reportNow()
        self.controller.send(Disconnect(handle: link.handle, reason: reason)) { [unowned self] result in
            guard link.isOpen else { return }
            guard case .failure(let failure) = result else {
                link.disconnectDeadline = self.loop.now + Self.disconnectTimeout
                return
            }
            // The controller knows nothing of the link, or does not answer: for this host it is over.
            self.close(link, reason: failure.status == .unknownConnectionIdentifier ? reason : failure.status)
        }
    }

    /// Ends what the controller has forgotten to end.
    func endOverdue(at now: NIODeadline) {
        for link in self.all where link.disconnectDeadline.map({ $0 <= now }) ?? false {
            self.log.warning("the controller did not report the end of \(link.id)")
            self.close(link, reason: .localHostTerminated)
        }
    }

    /// Ends a link on this side, once the controller has said that it ended or will never say so.
    func close(_ link: HostLink, reason: HCIErrorCode) {
        guard link.isOpen else { return }
        self.heardPeer(of: link, atEndWith: reason)
        self.host.drain()
        // What a user hears then may have ended it already, as a detached host does.
        guard link.isOpen else { return }
        self.host.security.update(link) { $0.linkEnded(&$1) }
        self.host.security.drain(link)
        let reason = link.endReason ?? reason
        link.isOpen = false
        self.byID[link.id] = nil
        if self[link.handle] === link { self.byHandle[link.handle] = nil }
        self.all.removeAll { $0 === link }
        self.host.endMachines(of: link, reason)
        self.host.traffic.closed(link)
        link.endParameterRequests(in: self.loop)
        for frame in link.outgoing { self.host.count(frame.tag, on: link) }
        link.outgoing.removeAll()
        self.host.reportTransmitted()
        self.radio.linkEnded()
        self.reportEnd(of: link, reason)
        self.loop.scheduleTurn()
    }
}

/// Links that wait for something in a turn.
///
/// Two arrays trade places, so that what arises meanwhile waits for the next round and no storage is lost.
struct LinkQueue {
    private var waiting: [HostLink] = []
    private var spare: [HostLink] = []

    var isEmpty: Bool { self.waiting.isEmpty }

    mutating func append(_ link: HostLink) { self.waiting.append(link) }

    /// Takes out all that wait; they are given back with ``reuse(_:)``.
    mutating func take() -> [HostLink] {
        var links = self.spare
        self.spare = []
        swap(&links, &self.waiting)
        return links
    }

    /// The links were served.
    mutating func reuse(_ links: consuming [HostLink]) {
        links.removeAll(keepingCapacity: true)
        self.spare = links
    }
}
