// Advertising sets (Vol 4, Part E, 7.8.52 to 7.8.60): legacy and extended PDUs, up to 1,650 octets of data.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension Controller {
    /// The transmit power of a set, in dBm.
    static let txPowerRange: ClosedRange<TransmitPower> = -20...10

    private func advertisingSet(_ handle: AdvertisingHandle) throws(HCIErrorCode) -> AdvertisingSet {
        guard handle.rawValue <= 0xEF else { throw .invalidParameters }
        guard let set = self.advertisingSets.first(where: { $0.handle == handle }) else {
            throw .unknownAdvertisingIdentifier
        }
        return set
    }

    // MARK: Parameters

    /// HCI_LE_Set_Advertising_Set_Random_Address.
    func setRandomAddress(_ command: LESetAdvertisingSetRandomAddress) throws(HCIErrorCode) {
        try self.use(.extended)
        let set = try self.advertisingSet(command.advertisingHandle)
        guard !set.isEnabled || !set.parameters.isConnectable else { throw .commandDisallowed }
        set.randomAddress = command.address
    }

    /// HCI_LE_Set_Extended_Advertising_Parameters; returns the selected power.
    func setExtendedAdvertisingParameters(
        _ command: LESetExtendedAdvertisingParameters
    ) throws(HCIErrorCode) -> TransmitPower {
        try self.use(.extended)
        guard command.advertisingHandle.rawValue <= 0xEF, command.ownAddressType.rawValue <= 3,
            command.filterPolicy.rawValue <= 3, !command.channels.isEmpty,
            AdvertisingChannels.all.isSuperset(of: command.channels),
            command.minimumInterval.isInRange, command.maximumInterval.isInRange,
            command.minimumInterval <= command.maximumInterval, command.setIdentifier <= 0x0F,
            command.txPower ?? 0 <= 20
        else { throw .invalidParameters }
        try self.check(command)
        let existing = self.advertisingSets.first { $0.handle == command.advertisingHandle }
        if let existing {
            guard !existing.isEnabled else { throw .commandDisallowed }
            let longest = max(existing.data.readableBytes, existing.scanResponse.readableBytes)
            if command.properties.contains(.legacy), longest > AdvertisingDataLimits.legacy {
                throw .invalidParameters
            }
        } else if self.advertisingSets.count >= self.model.advertisingSetCount {
            throw .memoryCapacityExceeded
        }
        let power = command.txPower ?? 0
        let parameters = AdvertisingSetParameters(
            properties: command.properties,
            interval: command.minimumInterval.timeAmount,
            ownAddressType: command.ownAddressType,
            peer: command.peer,
            filterPolicy: command.filterPolicy,
            txPower: min(max(power, Self.txPowerRange.lowerBound), Self.txPowerRange.upperBound),
            primaryPHY: command.primaryPHY,
            secondaryPHY: command.secondaryPHY,
            setIdentifier: command.setIdentifier,
            notifiesScanRequests: command.notifiesScanRequests
        )
        if let existing {
            existing.parameters = parameters
        } else {
            let set = AdvertisingSet(handle: command.advertisingHandle, controller: self, parameters: parameters)
            self.advertisingSets.append(set)
        }
        return parameters.txPower
    }

    /// Checks the combination of properties and PHYs (7.8.53).
    private func check(_ command: LESetExtendedAdvertisingParameters) throws(HCIErrorCode) {
        let properties = command.properties
        let known: AdvertisingEventProperties = [
            .connectable, .scannable, .directed, .highDutyCycleDirected, .legacy, .anonymous, .includeTxPower,
        ]
        guard known.isSuperset(of: properties) else { throw .unsupportedFeature }
        if properties.contains(.legacy) {
            let allowed: [AdvertisingEventProperties] = [
                [.legacy, .connectable, .scannable],
                [.legacy, .connectable, .directed],
                [.legacy, .connectable, .directed, .highDutyCycleDirected],
                [.legacy, .scannable],
                [.legacy],
            ]
            guard allowed.contains(properties), command.primaryPHY == .le1M else { throw .invalidParameters }
        } else {
            guard !properties.isSuperset(of: [.connectable, .scannable]),
                !properties.contains(.highDutyCycleDirected),
                !properties.contains(.anonymous) || properties.isDisjoint(with: [.connectable, .scannable]),
                command.primaryPHY == .le1M || command.primaryPHY == .leCoded,
                PHYSet.all.contains(command.secondaryPHY)
            else { throw .invalidParameters }
        }
    }

    // MARK: Data

    /// HCI_LE_Set_Extended_Advertising_Data.
    func setExtendedAdvertisingData(_ command: LESetExtendedAdvertisingData) throws(HCIErrorCode) {
        try self.use(.extended)
        let set = try self.advertisingSet(command.advertisingHandle)
        let properties = set.parameters.properties
        // Directed legacy PDUs and scannable extended ones carry no data.
        if properties.contains(.legacy) ? properties.contains(.directed) : properties.contains(.scannable) {
            throw .invalidParameters
        }
        if command.operation == .unchanged {
            // Only the data identifier changes.
            guard set.isEnabled, command.data.readableBytes == 0, !set.parameters.isLegacy,
                set.data.readableBytes > 0
            else { throw .invalidParameters }
            set.renewDataIdentifier()
            return
        }
        let data = try self.joined(command.data, command.operation, to: set.partialData, set: set)
        set.partialData = data.isComplete ? nil : data.octets
        if data.isComplete { set.data = data.octets }
    }

    /// HCI_LE_Set_Extended_Scan_Response_Data.
    func setExtendedScanResponseData(_ command: LESetExtendedScanResponseData) throws(HCIErrorCode) {
        try self.use(.extended)
        let set = try self.advertisingSet(command.advertisingHandle)
        guard set.parameters.properties.contains(.scannable) else { throw .invalidParameters }
        let data = try self.joined(command.data, command.operation, to: set.partialScanResponse, set: set)
        set.partialScanResponse = data.isComplete ? nil : data.octets
        if data.isComplete { set.scanResponse = data.octets }
    }

    /// Joins fragments: data arrives complete, or as a first, intermediate and last fragment (7.8.54).
    private func joined(
        _ data: ByteBuffer,
        _ operation: AdvertisingDataOperation,
        to partial: ByteBuffer?,
        set: AdvertisingSet
    ) throws(HCIErrorCode) -> (octets: ByteBuffer, isComplete: Bool) {
        if set.parameters.isLegacy {
            guard operation == .complete, data.readableBytes <= AdvertisingDataLimits.legacy else {
                throw .invalidParameters
            }
        }
        if operation == .complete {
            if set.isEnabled { try self.check(length: data.readableBytes, of: set) }
            return (data, true)
        }
        guard operation.rawValue < AdvertisingDataOperation.complete.rawValue, data.readableBytes > 0 else {
            throw .invalidParameters
        }
        guard !set.isEnabled else { throw .commandDisallowed }
        var octets = ByteBuffer()
        if operation != .firstFragment {
            guard let partial else { throw .commandDisallowed }
            octets = partial
        }
        guard octets.readableBytes + data.readableBytes <= self.model.maximumAdvertisingDataLength else {
            throw .memoryCapacityExceeded
        }
        octets.writeImmutableBuffer(data)
        return (octets, operation == .lastFragment)
    }

    private func check(length: Int, of set: AdvertisingSet) throws(HCIErrorCode) {
        if set.parameters.isConnectable, !set.parameters.isLegacy, length > AdvertisingDataLimits.connectable {
            throw .packetTooLong
        }
    }

    // MARK: Life of a set

    /// HCI_LE_Set_Extended_Advertising_Enable.
    func setExtendedAdvertisingEnable(_ command: LESetExtendedAdvertisingEnable) throws(HCIErrorCode) {
        try self.use(.extended)
        for (index, item) in command.sets.enumerated()
        where command.sets[..<index].contains(where: { $0.handle == item.handle }) {
            throw .invalidParameters
        }
        var sets: [AdvertisingSet] = []
        for item in command.sets { sets.append(try self.advertisingSet(item.handle)) }
        guard command.isEnabled else {
            for set in command.sets.isEmpty ? self.advertisingSets : sets { set.stop() }
            return
        }
        guard !sets.isEmpty else { throw .invalidParameters }
        // All or none (7.8.56).
        var runs: [AdvertisingSet.Run] = []
        for (item, set) in zip(command.sets, sets) {
            guard set.partialData == nil, set.partialScanResponse == nil else { throw .commandDisallowed }
            let isExtendedScannable = !set.parameters.isLegacy && set.parameters.properties.contains(.scannable)
            if isExtendedScannable, set.scanResponse.readableBytes == 0 { throw .commandDisallowed }
            try self.check(length: set.data.readableBytes, of: set)
            let duration = item.duration.rawValue == 0 ? nil : item.duration.timeAmount
            if set.parameters.isHighDutyCycle {
                guard let duration, duration <= AdvertisingSet.highDutyCycleDuration else { throw .invalidParameters }
            }
            runs.append(try self.makeRun(set, duration: duration, maximumEvents: item.maximumEvents))
        }
        guard !self.model.quirks.contains(.ignoresExtendedCommands) else { return }
        for (set, run) in zip(sets, runs) { set.start(run) }
    }

    /// HCI_LE_Remove_Advertising_Set.
    func removeAdvertisingSet(_ command: LERemoveAdvertisingSet) throws(HCIErrorCode) {
        try self.use(.extended)
        let set = try self.advertisingSet(command.advertisingHandle)
        guard !set.isEnabled else { throw .commandDisallowed }
        self.advertisingSets.removeAll { $0 === set }
    }

    /// HCI_LE_Clear_Advertising_Sets.
    func clearAdvertisingSets(_: LEClearAdvertisingSets) throws(HCIErrorCode) {
        try self.use(.extended)
        guard !self.isAdvertising() else { throw .commandDisallowed }
        self.advertisingSets = []
    }
}
