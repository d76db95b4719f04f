// Advertising: the requests of the user, and the commands of `Advertiser` for the controller, legacy and extended. Core
// Bluetooth's apps advertise in legacy PDUs, which every scanner receives.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The radio's advertiser.
final class AdvertisingRole {
    private typealias Completion = (LEHostError?) -> Void

    @exclusivity(unchecked) unowned var radio: HostRadio!
    @exclusivity(unchecked) private var advertiser = Advertiser()
    @exclusivity(unchecked) private var completions: [Int: (Result<Void, LEHostError>) -> Void] = [:]
    /// The commands with which the controller advertises, or did last.
    private var family = CommandFamily.legacy
    /// The power of the packets that are being configured; `nil` if it is not advertised, or unknown.
    private var txPower: TransmitPower?

    // MARK: For the user

    /// Starts advertising, or changes its parameters.
    func start(_ parameters: AdvertisingParameters, completion: @escaping (Result<Void, LEHostError>) -> Void) {
        let number = self.advertiser.start(parameters)
        self.completions[number] = completion
        self.radio.loop.scheduleTurn()
    }

    /// Stops advertising.
    func stop() {
        self.advertiser.stop()
        self.endStarts(.superseded)
        self.radio.loop.scheduleTurn()
    }

    /// Stops advertising, without ending the calls to start.
    func endWithoutReport() { self.advertiser.stop() }

    // MARK: For the radio

    var isWanted: Bool { self.advertiser.isWanted }
    var isOff: Bool { self.advertiser.isOff }
    var wantedRole: RadioRoles { self.advertiser.wantedRole }
    var usedRole: RadioRoles { self.advertiser.usedRole }

    /// Holds or releases advertising.
    func setHeld(_ isHeld: Bool) { self.advertiser.isHeld = isHeld }

    /// The controller has stopped advertising by itself.
    func ended() { self.advertiser.ended() }

    /// Links exclude advertising on this controller.
    func waitForLink() {
        guard let number = self.advertiser.waitForLink() else { return }
        self.radio.log.info("advertising waits for the end of a link: this controller cannot do both")
        self.completions.removeValue(forKey: number)?(.success(()))
    }

    /// Sends the next command, if one is due.
    func proceed() { if let step = self.advertiser.next() { self.perform(step) } }

    /// Completes the calls to start that came before the last one.
    func endSuperseded() {
        if self.completions.count > 1 { self.endStarts(.superseded, before: self.completions.keys.max()) }
    }

    /// The controller was reset or lost.
    func reset() {
        self.advertiser.reset()
        self.endStarts(.controllerLost)
    }

    /// Completes the calls to start advertising that came before the one with a number, or all of them, in order.
    private func endStarts(_ error: LEHostError, before last: Int? = nil) {
        for number in self.completions.keys.sorted() where number < last ?? .max {
            guard let completion = self.completions.removeValue(forKey: number) else { continue }
            self.radio.loop.afterwards { completion(.failure(error)) }
        }
    }

    // MARK: Commands

    private func perform(_ step: Advertiser.Step) {
        let next: Completion = { [unowned self] in self.completed(step, $0) }
        let controller = self.radio.controller
        let isExtended = self.family == .extended
        switch step {
        case .setParameters(let parameters): self.set(parameters, then: next)
        case .setData(var data):
            if let txPower {
                var element = AdvertisingData()
                element.appendTxPowerLevel(txPower)
                element.encode(into: &data)
            }
            guard isExtended else { return controller.send(LESetAdvertisingData(data: data), then: next) }
            // Directed advertising has no data (Vol 6, Part B, 2.3.1.2).
            guard self.advertiser.triedRole != .directedAdvertising else { return next(nil) }
            controller.send(LESetExtendedAdvertisingData(advertisingHandle: .host, data: data), then: next)
        case .setScanResponse(let data):
            guard isExtended else { return controller.send(LESetScanResponseData(data: data), then: next) }
            guard self.advertiser.hasScanResponse else { return next(nil) }
            controller.send(LESetExtendedScanResponseData(advertisingHandle: .host, data: data), then: next)
        case .enable, .disable:
            let isEnabled = step == .enable
            guard isExtended else { return controller.send(LESetAdvertisingEnable(isEnabled: isEnabled), then: next) }
            let sets = [LESetExtendedAdvertisingEnable.AdvertisingSet(handle: .host)]
            controller.send(LESetExtendedAdvertisingEnable(isEnabled: isEnabled, sets: sets), then: next)
        }
    }

