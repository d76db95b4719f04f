// The links of a host for its user, and the way of frames in both directions.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension LEHost {
    /// A link by its identifier; `nil` after its end.
    public func information(of link: LinkID) -> LinkInformation? { self.openLinks[link]?.information }

    /// All links that were reported, the oldest first.
    public var links: [LinkInformation] { self.openLinks.all.filter(\.isEstablished).map(\.information) }

    /// Ends a link; the delegate hears when it has ended.
    public func disconnect(_ link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.openLinks.disconnect(link, reason: .remoteUserTerminated)
    }

    // MARK: The machines of a link

    /// A central begins by validating the cached database and requesting a larger MTU.
    func beginClient(of link: HostLink) {
        self.validateDatabaseCache(on: link)
        link.client.exchangeMTU(
            preferred: self.configuration.preferredMTU,
            on: &link.bearer,
            into: &link.bearerActions
        ) { [unowned self, unowned link] _ in
            self.server.sendDeferred(on: &link.bearer, now: self.eventLoop.now, into: &link.bearerActions)
        }
        self.noteWork(link)
    }

    /// Closes the machines of a link that has ended.
    func endMachines(of link: HostLink, _ reason: HCIErrorCode) {
        link.client.close(reason: reason, on: &link.bearer, into: &link.bearerActions)
        self.drainBearer(link)
        link.signalling.close(into: &link.signallingActions)
        self.security.acceptRefusedChannels(on: link)
        self.channels.drain(link)
        self.server.close(&link.bearer, into: &link.bearerActions)
        self.drainBearer(link)
    }

    // MARK: Data

    /// Holds back packets of a link's peer until ``resumeReceiving(on:)``.
    ///
    /// The link's packets are not reported to the controller as completed, so it stops acknowledging them once the
    /// host's buffers are full, and the peer waits (Vol 4, Part E, 4.2). Packets that have already arrived are still
    /// reported to the delegate. The whole link waits, including responses and signalling, since its packets are in one
    /// order. Other links continue. Nothing is held back if the controller has no flow control to the host
    /// (``limitsReceivedData`` is false).
    package func pauseReceiving(on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.traffic.pause(link)
    }

    /// Receives packets of a link's peer again.
    package func resumeReceiving(on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link], link.isReceivingPaused else { return }
        self.traffic.resume(link)
        self.loop.scheduleTurn()
    }

    /// Whether the controller holds back data until the host has completed earlier packets.
    package var limitsReceivedData: Bool { self.traffic.limitsReceivedData }

    /// Puts a PDU into a frame and the frame into the link's queue.
    func enqueue(_ pdu: consuming ByteBuffer, on channel: CID, of link: HostLink, tag: FrameTag = .none) {
        guard link.isOpen else { return self.count(tag, on: link) }
        self.traffic.enqueue(pdu, on: channel, of: link, tag: tag)
    }

    func receiveData(_ packet: HCIPacket) {
        if let value = ATTValuePacket(packet), self.receive(value, in: packet) { return }
        let data: (header: ACLDataHeader, fragment: ByteBuffer)
        do {
            data = try packet.aclData()
        } catch {
            return self.controller.noteUnreadable("a malformed ACL data packet", error)
        }
        let link = self.openLinks[data.header.handle]
        if let link { self.openLinks.heardPeer(of: link) }
        // Most packets are handled immediately, without reading the clock.
        if let link, !link.awaitsEncryption { return self.received(data.fragment, data.header, on: link) }
        let packet = EarlyData.Packet(header: data.header, fragment: data.fragment, arrival: self.eventLoop.now)
        if let link { self.receive(packet, on: link) } else { self.traffic.receiveEarly(packet) }
    }

    /// Handles a packet of a link, or keeps it while encryption starts.
    func receive(_ packet: EarlyData.Packet, on link: HostLink) {
        guard link.isOpen else { return }
        self.openLinks.heardPeer(of: link)
        guard link.awaitsEncryption else { return self.received(packet.fragment, packet.header, on: link) }
        if link.dataBeforeEncryption.count == EarlyData.limit, let first = link.dataBeforeEncryption.popFirst() {
            self.received(first.fragment, first.header, on: link)
        }
        link.dataBeforeEncryption.append(packet)
    }

    /// Handles a packet.
    func received(_ fragment: ByteBuffer, _ header: ACLDataHeader, on link: HostLink) {
        self.traffic.received(on: link)
        var outcome = link.reassembler.receive(fragment, isStart: header.boundary.isFirst)
        if let violation = outcome.violation {
            self.log.debug("\(link.id): dropped L2CAP data: \(violation)")
            if case .tooLong(_, let channel) = violation {
                link.signalling.receiveOverlongFrame(
                    on: channel,
                    now: self.eventLoop.now,
                    into: &link.signallingActions
                )
                self.channels.drain(link)
            }
        }
        if let frame = outcome.frame.take() { self.receive(frame.payload, on: frame.channel, of: link) }
    }

    /// Passes a value of a stream directly to the user; returns false if it has to go through the layers.
    private func receive(_ value: ATTValuePacket, in packet: HCIPacket) -> Bool {
        guard let link = self.openLinks[value.link], link.isEstablished, !link.awaitsEncryption,
            link.reassembler.takesWhole(value.length)
        else { return false }
        if value.opcode == .handleValueNotification {
            guard link.bearer.isUsable, link.client.acceptsNotification(of: value.attribute) else { return false }
            self.traffic.received(on: link)
            let octets = ATTValuePacket.value(of: packet)
            self.delegate?.host(self, link: link.id, didReceiveValue: octets, for: value.attribute)
        } else {
            let (attribute, length, octetCount) = (value.attribute, value.length, value.valueLength)
            guard self.server.acceptsCommand(to: attribute, length, octetCount, on: &link.bearer) else { return false }
            self.traffic.received(on: link)
            let octets = ATTValuePacket.value(of: packet)
            self.delegate?.host(self, link: link.id, didReceiveWriteCommand: octets, to: attribute)
        }
        return true
    }

    private func receive(_ pdu: ByteBuffer, on channel: CID, of link: HostLink) {
        switch channel {
        case .attributeProtocol:
            guard let first = pdu.getInteger(at: pdu.readerIndex, as: UInt8.self) else { return }
            let now = self.eventLoop.now
            if ATTOpcode(rawValue: first).isForServer {
                self.server.receive(pdu, on: &link.bearer, now: now, into: &link.bearerActions)
            } else {
                link.client.receive(pdu, on: &link.bearer, now: now, into: &link.bearerActions)
            }
            self.drainBearer(link)
        case .signalling:
            let (security, now) = (link.bearer.security, self.eventLoop.now)
            link.signalling.receive(pdu, security: security, now: now, into: &link.signallingActions)
            self.channels.drain(link)
        case .securityManagerProtocol:
            self.security.update(link) { $0.receive(pdu, &$1) }
            self.security.drain(link)
        default:
            guard channel.isDynamic else { return }
            let now = self.eventLoop.now
            link.signalling.receiveFrame(pdu, on: channel, now: now, into: &link.signallingActions)
            self.channels.drain(link)
        }
    }
}

extension LEConnectionParameterRequest {
    /// A peripheral's request to its central, without the hints that only a controller takes.
    init(asking parameters: ConnectionParameters) {
        self.init(
            minimumInterval: parameters.minimumInterval,
            maximumInterval: parameters.maximumInterval,
            latency: parameters.latency,
            supervisionTimeout: parameters.supervisionTimeout
        )
    }

    /// The parameters that a central gives its controller to grant the request.
    var connectionParameters: ConnectionParameters {
        ConnectionParameters(
            minimumInterval: self.minimumInterval,
            maximumInterval: self.maximumInterval,
            latency: self.latency,
            supervisionTimeout: self.supervisionTimeout
        )
    }
}
