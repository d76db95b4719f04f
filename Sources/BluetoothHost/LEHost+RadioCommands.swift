// The commands of advertiser, scanner and initiator, legacy and extended: which ones the controller is given is decided
// by `ExtendedCommands`. By the extended ones it hears and connects to devices that advertise in extended PDUs and on
// LE Coded. What Core Bluetooth's apps advertise stays in legacy PDUs, which everybody hears.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension LEHost {
    /// Whether this controller hears extended advertising and connects to devices that advertise so, as far as it is
    /// known.
    public var hasExtendedAdvertising: Bool { self.extendedCommands.areUsed }

    private typealias Completion = (LEHostError?) -> Void

    /// Sends the command of the first family; where the controller refuses it and takes that of the next one, that.
    private func send(
        by families: [CommandFamily],
        _ command: @escaping (CommandFamily, @escaping Completion) -> Void,
        completion: @escaping (LEHostError?, CommandFamily) -> Void
    ) {
        command(families[0]) { failure in
            guard case .refused? = failure, families.count > 1 else { return completion(failure, families[0]) }
            command(families[1]) { otherFailure in
                if otherFailure == nil { completion(nil, families[1]) } else { completion(failure, families[0]) }
            }
        }
    }

    private func send<Command: HCICommand>(_ command: Command, then completion: @escaping Completion) {
        self.send(command) { completion($0.failure) }
    }

    // MARK: Advertising

    func perform(_ step: Advertiser.Step) {
        let next: Completion = { [unowned self] failure in
            // A controller whose links are all taken has many words for it. A refusal to disable concerns no other
            // role.
            var isExcluded = false
            if let failure, case .refused(let status) = failure, step != .disable,
                step == .enable || status == .commandDisallowed
            {
                isExcluded = self.isExcluded(self.advertiser.triedRole, of: .advertising, status)
            }
            let (outcome, step) = self.advertiser.completed(failure, isExcluded: isExcluded)
            if let step { self.perform(step) }
            switch outcome {
            case .started(let number): self.advertisingCompletions.removeValue(forKey: number)?(.success(()))
            case .refused(let number, let error):
                self.log.warning("advertising was not started: \(error)")
                self.advertisingCompletions.removeValue(forKey: number)?(.failure(error))
            case .ended(let error):
                self.log.warning("advertising has ended: \(error)")
                self.delegate?.host(self, didStopAdvertisingBecauseOf: error)
            case nil: break
            }
        }
        let isExtended = self.advertisingFamily == .extended
        switch step {
        case .setParameters(let parameters): self.setAdvertising(parameters, then: next)
        case .setData(let data):
            guard isExtended else { return self.send(LESetAdvertisingData(data: data), then: next) }
            // Directed advertising has no data (Vol 6, Part B, 2.3.1.2).
            guard self.advertiser.triedRole != .directedAdvertising else { return next(nil) }
            self.send(LESetExtendedAdvertisingData(advertisingHandle: .host, data: data), then: next)
        case .setScanResponse(let data):
            guard isExtended else { return self.send(LESetScanResponseData(data: data), then: next) }
            guard self.advertiser.hasScanResponse else { return next(nil) }
            self.send(LESetExtendedScanResponseData(advertisingHandle: .host, data: data), then: next)
        case .enable: self.setAdvertisingEnabled(true, then: next)
        case .disable: self.setAdvertisingEnabled(false, then: next)
        }
    }

    private func setAdvertisingEnabled(_ isEnabled: Bool, then completion: @escaping Completion) {
        guard self.advertisingFamily == .extended else {
            return self.send(LESetAdvertisingEnable(isEnabled: isEnabled), then: completion)
        }
        let sets = [LESetExtendedAdvertisingEnable.AdvertisingSet(handle: .host)]
        self.send(LESetExtendedAdvertisingEnable(isEnabled: isEnabled, sets: sets), then: completion)
    }

    private func setAdvertising(_ parameters: AdvertisingParameters, then completion: @escaping Completion) {
        let isLegacy = parameters.pdus == .legacy
        guard isLegacy || self.extendedCommands.areUsed else { return completion(.refused(.unsupportedFeature)) }
        self.send(
            by: isLegacy ? self.extendedCommands.forAdvertising : [.extended],
            { [unowned self] family, completion in
                switch family {
                case .legacy: self.setLegacyAdvertising(parameters, then: completion)
                case .extended: self.setExtendedAdvertising(parameters, then: completion)
                }
            },
            completion: { [unowned self] failure, family in
                self.advertisingFamily = family
                completion(failure)
            }
        )
    }

    private func setLegacyAdvertising(_ parameters: AdvertisingParameters, then completion: @escaping Completion) {
        let interval = AdvertisingInterval(parameters.interval)
        self.send(
            LESetAdvertisingParameters(
                minimumInterval: interval,
                maximumInterval: interval,
                type: parameters.type,
                ownAddressType: self.ownAddressType,
                peer: parameters.directedTo?.withoutIdentity ?? .none
            ),
            then: completion
        )
    }

    /// A set has a random address of its own (Vol 4, Part E, 7.8.52).
    private func setExtendedAdvertising(_ parameters: AdvertisingParameters, then completion: @escaping Completion) {
        let interval = ExtendedAdvertisingInterval(parameters.interval)
        var command = LESetExtendedAdvertisingParameters(
            advertisingHandle: .host,
            properties: parameters.properties,
            minimumInterval: interval,
            maximumInterval: interval,
            ownAddressType: self.ownAddressType,
            peer: parameters.directedTo?.withoutIdentity ?? .none
        )
        if case .extended(let primary, let secondary) = parameters.pdus {
            command.primaryPHY = primary
            command.secondaryPHY = secondary
        }
        self.send(command) { [unowned self] result in
            guard result.failure == nil, self.ownAddressType != .public, let address = self.radioAddress else {
                return completion(result.failure)
            }
            self.send(LESetAdvertisingSetRandomAddress(advertisingHandle: .host, address: address), then: completion)
        }
    }

    // MARK: Scanning

    func perform(_ step: Scanner.Step) {
        let next: Completion = { [unowned self] failure in
            var isExcluded = false
            if let failure, case .refused(let status) = failure {
                switch step {
                case .setParameters(let parameters), .enable(let parameters):
                    isExcluded = self.isExcluded(Scanner.role(of: parameters), of: .scanning, status)
                case .disable: break
                }
                if !isExcluded { self.log.warning("scanning was not changed: \(failure)") }
            }
            let step = self.scanner.completed(failure?.status ?? .success, isExcluded: isExcluded)
            if let step { self.perform(step) }
        }
        switch step {
        case .setParameters(let parameters):
            self.send(
                by: self.extendedCommands.forScanning,
                { [unowned self] in self.setScan(parameters, by: $0, then: $1) },
                completion: { [unowned self] failure, family in
                    self.scanFamily = family
                    next(failure)
                }
            )
        case .enable(let parameters):
            // The parameters that the controller has taken are those of its family.
            let family = self.scanFamily
            self.send(
                by: [family] + self.extendedCommands.forScanning.filter { $0 != family },
                { [unowned self] tried, completion in
                    let enable = { [unowned self] in self.enableScan(parameters, by: tried, then: completion) }
                    if tried == family { return enable() }
                    self.setScan(parameters, by: tried) { if $0 == nil { enable() } else { completion($0) } }
                },
                completion: { [unowned self] failure, family in
                    self.scanFamily = family
                    if failure == nil { self.extendedCommands.scanBegan(by: family, now: self.eventLoop.now) }
                    next(failure)
                }
            )
        case .disable:
            let ended: Completion = { [unowned self] failure in
                self.advertisingReassembler.reset()
                self.extendedCommands.scanEnded(now: self.eventLoop.now)
                next(failure)
            }
            switch self.scanFamily {
            case .legacy: self.send(LESetScanEnable(isEnabled: false), then: ended)
            case .extended: self.send(LESetExtendedScanEnable(isEnabled: false), then: ended)
            }
        }
    }

    private func setScan(_ parameters: ScanParameters, by family: CommandFamily, then completion: @escaping Completion)
    {
        switch family {
        case .legacy: self.send(self.legacyScan(parameters), then: completion)
        case .extended: self.send(self.extendedScan(parameters), then: completion)
        }
    }

    private func enableScan(
        _ parameters: ScanParameters,
        by family: CommandFamily,
        then completion: @escaping Completion
    ) {
        let filter: DuplicateFilter = parameters.filtersDuplicates ? .on : .off
        switch family {
        case .legacy: self.send(LESetScanEnable(isEnabled: true, filterDuplicates: filter), then: completion)
        case .extended: self.send(LESetExtendedScanEnable(isEnabled: true, filterDuplicates: filter), then: completion)
        }
    }

    private func legacyScan(_ parameters: ScanParameters) -> LESetScanParameters {
        LESetScanParameters(
            type: parameters.isActive ? .active : .passive,
            interval: ScanInterval(parameters.interval),
            window: ScanInterval(min(parameters.window, parameters.interval)),
            ownAddressType: self.ownAddressType
        )
    }

    /// The same on each PHY: a controller divides its time between them.
    private func extendedScan(_ parameters: ScanParameters) -> LESetExtendedScanParameters {
        let channel = LESetExtendedScanParameters.PHYParameters(
            type: parameters.isActive ? .active : .passive,
            interval: ExtendedScanInterval(parameters.interval),
            window: ExtendedScanInterval(min(parameters.window, parameters.interval))
        )
        return LESetExtendedScanParameters(
            ownAddressType: self.ownAddressType,
            le1M: channel,
            leCoded: self.controller.features.contains(.phyCoded) ? channel : nil
        )
    }

    /// Finds out which commands the controller takes of those that it lists.
    func tryExtendedCommands(_ completion: @escaping () -> Void) {
        guard self.configuration.usesExtendedAdvertising == nil else {
            self.extendedCommands.started(takesExtended: true, takesLegacy: false)
            return completion()
        }
        let parameters = ScanParameters(isActive: false)
        self.setScan(parameters, by: .extended) { [unowned self] failure in
            guard failure == nil else {
                self.log.info("the controller refuses extended commands that it lists; legacy ones are used")
                self.extendedCommands.started(takesExtended: false, takesLegacy: true)
                return completion()
            }
            self.setScan(parameters, by: .legacy) { [unowned self] failure in
                self.extendedCommands.started(takesExtended: true, takesLegacy: failure == nil)
                completion()
            }
        }
    }

    /// Scans by other commands where the turn of the present ones is over.
    func advanceExtendedCommands(to now: NIODeadline) {
        guard let end = self.extendedCommands.advance(to: now) else { return }
        if case .deaf = end {
            self.log.info("the controller hears nothing by extended commands that it takes; legacy ones are used")
        }
        self.scanner.restart()
    }

    // MARK: Connecting

    func perform(_ step: Initiator.Step) {
        let next: (HCIErrorCode) -> Void = { [unowned self] status in
            // What is asked for ends with the controller, and that is reported once, for all of it.
            guard case .ready = self.state else { return }
            // Other refusals concern the devices: the user hears of them.
            var isExcluded = false
            switch step {
            case .create, .createFromAcceptList:
                isExcluded = status == .commandDisallowed && self.isExcluded(.initiating, of: .initiating, status)
            case .clearAcceptList, .addToAcceptList, .removeFromAcceptList, .cancel: break
            }
            for address in self.initiator.completed(status, isExcluded: isExcluded) {
                self.connectionParameters[address] = nil
                self.delegate?.host(self, didFailToConnectTo: address, error: status)
            }
            if step == .cancel, self.initiator.awaitsEnd {
                self.cancelDeadline = self.eventLoop.now + self.configuration.commandTimeout
            }
        }
        switch step {
        case .clearAcceptList:
            self.send(LEClearFilterAcceptList()) { next($0.status) }
        case .addToAcceptList(let address):
            self.send(LEAddDeviceToFilterAcceptList(entry: .device(address))) { next($0.status) }
        case .removeFromAcceptList(let address):
            self.send(LERemoveDeviceFromFilterAcceptList(entry: .device(address))) { next($0.status) }
        case .create(let address):
            self.createConnection(to: address) { next($0?.status ?? .success) }
        case .createFromAcceptList:
            self.createConnection(to: nil) { next($0?.status ?? .success) }
        case .cancel:
            self.send(LECreateConnectionCancel()) { next($0.status) }
        }
    }

    /// Initiates to a device, or to those of the accept list.
    private func createConnection(to address: DeviceAddress?, completion: @escaping Completion) {
        // The accept list has one set of parameters for all its devices; a link that began with another's is updated.
        let device = address.map { self.initiator.device(at: $0) } ?? self.initiator.pending.first
        let parameters = device.flatMap { self.connectionParameters[$0] } ?? .initial
        let filterPolicy: InitiatorFilterPolicy = address == nil ? .acceptList : .peer
        let peer = address.map(self.initiatingAddress(of:)) ?? .none
        let own = self.ownAddressType
        let initiate: (CommandFamily, @escaping Completion) -> Void = { [unowned self] family, completion in
            guard family == .extended else {
                let command = LECreateConnection(
                    scanInterval: ScanInterval(Self.initiatingScan),
                    scanWindow: ScanInterval(Self.initiatingScan),
                    filterPolicy: filterPolicy,
                    peer: peer,
                    ownAddressType: own,
                    parameters: parameters
                )
                return self.send(command, then: completion)
            }
            let channel = LEExtendedCreateConnection.PHYParameters(
                scanInterval: ExtendedScanInterval(Self.initiatingScan),
                scanWindow: ExtendedScanInterval(Self.initiatingScan),
                parameters: parameters
            )
            let features = self.controller.features
            let command = LEExtendedCreateConnection(
                filterPolicy: filterPolicy,
                ownAddressType: own,
                peer: peer,
                le1M: channel,
                le2M: features.contains(.phy2M) ? channel : nil,
                leCoded: features.contains(.phyCoded) ? channel : nil
            )
            self.send(command, then: completion)
        }
        self.send(by: self.extendedCommands.forInitiating, initiate) { failure, _ in completion(failure) }
    }

    /// The scan interval and window of an initiator: it listens all the time.
    private static var initiatingScan: TimeAmount { ScanParameters.defaultWindow }
}

extension AdvertisingHandle {
    /// The one set of this host.
    fileprivate static let host = AdvertisingHandle(rawValue: 0)
}

extension AdvertisingParameters {
    /// The type of the advertising events.
    var type: AdvertisingType {
        if self.directedTo != nil { return .connectableDirectedLowDutyCycle }
        if self.isConnectable { return .connectableUndirected }
        return self.scanResponse.readableBytes > 0 ? .scannableUndirected : .nonConnectableUndirected
    }

    /// The type as properties of a set (Vol 4, Part E, 7.8.53).
    fileprivate var properties: AdvertisingEventProperties {
        guard self.pdus == .legacy else {
            return self.directedTo != nil ? [.connectable, .directed] : self.isConnectable ? .connectable : []
        }
        return switch self.type {
        case .connectableDirectedLowDutyCycle: [.legacy, .connectable, .directed]
        case .scannableUndirected: [.legacy, .scannable]
        case .nonConnectableUndirected: [.legacy]
        default: [.legacy, .connectable, .scannable]
        }
    }
}
