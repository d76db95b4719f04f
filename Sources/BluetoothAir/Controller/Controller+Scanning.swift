// Scanning (Vol 4, Part E, 7.8.10, 7.8.11, 7.8.64 and 7.8.65): commands, filters and reports.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension Controller {
    // MARK: Legacy commands

    /// HCI_LE_Set_Scan_Parameters.
    func setScanParameters(_ command: LESetScanParameters) throws(HCIErrorCode) {
        try self.use(.legacy)
        guard self.scan == nil else { throw .commandDisallowed }
        guard command.type.rawValue <= 1, command.ownAddressType.rawValue <= 3, command.filterPolicy.rawValue <= 3,
            command.interval.isInRange, command.window.isInRange, command.window <= command.interval
        else { throw .invalidParameters }
        self.settings.scanParameters = ScanSettings(
            le1M: ScanSettings.Channel(
                isActive: command.type == .active,
                plan: ListeningPlan(interval: command.interval.timeAmount, window: command.window.timeAmount)
            ),
            leCoded: nil,
            ownAddressType: command.ownAddressType,
            filterPolicy: command.filterPolicy
        )
    }

    /// HCI_LE_Set_Scan_Enable.
    func setScanEnable(_ command: LESetScanEnable) throws(HCIErrorCode) {
        try self.use(.legacy)
        guard command.filterDuplicates.rawValue <= 1 else { throw .invalidParameters }
        guard command.isEnabled else { return self.stopScan() }
        try self.startScan(isExtended: false, filter: command.filterDuplicates, duration: nil, period: nil)
    }

    // MARK: Extended commands

    /// HCI_LE_Set_Extended_Scan_Parameters.
    func setExtendedScanParameters(_ command: LESetExtendedScanParameters) throws(HCIErrorCode) {
        try self.use(.extended)
        guard self.scan == nil, self.links.count == 0 || !self.model.quirks.contains(.refusesExtendedScanWithLinks)
        else { throw .commandDisallowed }
        guard command.ownAddressType.rawValue <= 3, command.filterPolicy.rawValue <= 3,
            command.le1M != nil || command.leCoded != nil
        else { throw .invalidParameters }
        func channel(
            _ parameters: LESetExtendedScanParameters.PHYParameters?
        ) throws(HCIErrorCode) -> ScanSettings.Channel? {
            guard let parameters else { return nil }
            guard parameters.type.rawValue <= 1, parameters.interval.isInRange, parameters.window.isInRange,
                parameters.window <= parameters.interval
            else { throw .invalidParameters }
            return ScanSettings.Channel(
                isActive: parameters.type == .active,
                plan: ListeningPlan(interval: parameters.interval.timeAmount, window: parameters.window.timeAmount)
            )
        }
        self.settings.scanParameters = ScanSettings(
            le1M: try channel(command.le1M),
            leCoded: try channel(command.leCoded),
            ownAddressType: command.ownAddressType,
            filterPolicy: command.filterPolicy
        )
    }

    /// HCI_LE_Set_Extended_Scan_Enable.
    func setExtendedScanEnable(_ command: LESetExtendedScanEnable) throws(HCIErrorCode) {
        try self.use(.extended)
        guard command.isEnabled else { return self.stopScan() }
        let duration = command.duration.rawValue == 0 ? nil : command.duration.timeAmount
        let period = command.period.rawValue == 0 ? nil : command.period.timeAmount
        guard command.filterDuplicates.rawValue <= 2 else { throw .invalidParameters }
        if command.filterDuplicates == .resetEachPeriod || period != nil {
            guard let duration, let period, duration < period else { throw .invalidParameters }
        }
        guard !self.model.quirks.contains(.ignoresExtendedCommands) else { return }
        try self.startScan(
            isExtended: true,
            filter: command.filterDuplicates,
            duration: duration,
            period: period
        )
    }

    // MARK: Life of a scan

    private func startScan(
        isExtended: Bool,
        filter: DuplicateFilter,
        duration: TimeAmount?,
        period: TimeAmount?
    ) throws(HCIErrorCode) {
        try self.requireRole(.scanning)
        let parameters = self.settings.scanParameters
        let address = try self.ownAddress(
            parameters.ownAddressType,
            random: self.settings.randomAddress,
            peer: .none
        )
        // Enabling again restarts the duplicate filter and the duration.
        self.scan = ScanState(
            parameters: parameters,
            isExtended: isExtended,
            filter: filter,
            startTime: self.now,
            duration: duration,
            period: period,
            address: address
        )
        self.beginHearing()
        if let duration, period == nil {
            self.air.arm(self.scanTimer, at: self.now + duration)
        } else {
            self.scanTimer.cancel()
        }
    }

    private func stopScan() {
        self.scan = nil
        self.hearingChanged()
        self.scanTimer.cancel()
    }

    func scanTimerFired() {
        self.stopScan()
        self.emit(LEScanTimeout())
    }

    // MARK: Hearing

    /// Whether the radio scans or initiates.
    var isListening: Bool { self.scan != nil || self.initiation != nil }

    /// Whether the scanner receives a PDU: it listens now, on this PHY, and supports this kind of PDU.
    func hears(_ pdu: AdvertisingPDU) -> Bool {
        guard let scan = self.scan, pdu.isLegacy || scan.isExtended,
            let channel = scan.parameters.channel(pdu.primaryPHY), scan.isInPeriod(self.now),
            channel.isActive || !self.model.quirks.contains(.reportsActiveScansOnly)
        else { return false }
        return !self.air.settings.hasAirTime || channel.plan.listens(at: self.now, since: scan.startTime)
    }

    /// Reports a PDU if it passes the filters and the host needs it.
    ///
    /// Returns the address of the scan request to send, or `nil` if there is none.
    func report(_ pdu: AdvertisingPDU, rssi: RSSI, _ reported: inout ReportedAdvertising) -> DeviceAddress? {
        guard let scan = self.scan else { return nil }
        let advertiser = pdu.address.map(self.identity(of:))
        if let advertiser, !self.admitsPrivacy(of: advertiser) { return nil }
        if scan.parameters.usesAcceptList {
            guard self.acceptListContains(advertiser) else { return nil }
        }
        var target: AdvertisingTarget?
        if let directed = pdu.target {
            guard let known = self.target(directed, of: scan.parameters) else { return nil }
            target = known
        }
        let isActive = scan.parameters.channel(pdu.primaryPHY)?.isActive ?? false
        let asks = isActive && pdu.properties.contains(.scannable)
        if self.scan?.admits(pdu, isScanResponse: false, now: self.now) ?? false,
            reported.needsReport(pdu.contentNumber, for: self.hearing, awaitsResponse: asks)
        {
            self.emitReport(pdu, data: pdu.data, from: advertiser, target: target, isScanResponse: false, rssi: rssi)
            reported.noteReport()
        }
        guard asks else { return nil }
        return self.scanningAddress(for: scan, advertiser: advertiser)
    }

    /// Reports a scan response.
    func reportScanResponse(
        _ data: ByteBuffer,
        to pdu: AdvertisingPDU,
        rssi: RSSI,
        _ reported: inout ReportedAdvertising
    ) {
        guard self.scan?.admits(pdu, isScanResponse: true, now: self.now) ?? false,
            reported.needsResponse(for: self.hearing)
        else { return }
        let advertiser = pdu.address.map(self.identity(of:))
        self.emitReport(pdu, data: data, from: advertiser, target: nil, isScanResponse: true, rssi: rssi)
        reported.noteResponse()
    }

    /// The target of directed advertising as it appears in the report; `nil` if the PDU is not for this device.
    private func target(_ directed: DeviceAddress, of parameters: ScanSettings) -> AdvertisingTarget? {
        let filterPolicy = parameters.filterPolicy
        if self.isOwn(directed) {
            return .device(self.ownIdentity(of: directed, ownAddressType: parameters.ownAddressType))
        }
        // Addresses that the host may be able to resolve are reported if it wants them (7.8.10).
        let wantsUnresolved =
            filterPolicy == .allAndUnresolvedDirected || filterPolicy == .acceptListAndUnresolvedDirected
        guard wantsUnresolved, directed.randomKind == .resolvablePrivate else { return nil }
        return .unresolved(directed)
    }

    // MARK: Reports

    private func emitReport(
        _ pdu: AdvertisingPDU,
        data: ByteBuffer,
        from advertiser: DeviceAddress?,
        target: AdvertisingTarget?,
        isScanResponse: Bool,
        rssi: RSSI
    ) {
        // A controller need not keep reports that the host does not take.
        guard self.receiveBuffers.isHostWritable else { return }
        guard self.scan?.isExtended ?? false else {
            guard let advertiser else { return }
            if case .unresolved? = target, let target {
                guard self.wants(.directedAdvertisingReport) else { return }
                return self.deliver(
                    LEDirectedAdvertisingReports.packet(
                        LEDirectedAdvertisingReport(address: advertiser, target: target, rssi: rssi)
                    )
                )
            }
            guard self.wants(.advertisingReport) else { return }
            let report = LEAdvertisingReport(
                eventType: isScanResponse ? .scanResponse : pdu.legacyEventType,
                address: advertiser,
                data: data,
                rssi: rssi
            )
            return self.deliver(LEAdvertisingReports.packet(report))
        }
        guard self.wants(.extendedAdvertisingReport) else { return }
        self.emitExtendedReports(pdu, data: data, from: advertiser, target: target, isScanResponse, rssi: rssi)
    }

    /// An event carries at most 229 octets of data; longer data is split (7.7.65.13).
    private func emitExtendedReports(
        _ pdu: AdvertisingPDU,
        data: ByteBuffer,
        from advertiser: DeviceAddress?,
        target: AdvertisingTarget?,
        _ isScanResponse: Bool,
        rssi: RSSI
    ) {
        var rest = data
        var eventType = LEExtendedAdvertisingReport.EventType(rawValue: pdu.properties.rawValue & 0b0111)
        if pdu.isLegacy { eventType.insert(.legacy) }
        if isScanResponse { eventType.insert(.scanResponse) }
        repeat {
            let part = rest.readSlice(length: min(rest.readableBytes, 229)) ?? ByteBuffer()
            eventType.dataStatus = rest.readableBytes > 0 ? .incomplete : .complete
            let report = LEExtendedAdvertisingReport(
                eventType: eventType,
                address: advertiser,
                primaryPHY: pdu.primaryPHY,
                secondaryPHY: pdu.isLegacy ? nil : pdu.secondaryPHY,
                setIdentifier: pdu.isLegacy ? nil : pdu.setIdentifier,
                txPower: pdu.properties.contains(.includeTxPower) ? pdu.txPower : nil,
                rssi: rssi,
                target: target,
                data: part
            )
            self.deliver(LEExtendedAdvertisingReports.packet(report))
        } while rest.readableBytes > 0
    }
}

extension AdvertisingPDU {
    /// The type of a legacy report.
    var legacyEventType: LEAdvertisingReport.EventType {
        if self.properties.contains(.directed) { return .connectableDirected }
        if self.properties.contains(.connectable) { return .connectableUndirected }
        return self.properties.contains(.scannable) ? .scannableUndirected : .nonConnectableUndirected
    }
}
