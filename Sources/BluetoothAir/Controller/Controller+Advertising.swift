// Legacy advertising (Vol 4, Part E, 7.8.5 to 7.8.9), and what it shares with extended advertising.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension Controller {
    // MARK: Commands

    /// HCI_LE_Set_Random_Address; not allowed while the address may be in use (7.8.4).
    func setRandomAddress(_ command: LESetRandomAddress) throws(HCIErrorCode) {
        if self.isListening || self.isAdvertising(where: \.isLegacyAdvertiser) { throw .commandDisallowed }
        self.settings.randomAddress = command.address
    }

    /// HCI_LE_Set_Advertising_Parameters.
    func setAdvertisingParameters(_ command: LESetAdvertisingParameters) throws(HCIErrorCode) {
        try self.use(.legacy)
        let set = self.legacyAdvertiser
        guard !set.isEnabled else { throw .commandDisallowed }
        guard command.ownAddressType.rawValue <= 3, command.filterPolicy.rawValue <= 3,
            !command.channels.isEmpty, AdvertisingChannels.all.isSuperset(of: command.channels)
        else { throw .invalidParameters }
        var parameters = AdvertisingSetParameters()
        switch command.type {
        case .connectableUndirected: parameters.properties = [.legacy, .connectable, .scannable]
        case .connectableDirectedHighDutyCycle:
            parameters.properties = [.legacy, .connectable, .directed, .highDutyCycleDirected]
        case .scannableUndirected: parameters.properties = [.legacy, .scannable]
        case .nonConnectableUndirected: parameters.properties = [.legacy]
        case .connectableDirectedLowDutyCycle: parameters.properties = [.legacy, .connectable, .directed]
        default: throw .invalidParameters
        }
        // High duty cycle advertising ignores the interval.
        if command.type != .connectableDirectedHighDutyCycle {
            guard command.minimumInterval.isInRange, command.maximumInterval.isInRange,
                command.minimumInterval <= command.maximumInterval
            else { throw .invalidParameters }
            // Before 5.0, only connectable advertising could be faster than 100 ms.
            if self.model.version.rawValue < CoreVersion.v5_0.rawValue, !parameters.isConnectable,
                command.minimumInterval.timeAmount < .milliseconds(100)
            {
                throw .invalidParameters
            }
        }
        parameters.interval = command.minimumInterval.timeAmount
        parameters.ownAddressType = command.ownAddressType
        parameters.peer = command.peer
        parameters.filterPolicy = command.filterPolicy
        set.parameters = parameters
    }

    /// HCI_LE_Set_Advertising_Data.
    func setAdvertisingData(_ command: LESetAdvertisingData) throws(HCIErrorCode) {
        try self.use(.legacy)
        self.legacyAdvertiser.data = command.data
    }

    /// HCI_LE_Set_Scan_Response_Data.
    func setScanResponseData(_ command: LESetScanResponseData) throws(HCIErrorCode) {
        try self.use(.legacy)
        self.legacyAdvertiser.scanResponse = command.data
    }

    /// HCI_LE_Set_Advertising_Enable.
    func setAdvertisingEnable(_ command: LESetAdvertisingEnable) throws(HCIErrorCode) {
        try self.use(.legacy)
        let set = self.legacyAdvertiser
        guard command.isEnabled else { return set.stop() }
        // Enabling again is allowed, and uses the present random address (7.8.9).
        let run = try self.makeRun(set, duration: nil, maximumEvents: 0)
        set.start(run)
    }

    // MARK: Parts

    /// The set of the legacy commands, created when it is first used.
    private var legacyAdvertiser: AdvertisingSet {
        if let set = self.advertisingSets.first(where: \.isLegacyAdvertiser) { return set }
        let set = AdvertisingSet(handle: .none, controller: self, parameters: AdvertisingSetParameters())
        self.advertisingSets.append(set)
        return set
    }

    /// Chooses legacy or extended commands; the other family is then not allowed until a reset (3.1.1).
    func use(_ family: ControllerSettings.CommandFamily) throws(HCIErrorCode) {
        if self.model.quirks.contains(.mixesCommandFamilies) { return }
        if self.settings.commandFamily == .undecided { self.settings.commandFamily = family }
        guard self.settings.commandFamily == family else { throw .commandDisallowed }
    }

    /// Creates the run of a set that is to be enabled.
    func makeRun(
        _ set: AdvertisingSet,
        duration: TimeAmount?,
        maximumEvents: UInt8
    ) throws(HCIErrorCode) -> AdvertisingSet.Run {
        try self.requireRole(.advertising)
        if set.parameters.isConnectable, self.links.isFull { throw .connectionLimitExceeded }
        let random = set.isLegacyAdvertiser ? self.settings.randomAddress : set.randomAddress
        let address = try self.ownAddress(
            set.parameters.ownAddressType,
            random: random,
            peer: set.parameters.peer
        )
        var duration = duration
        if set.parameters.isHighDutyCycle {
            duration = min(duration ?? AdvertisingSet.highDutyCycleDuration, AdvertisingSet.highDutyCycleDuration)
        }
        return AdvertisingSet.Run(
            address: address,
            end: duration.map { self.now + $0 },
            maximumEvents: maximumEvents
        )
    }

    /// The address of a set's PDUs now.
    func currentAddress(of set: AdvertisingSet, _ run: AdvertisingSet.Run) -> DeviceAddress {
        let type = set.parameters.ownAddressType
        guard type.isResolvable else { return run.address }
        let random = set.isLegacyAdvertiser ? self.settings.randomAddress : set.randomAddress
        return (try? self.ownAddress(type, random: random, peer: set.parameters.peer)) ?? run.address
    }

    /// Ends a set whose time or number of events is over.
    func advertisingEnded(_ set: AdvertisingSet, status: HCIErrorCode) {
        // Events are counted only if their number was limited (7.7.65.18).
        let events = set.run.map { $0.maximumEvents > 0 ? $0.events : 0 } ?? 0
        set.stop()
        if set.isLegacyAdvertiser {
            self.reportFailedConnection(status, role: .peripheral)
        } else {
            self.emit(
                LEAdvertisingSetTerminated(
                    status: status,
                    advertisingHandle: set.handle,
                    handle: ConnectionHandle(rawValue: 0),
                    completedEvents: UInt8(truncatingIfNeeded: events)
                )
            )
        }
    }

    /// Whether a set accepts a connection request of a central.
    func accepts(_ central: DeviceAddress, address: DeviceAddress, set: AdvertisingSet) -> Bool {
        if set.parameters.properties.contains(.directed) {
            let peer = set.parameters.peer.withoutIdentity
            return central.withoutIdentity == peer || address == peer
        }
        switch set.parameters.filterPolicy {
        case .connectFromAcceptList, .acceptList: return self.acceptListContains(central)
        default: return true
        }
    }

    /// Whether an enabled set meets `condition`.
    func isAdvertising(where condition: (AdvertisingSet) -> Bool = { _ in true }) -> Bool {
        self.advertisingSets.contains { $0.isEnabled && condition($0) }
    }
}
