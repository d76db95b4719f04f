// The host's links: how they begin and end, and how frames travel on them in both directions.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension LEHost {
    /// What is known of a link; `nil` after its end.
    public func information(of link: LinkID) -> LinkInformation? { self.linksByID[link]?.information }

    /// All links that were reported, the oldest first.
    public var links: [LinkInformation] { self.openLinks.filter(\.isEstablished).map(\.information) }

    /// Ends a link; the delegate hears when it has ended.
    public func disconnect(_ link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link] else { return }
        self.disconnect(link, reason: .remoteUserTerminated)
    }

    func disconnect(_ link: HostLink, reason: HCIErrorCode) {
        guard !link.isDisconnecting else { return }
        link.isDisconnecting = true
        // Some controllers report the end only when the host has finished with everything that came.
        self.receiver.resume(link)
        self.receiver.reportNow()
        self.send(Disconnect(handle: link.handle, reason: reason)) { [unowned self] result in
            guard link.isOpen else { return }
            guard case .failure(let failure) = result else {
                link.disconnectDeadline = self.eventLoop.now + Self.disconnectTimeout
                return
            }
            // The controller knows nothing of the link, or does not answer: for this host it is over.
            self.close(link, reason: failure.status == .unknownConnectionIdentifier ? reason : failure.status)
        }
    }

    /// The longest supervision timeout, and a little more: by then the link has ended, whatever the peer does.
    static var disconnectTimeout: TimeAmount { .seconds(35) }

    /// Ends what the controller has forgotten to end.
    func endOverdueLinks(at now: NIODeadline) {
        for link in self.openLinks where link.disconnectDeadline.map({ $0 <= now }) ?? false {
            self.log.warning("the controller did not report the end of \(link.id)")
            self.close(link, reason: .localHostTerminated)
        }
    }

    // MARK: Begin and end

    /// A link was made, or could not be.
    func connectionCompleted(_ event: some LEConnectionCompletion) {
        guard event.status == .success else {
            // Only an initiator gets an error here, or an advertiser whose directed advertising ran out.
            if event.status == .advertisingTimeout {
                self.advertiser.ended()
                return
            }
            self.cancelDeadline = nil
            for address in self.initiator.finished(nil, error: event.status) {
                self.connectionParameters[address] = nil
                self.delegate?.host(self, didFailToConnectTo: address, error: event.status)
            }
            return
        }
        let isCentral = event.role == .central
        let isPlain = event is LEConnectionComplete
        let peer = self.device(at: event.peer)
        // The other form of the event of this link, which some controllers send, or the same once more.
        if let link = self.linksByHandle[event.handle], link.information.isCentral == isCentral,
            link.isFromPlainEvent != isPlain || link.establishmentDeadline != nil && link.information.peer == peer
        {
            return
        }
        self.privateAddress.countLink()
        if isCentral {
            _ = self.initiator.finished(peer, error: .success)
            self.cancelDeadline = nil
            self.attemptDeadline = nil
        }
        if !isCentral { self.advertiser.ended() }
        self.scanner.linksChanged()
        // A handle in use can only mean that the end of the older link was missed.
        if let stale = self.linksByHandle[event.handle] {
            self.close(stale, reason: stale.isEstablished ? .connectionTimeout : .connectionFailedToBeEstablished)
        }

        let id = LinkID(rawValue: self.nextLinkNumber)
        self.nextLinkNumber += 1
        let information = LinkInformation(id: id, peer: peer, isCentral: isCentral)
        let link = HostLink(
            handle: event.handle,
            information: information,
            timing: LinkTiming(
                interval: event.interval,
                latency: event.latency,
                supervisionTimeout: event.supervisionTimeout
            ),
            preferredMTU: self.configuration.preferredMTU,
            securityManager: self.makeSecurityManager(information, event)
        )
        link.isFromPlainEvent = isPlain
        link.signalling.channels.listeners = self.l2capChannels.listeners
        self.openLinks.append(link)
        self.linksByHandle[event.handle] = link
        self.linksByID[id] = link
        self.begin(link)
        if isCentral {
            self.awaitPeer(of: link)
            self.prepare(link)
            // With several pending connections, the controller used the parameters of one of them for all.
            if let wanted = self.connectionParameters[peer],
                event.interval < wanted.minimumInterval || event.interval > wanted.maximumInterval
            {
                self.send(LEConnectionUpdate(handle: link.handle, parameters: wanted))
            }
        } else {
            self.delegate?.host(self, didConnect: information)
        }
        for packet in self.earlyData.take(link.handle, now: self.eventLoop.now) { self.receive(packet, on: link) }
    }

    /// What a central does first on a new link: larger packets, the faster PHY, a larger MTU, and the validation of
    /// what is cached of the server's database.
    private func prepare(_ link: HostLink) {
        if self.controller.features.contains(.dataPacketLengthExtension), self.controller.knows(LESetDataLength.self) {
            self.send(LESetDataLength(handle: link.handle, transmitOctets: 251, transmitTime: 2120))
        }
        if self.controller.features.contains(.phy2M), self.controller.knows(LESetPHY.self) {
            // With 1M allowed, controllers take 2M where the peer can; without, a peer that later asks for 1M
            // would never get it.
            let preference = PHYPreference(transmitter: [.le1M, .le2M], receiver: [.le1M, .le2M])
            self.send(LESetPHY(handle: link.handle, preference: preference))
        }
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

    /// Ends a link on this side, once the controller has said that it ended or will never say so.
    func close(_ link: HostLink, reason: HCIErrorCode) {
        guard link.isOpen else { return }
        self.heardPeer(of: link, atEndWith: reason)
        self.drain()
        // What a user hears then may have ended it already, as a detached host does.
        guard link.isOpen else { return }
        self.updateSecurity(of: link) { $0.linkEnded(&$1) }
        self.drainSecurity(link)
        let reason = link.endReason ?? reason
        link.isOpen = false
        self.linksByID[link.id] = nil
        if self.linksByHandle[link.handle] === link { self.linksByHandle[link.handle] = nil }
        self.openLinks.removeAll { $0 === link }
        link.client.close(reason: reason, on: &link.bearer, into: &link.bearerActions)
        self.drainBearer(link)
        link.signalling.close(into: &link.signallingActions)
        self.acceptRefusedChannels(on: link)
        self.drainSignalling(link)
        self.server.close(&link.bearer, into: &link.bearerActions)
        self.drainBearer(link)
        self.transmitter.closed(link)
        self.receiver.closed(link)
        self.earlyData.linkEnded(link.handle, now: self.eventLoop.now)
        self.endParameterRequests(of: link)
        for frame in link.outgoing { self.count(frame.tag, on: link) }
        link.outgoing.removeAll()
        self.reportTransmitted()
        self.arbiter.linkEnded()
        self.scanner.linksChanged()
        self.reportEnd(of: link, reason)
        self.scheduleTurn()
    }

    // MARK: Data

    /// Holds back what the peer of a link sends, until ``resumeReceiving(on:)``.
    ///
    /// The link's packets are not reported to the controller as finished, so it stops acknowledging them once the host's
    /// buffers are full, and the peer waits (Vol 4, Part E, 4.2). What came before is still reported to the delegate. The
    /// whole link waits: its responses and its signalling, too, since a link has one order. Other links go on. With a
    /// controller that has no flow control to the host (``limitsReceivedData`` is false) nothing is held back.
    public func pauseReceiving(on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link] else { return }
        self.receiver.pause(link)
    }

    /// Takes what the peer of a link sends again.
    public func resumeReceiving(on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link], link.isReceivingPaused else { return }
        self.receiver.resume(link)
        self.scheduleTurn()
    }

    /// Whether the controller sends no more data than the host has finished with.
    public var limitsReceivedData: Bool { self.receiver.isLimited }

    /// Reports to the controller which packets the host has finished with (Vol 4, Part E, 7.3.40). The command needs no
    /// credit and has no answer.
    func reportReceived() {
        if self.receiver.needsDeadline { self.receiver.setDeadline(now: self.eventLoop.now) }
        guard self.receiver.isReportDue, let channel = self.channel else { return }
        var elements = self.receiver.takeReport(of: self.openLinks)[...]
        while !elements.isEmpty {
            let completed = CompletedPackets(elements.prefix(CompletedPackets.maximumCount))
            channel.send(HostNumberOfCompletedPackets(completed: completed).packet())
            elements = elements.dropFirst(CompletedPackets.maximumCount)
        }
    }

    /// Puts a PDU into a frame and the frame into the link's queue.
    func enqueue(_ pdu: consuming ByteBuffer, on channel: CID, of link: HostLink, tag: FrameTag = .none) {
        guard link.isOpen else { return self.count(tag, on: link) }
        let packets = ACLFragmenter(
            pdu,
            channel: channel,
            handle: link.handle,
            maximumLength: self.transmitter.dataLength
        )
        link.outgoing.append(HostLink.Frame(packets: packets, tag: tag))
        self.transmitter.enqueue(link)
    }

    func receiveData(_ packet: HCIPacket) {
        if let value = ATTValuePacket(packet), self.receive(value, in: packet) { return }
        let data: (header: ACLDataHeader, fragment: ByteBuffer)
        do {
            data = try packet.aclData()
        } catch {
            return self.noteUnreadable("a malformed ACL data packet", error)
        }
        let link = self.linksByHandle[data.header.handle]
        if let link { self.heardPeer(of: link) }
        // Most packets are received at once, and cost no look at the clock.
        if let link, !link.awaitsEncryption { return self.received(data.fragment, data.header, on: link) }
        let packet = EarlyData.Packet(header: data.header, fragment: data.fragment, arrival: self.eventLoop.now)
        if let link { self.receive(packet, on: link) } else { self.earlyData.receive(packet) }
    }

    /// A packet of a link, which waits while encryption starts.
    func receive(_ packet: EarlyData.Packet, on link: HostLink) {
        guard link.isOpen else { return }
        self.heardPeer(of: link)
        guard link.awaitsEncryption else { return self.received(packet.fragment, packet.header, on: link) }
        if link.dataBeforeEncryption.count == EarlyData.limit, let first = link.dataBeforeEncryption.popFirst() {
            self.received(first.fragment, first.header, on: link)
        }
        link.dataBeforeEncryption.append(packet)
    }

    /// A packet's turn has come.
    func received(_ fragment: ByteBuffer, _ header: ACLDataHeader, on link: HostLink) {
        self.receiver.received(on: link)
        var outcome = link.reassembler.receive(fragment, isStart: header.boundary.isFirst)
        if let violation = outcome.violation {
            self.log.debug("\(link.id): dropped L2CAP data: \(violation)")
            if case .tooLong(_, let channel) = violation {
                link.signalling.receiveOverlongFrame(
                    on: channel,
                    now: self.eventLoop.now,
                    into: &link.signallingActions
                )
                self.drainSignalling(link)
            }
        }
        if let frame = outcome.frame.take() { self.receive(frame.payload, on: frame.channel, of: link) }
    }

    /// Hands a value of a stream to the user; false where it is to go from layer to layer, which ignore it or hand it
    /// on.
    private func receive(_ value: ATTValuePacket, in packet: HCIPacket) -> Bool {
        guard let link = self.linksByHandle[value.link], link.isEstablished, !link.awaitsEncryption,
            link.reassembler.takesWhole(value.length)
        else { return false }
        if value.opcode == .handleValueNotification {
            guard link.bearer.isUsable, link.client.acceptsNotification(of: value.attribute) else { return false }
            self.receiver.received(on: link)
            let octets = ATTValuePacket.value(of: packet)
            self.delegate?.host(self, link: link.id, didReceiveValue: octets, for: value.attribute)
        } else {
            let (attribute, length, octetCount) = (value.attribute, value.length, value.valueLength)
            guard self.server.acceptsCommand(to: attribute, length, octetCount, on: &link.bearer) else { return false }
            self.receiver.received(on: link)
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
            self.drainSignalling(link)
        case .securityManagerProtocol:
            self.updateSecurity(of: link) { $0.receive(pdu, &$1) }
            self.drainSecurity(link)
        default:
            guard channel.isDynamic else { return }
            let now = self.eventLoop.now
            link.signalling.receiveFrame(pdu, on: channel, now: now, into: &link.signallingActions)
            self.drainSignalling(link)
        }
    }

    func drainSignalling(_ link: HostLink) {
        while !link.signallingActions.isEmpty {
            // The arrays trade places, as those of the GATT client do.
            var actions = self.spareSignallingActions
            self.spareSignallingActions = []
            swap(&actions, &link.signallingActions)
            for index in actions.indices { self.perform(actions[index].take(), of: link) }
            actions.removeAll(keepingCapacity: true)
            self.spareSignallingActions = actions
        }
    }

    private func perform(_ action: consuming LESignalling.Action, of link: HostLink) {
        switch consume action {
        case .send(let pdu):
            self.enqueue(pdu, on: .signalling, of: link)
        case .updateConnection(let request):
            self.send(LEConnectionUpdate(handle: link.handle, parameters: request.connectionParameters))
        case .parameterRequestEnded:
            break
        case .channel(let action):
            self.perform(action, of: link)
        }
    }
}

extension LEConnectionParameterRequest {
    /// What a peripheral asks its central for, without the hints that only a controller takes.
    init(asking parameters: ConnectionParameters) {
        self.init(
            minimumInterval: parameters.minimumInterval,
            maximumInterval: parameters.maximumInterval,
            latency: parameters.latency,
            supervisionTimeout: parameters.supervisionTimeout
        )
    }

    /// What a central asks of its controller to grant the request.
    var connectionParameters: ConnectionParameters {
        ConnectionParameters(
            minimumInterval: self.minimumInterval,
            maximumInterval: self.maximumInterval,
            latency: self.latency,
            supervisionTimeout: self.supervisionTimeout
        )
    }
}
