// The links of a host: how they begin and end, and which of them have work in a turn.
//
// A new link is set up and, as central, awaited (`HostLinks+Establishment`). A link that the host ends lasts until the
// controller reports its end, or until that is overdue.

import BluetoothHCI
import BluetoothTypes
import Logging
import NIOCore

/// The open links of a host.
final class HostLinks {
    /// A little more than the longest supervision timeout: by then a link has ended, whatever the peer does.
    static let disconnectTimeout = TimeAmount.seconds(35)

    @exclusivity(unchecked) unowned var host: LEHost!
    let controller: AttachedController
    let radio: HostRadio
    let loop: HostLoop
    let log: Logger

    /// The links, the oldest first.
    @exclusivity(unchecked) private(set) var all: [HostLink] = []
    @exclusivity(unchecked) private var byHandle = LinkTable<ConnectionHandle>()
    @exclusivity(unchecked) private var byID = LinkTable<LinkID>()
    private let withWork = LinkQueue()
    private let withBatch = LinkQueue()
    private let withTransmitted = LinkQueue()
    @exclusivity(unchecked) private var spareTally = TransmitTally()
    private var nextNumber: UInt32 = 1

    init(_ controller: AttachedController, _ radio: HostRadio, _ loop: HostLoop, _ log: Logger) {
        self.controller = controller
        self.radio = radio
        self.loop = loop
        self.log = log
    }

    /// The link with an identifier; `nil` after its end.
    @inline(__always)
    subscript(id: LinkID) -> HostLink? { self.byID[id] }

    /// The link with a connection handle.
    @inline(__always)
    subscript(handle: ConnectionHandle) -> HostLink? { self.byHandle[handle] }

    /// The roles of this device on the links.
    var roles: RadioRoles {
        self.all.reduce(into: []) { $0.formUnion($1.information.isCentral ? .central : .peripheral) }
    }

    // MARK: Turns

    /// Whether links have work for this turn.
    var haveWork: Bool { !self.withWork.isEmpty }

    /// Notes that a link's machines have work, and schedules a turn.
    func noteWork(_ link: HostLink) {
        guard !link.hasWork else { return }
        link.hasWork = true
        self.withWork.append(link)
        self.loop.scheduleTurn()
    }

    /// Takes out the links that have work.
    func takeWork(_ body: (HostLink) -> Void) {
        self.withWork.takeAll { link in
            link.hasWork = false
            body(link)
        }
    }

    /// Whether notifications of links wait for others of this turn.
    var haveBatches: Bool { !self.withBatch.isEmpty }

    /// Notes that notifications of a link wait for the end of the turn.
    func noteBatch(of link: HostLink) {
        guard !link.awaitsFlush else { return }
        link.awaitsFlush = true
        self.withBatch.append(link)
    }

    /// Takes out the links whose notifications wait.
    func takeBatches(_ body: (HostLink) -> Void) {
        self.withBatch.takeAll { link in
            link.awaitsFlush = false
            body(link)
        }
    }

    /// Counts PDUs of the user that have left, or never will.
    func count(_ transmission: Transmission, on link: HostLink) {
        link.transmitted.add(transmission.token, count: transmission.count)
        guard !link.hasTransmitted else { return }
        link.hasTransmitted = true
        self.withTransmitted.append(link)
    }

    /// Takes out what was counted.
    func takeTransmitted(_ body: (HostLink, Transmission) -> Void) {
        self.withTransmitted.takeAll { link in
            link.hasTransmitted = false
            var tally = self.spareTally
            self.spareTally = TransmitTally()
            swap(&tally, &link.transmitted)
            for transmission in tally.transmissions { body(link, transmission) }
            tally.removeAll()
            self.spareTally = tally
        }
    }

    // MARK: Begin

    /// A link was opened, or could not be.
    func connectionCompleted(_ event: some LEConnectionCompletion) {
        guard event.status == .success else {
            // Only an initiator gets an error here, or an advertiser whose directed advertising timed out.
            if event.status == .advertisingTimeout { return self.radio.advertising.ended() }
            return self.radio.initiating.ended(event.status)
        }
        let isCentral = event.role == .central
        let isPlain = event is LEConnectionComplete
        let peer = self.radio.addresses.device(at: event.peer)
        // Some controllers send both forms of the event for a link, or the same one twice.
        if let link = self[event.handle], link.information.isCentral == isCentral,
            link.isFromPlainEvent != isPlain || link.establishmentDeadline != nil && link.information.peer == peer
        {
            return
        }
        self.radio.linkBegan(to: peer, isCentral: isCentral)
        // A handle that is still in use means that the end of the older link was missed.
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
        self.host.channels.prepare(link)
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

    /// A central's first steps on a new link: larger packets, the faster PHY, a larger MTU, and the validation of the
    /// cached database.
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
            // With 1M allowed, controllers choose 2M if the peer supports it; without, a peer that later requests 1M
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
        // Some controllers report the end only when the host has completed all received packets.
        self.host.traffic.resume(link)
        self.host.traffic.reportNow()
        self.controller.send(Disconnect(handle: link.handle, reason: reason)) { [unowned self] result in
            guard link.isOpen else { return }
            guard case .failure(let failure) = result else {
                link.disconnectDeadline = self.loop.now + Self.disconnectTimeout
                return
            }
            // The controller does not know the link, or does not answer: for this host, the link has ended.
            self.close(link, reason: failure.status == .unknownConnectionIdentifier ? reason : failure.status)
        }
    }

    /// Closes links whose end the controller has not reported in time.
    func endOverdue(at now: NIODeadline) {
        for link in self.all where link.disconnectDeadline.map({ $0 <= now }) ?? false {
            self.log.warning("the controller did not report the end of \(link.id)")
            self.close(link, reason: .localHostTerminated)
        }
    }

    /// Closes a link on this side, once the controller has reported its end or never will.
    func close(_ link: HostLink, reason: HCIErrorCode) {
        guard link.isOpen else { return }
        self.heardPeer(of: link, atEndWith: reason)
        self.host.drain()
        // The user may have closed it meanwhile, for example by detaching the host.
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

/// Links that wait for a step of the turn.
///
/// Two arrays swap, so that links that are added meanwhile wait for the next round and no storage is lost.
final class LinkQueue {
    @exclusivity(unchecked) private var waiting: [HostLink] = []
    @exclusivity(unchecked) private var spare: [HostLink] = []

    var isEmpty: Bool { self.waiting.isEmpty }

    func append(_ link: HostLink) { self.waiting.append(link) }

    /// Takes out all waiting links; those that `body` appends wait for the next call.
    func takeAll(_ body: (HostLink) -> Void) {
        guard !self.waiting.isEmpty else { return }
        // The arrays swap, so that no storage is lost.
        var links = self.spare
        self.spare = []
        swap(&links, &self.waiting)
        for link in links { body(link) }
        links.removeAll(keepingCapacity: true)
        self.spare = links
    }
}
