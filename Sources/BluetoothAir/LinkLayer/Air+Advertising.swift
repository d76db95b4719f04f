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
            guard let rssi = receivers.entries[index].rssi, let listener = self.controller(slot) else { continue }
            assert(listener.hearing == hearing, "what a controller hears has changed without `hearingChanged()`")
            guard !self.losesPacket() else { continue }
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

        let phy = pdu.isLegacy ? PHY.le1M : pdu.secondaryPHY
        let centralEnd = LinkEnd(
            controller: initiator,
            handle: initiator.links.makeHandle(),
            role: .central,
            peerAddress: peripheral
        )
        let peripheralEnd = LinkEnd(
            controller: advertiser,
            handle: advertiser.links.makeHandle(),
            role: .peripheral,
            peerAddress: central
        )
        // The first event follows the request after its air time and 1.25 ms (4.5.3).
        let request = AirTime.microseconds(phy, payload: 34)
        let link = AirLink(
            air: self,
            central: centralEnd,
            peripheral: peripheralEnd,
            timing: AirLinkTiming(channel.parameters),
            channels: initiator.settings.channelClassification,
            phy: phy,
            anchor: self.now + .microseconds(request + 1_250)
        )
        set.stop()
        initiator.stopInitiating()
        initiator.links.insert(AirLinkTable.Entry(link: link, end: centralEnd))
        advertiser.links.insert(AirLinkTable.Entry(link: link, end: peripheralEnd))
        initiator.reportConnection(
            link,
            at: centralEnd,
            addresses: (centralAddress, run.address),
            advertisingHandle: .none
        )
        advertiser.reportConnection(
            link,
            at: peripheralEnd,
            addresses: (run.address, centralAddress),
            advertisingHandle: set.handle
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
        // A controller that prefers more than the initial length starts the data length procedure itself (4.5.10).
        if let end = [centralEnd, peripheralEnd].first(where: { $0.preferredLength != .initial }) {
            link.updateLengths(from: end)
        } else {
            // With loss, a link has connection events from the start.
            link.wake()
        }
        return true
    }
}