    private func completed(_ step: Advertiser.Step, _ failure: LEHostError?) {
        // Controllers whose links are all in use refuse with various codes. A refusal to disable concerns no other
        // role.
        var isExcluded = false
        if let failure, case .refused(let status) = failure, step != .disable,
            step == .enable || status == .commandDisallowed
        {
            isExcluded = self.radio.noteRefusal(self.advertiser.triedRole, of: .advertising, status)
        }
        let (outcome, next) = self.advertiser.completed(failure, isExcluded: isExcluded)
        if let next { self.perform(next) }
        switch outcome {
        case .started(let number): self.completions.removeValue(forKey: number)?(.success(()))
        case .refused(let number, let error):
            self.radio.log.warning("advertising was not started: \(error)")
            self.completions.removeValue(forKey: number)?(.failure(error))
        case .ended(let error):
            self.radio.log.warning("advertising has ended: \(error)")
            self.radio.perform(.advertisingEnded(error))
        case nil: break
        }
    }

    private func set(_ parameters: AdvertisingParameters, then completion: @escaping Completion) {
        let isLegacy = parameters.pdus == .legacy
        let commands = self.radio.extendedCommands
        guard isLegacy || commands.areUsed else { return completion(.refused(.unsupportedFeature)) }
        let families = isLegacy ? commands.forAdvertising : [.extended]
        self.txPower = nil
        families.tryInOrder { [unowned self] family, completion in
            switch family {
            case .legacy: self.setLegacy(parameters, then: completion)
            case .extended: self.setExtended(parameters, then: completion)
            }
        } completion: { [unowned self] failure, family in
            self.family = family
            completion(failure)
        }
    }

    private func setLegacy(_ parameters: AdvertisingParameters, then completion: @escaping Completion) {
        let interval = AdvertisingInterval(parameters.interval)
        self.radio.controller.send(
            LESetAdvertisingParameters(
                minimumInterval: interval,
                maximumInterval: interval,
                type: parameters.type,
                ownAddressType: self.radio.addresses.ownType,
                peer: parameters.directedTo?.withoutIdentity ?? .none
            )
        ) { [unowned self] failure in
            guard failure == nil, parameters.includesTxPower else { return completion(failure) }
            self.radio.controller.send(LEReadAdvertisingChannelTxPower()) { [unowned self] result in
                self.txPower = (try? result.get())?.level
                completion(nil)
            }
        }
    }

    /// Each set has its own random address (Vol 4, Part E, 7.8.52).
    private func setExtended(_ parameters: AdvertisingParameters, then completion: @escaping Completion) {
        let interval = ExtendedAdvertisingInterval(parameters.interval)
        var command = LESetExtendedAdvertisingParameters(
            advertisingHandle: .host,
            properties: parameters.properties,
            minimumInterval: interval,
            maximumInterval: interval,
            ownAddressType: self.radio.addresses.ownType,
            peer: parameters.directedTo?.withoutIdentity ?? .none
        )
        if case .extended(let primary, let secondary) = parameters.pdus {
            command.primaryPHY = primary
            command.secondaryPHY = secondary
        }
        self.radio.controller.send(command) { [unowned self] result in
            let addresses = self.radio.addresses
            if parameters.includesTxPower { self.txPower = (try? result.get())?.selectedTxPower }
            guard result.failure == nil, addresses.ownType != .public, let address = addresses.onAir else {
                return completion(result.failure)
            }
            let command = LESetAdvertisingSetRandomAddress(advertisingHandle: .host, address: address)
            self.radio.controller.send(command, then: completion)
        }
    }
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
