// The commands of advertiser, scanner and initiator, legacy and extended (Vol 4, Part E, 3.1.1).
//
// A controller that has extended advertising is given the extended commands alone, since it need not take legacy ones
// beside them; with them it hears and connects to devices that advertise in extended PDUs and on LE Coded. What Core
// Bluetooth's apps advertise stays in legacy PDUs, which everybody hears. Some controllers list commands that they
// refuse: where one takes the legacy command in place of an extended one, that part stays with the legacy commands.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The parts of extended advertising that a controller has.
struct ExtendedCommands: OptionSet {
    let rawValue: UInt8

    static let advertising = ExtendedCommands(rawValue: 1 << 0)
    static let scanning = ExtendedCommands(rawValue: 1 << 1)
    static let initiating = ExtendedCommands(rawValue: 1 << 2)
    static let all: ExtendedCommands = [.advertising, .scanning, .initiating]

    /// The commands without which no part is used.
    static let needed: [any HCICommand.Type] = [
        LESetAdvertisingSetRandomAddress.self, LESetExtendedAdvertisingParameters.self,
        LESetExtendedAdvertisingData.self, LESetExtendedScanResponseData.self, LESetExtendedAdvertisingEnable.self,
        LESetExtendedScanParameters.self, LESetExtendedScanEnable.self, LEExtendedCreateConnection.self,
    ]
}

extension LEHost {
    /// Whether this controller hears extended advertising and connects to devices that advertise so.
    public var hasExtendedAdvertising: Bool {
        self.controller.extendedCommands.isSuperset(of: [.scanning, .initiating])
    }

    private typealias Completion = (LEHostError?) -> Void

    /// Sends the extended command of a part, or the legacy one: where the controller has no extended commands, and
    /// where it refuses this one and takes the legacy one.
    private func send(
        _ part: ExtendedCommands,
        _ extended: (@escaping Completion) -> Void,
        legacy: @escaping (@escaping Completion) -> Void,
        completion: @escaping Completion
    ) {
        guard self.controller.extendedCommands.contains(part) else { return legacy(completion) }
        extended { [unowned self] failure in
            guard case .refused? = failure else { return completion(failure) }
            legacy { [unowned self] legacyFailure in
                guard legacyFailure == nil else { return completion(failure) }
                self.controller.extendedCommands.subtract(part)
                self.log.info("the controller refuses extended commands that it lists; legacy ones are used")
                completion(nil)
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
        let isExtended = self.controller.extendedCommands.contains(.advertising)
        switch step {
        case .setParameters(let parameters):
            self.send(
                .advertising,
                { self.setExtendedAdvertising(parameters, then: $0) },
                legacy: { [unowned self] in
                    // There is no other command for extended PDUs.
                    guard parameters.pdus == .legacy else { return $0(.refused(.unsupportedFeature)) }
                    self.setAdvertising(parameters, then: $0)
                },
                completion: next
            )
        case .setData(let data):
            guard isExtended else { return self.send(LESetAdvertisingData(data: data), then: next) }
            // Directed advertising has no data (Vol 6, Part B, 2.3.1.2).
            guard self.advertiser.triedRole != .directedAdvertising else { return next(nil) }
            self.send(LESetExtendedAdvertisingData(advertisingHandle: .host, data: data), then: next)
        case .setScanResponse(let data):
            guard isExtended else { return self.send(LESetScanResponseData(data: data), then: next) }
            guard self.advertiser.hasScanResponse else { return next(nil) }
            self.send(LESetExtendedScanResponseData(advertisingHandle: .host, data: data), then: next)
        case .enable:
            self.setAdvertisingEnabled(true, isExtended, then: next)
        case .disable:
            self.setAdvertisingEnabled(false, isExtended, then: next)
        }
    }

    private func setAdvertisingEnabled(_ isEnabled: Bool, _ isExtended: Bool, then completion: @escaping Completion) {
        guard isExtended else {
            return self.send(LESetAdvertisingEnable(isEnabled: isEnabled), then: completion)
        }
        let sets = [LESetExtendedAdvertisingEnable.AdvertisingSet(handle: .host)]
        self.send(LESetExtendedAdvertisingEnable(isEnabled: isEnabled, sets: sets), then: completion)
    }

    private func setAdvertising(_ parameters: AdvertisingParameters, then completion: @escaping Completion) {
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
                .scanning,
                { self.send(self.extendedScan(parameters), then: $0) },
                legacy: { [unowned self] in self.send(self.legacyScan(parameters), then: $0) },
                completion: next
            )
        case .enable(let parameters):
            let filter: DuplicateFilter = parameters.filtersDuplicates ? .on : .off
            self.send(
                .scanning,
                { self.send(LESetExtendedScanEnable(isEnabled: true, filterDuplicates: filter), then: $0) },
                legacy: { [unowned self] completion in
                    let enable = LESetScanEnable(isEnabled: true, filterDuplicates: filter)
                    guard self.controller.extendedCommands.contains(.scanning) else {
                        return self.send(enable, then: completion)
                    }
                    // The parameters that it has taken are those of an extended scan.
                    self.send(self.legacyScan(parameters)) { [unowned self] result in
                        if let failure = result.failure { return completion(failure) }
                        self.send(enable, then: completion)
                    }
                },
                completion: next
            )
        case .disable:
            let ended: Completion = { [unowned self] failure in
                self.advertisingReassembler.reset()
                next(failure)
            }
            if self.controller.extendedCommands.contains(.scanning) {
                self.send(LESetExtendedScanEnable(isEnabled: false), then: ended)
            } else {
                self.send(LESetScanEnable(isEnabled: false), then: ended)
            }
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
        self.send(
            .initiating,
            { completion in
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
            },
            legacy: { [unowned self] completion in
                let command = LECreateConnection(
                    scanInterval: ScanInterval(Self.initiatingScan),
                    scanWindow: ScanInterval(Self.initiatingScan),
                    filterPolicy: filterPolicy,
                    peer: peer,
                    ownAddressType: own,
                    parameters: parameters
                )
                self.send(command, then: completion)
            },
            completion: completion
        )
    }

    /// The scan interval and window of an initiator: it listens all the time.
    private static var initiatingScan: TimeAmount { .milliseconds(30) }
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
