// An advertising event on the air (Vol 6, Part B, 4.4.2): which devices hear it, send a scan request, or connect. An
// event counts as one packet, though a radio sends it on three channels, and is lost for each listener separately. Lost
// requests and responses are not repeated: the next event comes soon.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension Air {
    /// Sends an advertising event.
    ///
    /// - Returns: Whether a link was made, which ends the advertising.
    func advertise(_ set: AdvertisingSet, _ run: AdvertisingSet.Run) -> Bool {
        var run = run
        let advertiser = set.controller
        // A resolvable private address is renewed while the set goes on (Vol 6, Part B, 6.2.1).
        run.address = advertiser.currentAddress(of: set, run)
        let pdu = set.makePDU(address: run.address, target: advertiser.targetAddress(of: set.parameters))
        var initiator: Controller?
        var receivers = set.takeReceivers()
        defer { set.receivers = receivers }
        receivers.update(for: advertiser, txPower: pdu.txPower, on: self.map, self.obstacles)
        // With loss, every packet needs a random draw; and the advertiser's host may want a report of every scan
        // request.
        let mayOmit = self.settings.loss == 0 && !set.parameters.notifiesScanRequests
        for index in receivers.entries.indices {
            let slot = receivers.entries[index].slot
            let hearing = self.hearing(slot)
            if hearing == .notListening { continue }
            if mayOmit, receivers.entries[index].reported.isComplete(pdu.contentNumber, for: hearing) { continue }
            guard let mean = receivers.entries[index].rssi, let listener = self.controller(slot) else { continue }
            assert(listener.hearing == hearing, "what a controller hears has changed without `hearingChanged()`")
            guard !self.losesPacket() else { continue }
            let rssi = self.fadedStrength(mean)
            if listener.hears(pdu),
                let scanner = listener.report(pdu, rssi: rssi, &receivers.entries[index].reported)
            {
                self.answerScanRequest(
                    of: listener,
                    from: scanner,
                    pdu: pdu,
                    set: set,
                    rssi: rssi,
                    &receivers.entries[index].reported
                )
            }
            if initiator == nil, listener.wantsToConnect(to: pdu), !self.losesPacket() { initiator = listener }
        }
        guard let initiator else { return false }
        return self.connect(initiator, to: set, pdu: pdu, run: run)
    }

    private func answerScanRequest(
        of listener: Controller,
        from scanner: DeviceAddress,
        pdu: AdvertisingPDU,
        set: AdvertisingSet,
        rssi: RSSI,
        _ reported: inout ReportedAdvertising
    ) {
        let advertiser = set.controller
        guard !self.losesPacket() else { return }
        let known = advertiser.identity(of: scanner)
        guard advertiser.admitsPrivacy(of: known) else { return }
        switch set.parameters.filterPolicy {
        case .scanFromAcceptList, .acceptList:
            guard advertiser.acceptListContains(known) else { return }
        default: break
        }
        if set.parameters.notifiesScanRequests {
            advertiser.emit(LEScanRequestReceived(advertisingHandle: set.handle, scanner: known))
        }
        guard !self.losesPacket() else { return }
        listener.reportScanResponse(set.scanResponse, to: pdu, rssi: rssi, &reported)
    }

    /// Makes a link, if both sides can have one.
    private func connect(
        _ initiator: Controller,
        to set: AdvertisingSet,
        pdu: AdvertisingPDU,
        run: AdvertisingSet.Run
    ) -> Bool {
        let advertiser = set.controller
        guard let initiation = initiator.initiation, let channel = initiation.channel(for: pdu),
            !initiator.links.isFull, !advertiser.links.isFull
        else { return false }
        let centralAddress = initiator.initiatingAddress(for: initiation, peer: pdu.address)
        let central = advertiser.identity(of: centralAddress)
        let peripheral = initiator.identity(of: run.address)
        guard advertiser.admitsPrivacy(of: central), advertiser.accepts(central, address: centralAddress, set: set),
            !initiator.isConnected(to: peripheral), !advertiser.isConnected(to: central)
        else { return false }
        if advertiser.refusesConnections {
            // As if the peripheral never took part in a connection event (Vol 6, Part B, 4.5).
            initiator.stopInitiating()
            initiator.reportFailedConnection(.connectionFailedToBeEstablished, role: .central)
            return false
        }

        set.stop()
        initiator.stopInitiating()
        let (link, peripheralEnd) = self.makeLink(
            LinkPlan(
                central: initiator,
                peripheral: advertiser,
                addresses: (centralAddress, run.address),
                identities: (central, peripheral),
                parameters: channel.parameters,
                phy: pdu.isLegacy ? .le1M : pdu.secondaryPHY,
                advertisingHandle: set.handle
            )
        )
        if !set.isLegacyAdvertiser {
            advertiser.emit(
                LEAdvertisingSetTerminated(
                    advertisingHandle: set.handle,
                    handle: peripheralEnd.handle,
                    completedEvents: UInt8(truncatingIfNeeded: run.maximumEvents > 0 ? run.events : 0)
                )
            )
        }
        if initiator.model.quirks.contains(.firstLinkFails), !initiator.hasFailedLink {
            initiator.hasFailedLink = true
            link.failToBeEstablished()
        }
        link.begin()
        return true
    }

    /// A link to be established.
    private struct LinkPlan {
        var central: Controller
        var peripheral: Controller
        /// The addresses on the air: the central's, then the peripheral's.
        var addresses: (DeviceAddress, DeviceAddress)
        /// The identity addresses, in the same order.
        var identities: (DeviceAddress, DeviceAddress)
        var parameters: ConnectionParameters
        var phy: PHY
        var advertisingHandle: AdvertisingHandle
    }

    /// Connects two controllers without an advertisement, for devices that have connected elsewhere.
    ///
    /// Does nothing if they are already connected or one of them has no room for a link.
    func connect(_ central: Controller, at address: DeviceAddress, to peripheral: Controller) {
        guard !central.links.isFull, !peripheral.links.isFull, !peripheral.isConnected(to: address),
            !central.isConnected(to: peripheral.publicAddress)
        else { return }
        let addresses = (address, peripheral.publicAddress)
        let (link, _) = self.makeLink(
            LinkPlan(
                central: central,
                peripheral: peripheral,
                addresses: addresses,
                identities: addresses,
                parameters: ConnectionParameters(
                    minimumInterval: ConnectionInterval(.milliseconds(30)),
                    maximumInterval: ConnectionInterval(.milliseconds(30)),
                    supervisionTimeout: SupervisionTimeout(.milliseconds(720))
                ),
                phy: .le1M,
                advertisingHandle: .none
            )
        )
        link.begin()
    }

    private func makeLink(_ plan: LinkPlan) -> (link: AirLink, peripheralEnd: LinkEnd) {
        let centralEnd = LinkEnd(
            controller: plan.central,
            handle: plan.central.links.makeHandle(),
            role: .central,
            peerAddress: plan.identities.1
        )
        let peripheralEnd = LinkEnd(
            controller: plan.peripheral,
            handle: plan.peripheral.links.makeHandle(),
            role: .peripheral,
            peerAddress: plan.identities.0
        )
        // The first event follows the request after its air time and 1.25 ms (4.5.3).
        let request = AirTime.microseconds(plan.phy, payload: 34)
        let link = AirLink(
            air: self,
            central: centralEnd,
            peripheral: peripheralEnd,
            timing: AirLinkTiming(plan.parameters),
            channels: plan.central.settings.channelClassification,
            phy: plan.phy,
            anchor: self.now + .microseconds(request + 1_250)
        )
        plan.central.links.insert(AirLinkTable.Entry(link: link, end: centralEnd))
        plan.peripheral.links.insert(AirLinkTable.Entry(link: link, end: peripheralEnd))
        plan.central.reportConnection(link, at: centralEnd, addresses: plan.addresses, advertisingHandle: .none)
        plan.peripheral.reportConnection(
            link,
            at: peripheralEnd,
            addresses: (plan.addresses.1, plan.addresses.0),
            advertisingHandle: plan.advertisingHandle
        )
        return (link, peripheralEnd)
    }
}

extension AirLink {
    /// Begins with what the ends do first.
    fileprivate func begin() {
        // A controller that prefers more than the initial length starts the data length procedure itself (4.5.10).
        if let end = [self.central, self.peripheral].first(where: { $0.preferredLength != .initial }) {
            self.updateLengths(from: end)
        } else {
            // With loss, a link has connection events from the start.
            self.wake()
        }
    }
}
