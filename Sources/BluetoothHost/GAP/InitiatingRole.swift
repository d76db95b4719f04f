// Connecting: pending connections with their parameters, and the commands of `Initiator` for the controller.
//
// A controller initiates with one set of connection parameters at a time. If several connections are pending, the
// parameters of the first one are used, whichever device is received first; a link that began with the wrong ones is
// updated.

public import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The radio's initiator.
final class InitiatingRole {
    private typealias Completion = (LEHostError?) -> Void

    /// The time for which devices that do not fit into the controller's accept list wait before they replace others.
    private static let rotationInterval = TimeAmount.seconds(5)
    /// The duration of initiating to the address at which a device was heard.
    private static let attemptInterval = TimeAmount.seconds(5)
    /// The scan interval and window of an initiator: it listens all the time.
    private static let scanInterval = ScanParameters.defaultWindow

    @exclusivity(unchecked) unowned var radio: HostRadio!
    @exclusivity(unchecked) private var initiator = Initiator()
    /// The parameters of pending connections.
    private var parameters: [DeviceAddress: ConnectionParameters] = [:]
    /// When to try another device than the one that was heard.
    @exclusivity(unchecked) private var attemptDeadline: NIODeadline?
    /// When the event that ends a cancelled attempt is overdue.
    @exclusivity(unchecked) private var cancelDeadline: NIODeadline?
    /// When to initiate to devices that the accept list could not hold.
    @exclusivity(unchecked) private var rotationDeadline: NIODeadline?
    private let commandTimeout: TimeAmount

    init(commandTimeout: TimeAmount) { self.commandTimeout = commandTimeout }

    // MARK: For the user

    /// Adds a pending connection to a device.
    /// - Parameter isAwaited: Whether a link to it exists that is not established yet; ``connectAgain(to:)`` follows if
    ///   it fails.
    func connect(to address: DeviceAddress, _ parameters: ConnectionParameters, isAwaited: Bool) {
        self.parameters[address] = parameters
        if !isAwaited { self.initiator.connect(to: address) }
        self.radio.loop.scheduleTurn()
    }

    /// Cancels a pending connection; returns whether there was one.
    func cancel(_ address: DeviceAddress) -> Bool {
        self.parameters[address] = nil
        guard self.initiator.cancel(address) else { return false }
        self.radio.loop.scheduleTurn()
        return true
    }

    /// Cancels all pending connections.
    func cancelAll() { for address in self.initiator.pending { _ = self.initiator.cancel(address) } }

    // MARK: For the radio

    /// The addresses with pending connections.
    var pending: [DeviceAddress] { self.initiator.pending }
    var isIdle: Bool { self.initiator.isIdle }
    var isSilent: Bool { self.initiator.isSilent }
    var needsScan: Bool { self.initiator.needsScan }
    var wantedRole: RadioRoles { self.initiator.wantedRole }
    var usedRole: RadioRoles { self.initiator.usedRole }

    func setHeld(_ isHeld: Bool) { self.initiator.isHeld = isHeld }
    func setHearsAllFirst(_ hearsAllFirst: Bool) { self.initiator.hearsAllFirst = hearsAllFirst }
    func setUnresolvable(_ devices: Set<DeviceAddress>) { self.initiator.unresolvable = devices }
    func setAcceptListSize(_ size: Int) { self.initiator.acceptListSize = size }

    /// A connectable device was heard.
    func heard(_ device: DeviceAddress, at address: DeviceAddress) {
        guard self.initiator.heard(device, at: address) else { return }
        self.attemptDeadline = self.radio.loop.now + Self.attemptInterval
        self.radio.loop.scheduleTurn()
    }

    /// Sends the next command, if one is due.
    func proceed() { if let step = self.initiator.next() { self.perform(step) } }

    /// Sets the time at which devices that wait for a place in the list get one.
    func awaitRotation() {
        self.rotationDeadline =
            self.initiator.hasDevicesInWaiting
            ? self.rotationDeadline ?? self.radio.loop.now + Self.rotationInterval : nil
    }

    /// When to call ``advance(to:)``.
    var deadline: NIODeadline? {
        [self.cancelDeadline, self.rotationDeadline, self.attemptDeadline].lazy.compactMap(\.self).min()
    }

    /// Handles overdue answers.
    func advance(to now: NIODeadline) {
        if let deadline = self.cancelDeadline, deadline <= now {
            self.cancelDeadline = nil
            self.radio.log.warning("the controller did not report the end of a cancelled connection")
            self.initiator.cancellingTimedOut()
        }
        if let deadline = self.attemptDeadline, deadline <= now {
            self.attemptDeadline = nil
            self.initiator.forgetHeard()
        }
        if let deadline = self.rotationDeadline, deadline <= now {
            self.rotationDeadline = nil
            self.initiator.rotate()
        }
    }

    /// The controller was reset or lost.
    func reset() {
        self.initiator.reset()
        self.parameters = [:]
        self.attemptDeadline = nil
        self.cancelDeadline = nil
        self.rotationDeadline = nil
    }

    // MARK: Links

    /// A link to a device was opened.
    func connected(to device: DeviceAddress) {
        _ = self.initiator.finished(device, error: .success)
        self.cancelDeadline = nil
        self.attemptDeadline = nil
    }

    /// The controller has ended initiating without a link.
    func ended(_ error: HCIErrorCode) {
        self.cancelDeadline = nil
        self.fail(self.initiator.finished(nil, error: error), error)
    }

    /// Whether a connection to a device is pending.
    func isConnecting(to device: DeviceAddress) -> Bool { self.parameters[device] != nil }

    /// The parameters to update a link to, if it began with those of another device.
    func parameters(for device: DeviceAddress, insteadOf interval: ConnectionInterval) -> ConnectionParameters? {
        guard let parameters = self.parameters[device],
            interval < parameters.minimumInterval || interval > parameters.maximumInterval
        else { return nil }
        return parameters
    }

    /// A device was heard on its link.
    func established(_ device: DeviceAddress) {
        self.parameters[device] = nil
        self.initiator.established(device)
    }

    /// Makes the connection to a device pending again.
    func connectAgain(to device: DeviceAddress) { self.initiator.connect(to: device) }

    /// A device was not heard on its link; returns whether to try again.
    func retry(_ device: DeviceAddress) -> Bool {
        guard self.initiator.retry(device) else { return false }
        self.initiator.connect(to: device)
        return true
    }

    /// The connections to these devices have failed.
    func fail(_ devices: [DeviceAddress], _ error: HCIErrorCode) {
        for device in devices {
            self.parameters[device] = nil
            self.radio.perform(.connectionFailed(device, error))
        }
    }

    // MARK: Commands

    private func perform(_ step: Initiator.Step) {
        let next: Completion = { [unowned self] in self.completed(step, $0?.status ?? .success) }
        let controller = self.radio.controller
        switch step {
        case .clearAcceptList: controller.send(LEClearFilterAcceptList(), then: next)
        case .addToAcceptList(let address):
            controller.send(LEAddDeviceToFilterAcceptList(entry: .device(address)), then: next)
        case .removeFromAcceptList(let address):
            controller.send(LERemoveDeviceFromFilterAcceptList(entry: .device(address)), then: next)
        case .create(let address): self.createConnection(to: address, then: next)
        case .createFromAcceptList: self.createConnection(to: nil, then: next)
        case .cancel: controller.send(LECreateConnectionCancel(), then: next)
        }
    }

    private func completed(_ step: Initiator.Step, _ status: HCIErrorCode) {
        // Pending connections end with the controller, which is reported once for all of them.
        guard self.radio.controller.isReady else { return }
        // Other refusals concern the devices, and are reported to the user.
        var isExcluded = false
        switch step {
        case .create, .createFromAcceptList:
            isExcluded = status == .commandDisallowed && self.radio.noteRefusal(.initiating, of: .initiating, status)
        case .clearAcceptList, .addToAcceptList, .removeFromAcceptList, .cancel: break
        }
        self.fail(self.initiator.completed(status, isExcluded: isExcluded), status)
        if step == .cancel, self.initiator.awaitsEnd {
            self.cancelDeadline = self.radio.loop.now + self.commandTimeout
        }
    }

    /// Initiates to a device, or to those of the accept list.
    private func createConnection(to address: DeviceAddress?, then completion: @escaping Completion) {
        // The accept list has one set of parameters for all its devices.
        let device = address.map { self.initiator.device(at: $0) } ?? self.initiator.pending.first
        let parameters = device.flatMap { self.parameters[$0] } ?? .initial
        let filterPolicy: InitiatorFilterPolicy = address == nil ? .acceptList : .peer
        let peer = address.map(self.radio.addresses.initiatingAddress(of:)) ?? .none
        let own = self.radio.addresses.ownType
        let controller = self.radio.controller
        self.radio.extendedCommands.forInitiating.tryInOrder { family, completion in
            guard family == .extended else {
                let command = LECreateConnection(
                    scanInterval: ScanInterval(Self.scanInterval),
                    scanWindow: ScanInterval(Self.scanInterval),
                    filterPolicy: filterPolicy,
                    peer: peer,
                    ownAddressType: own,
                    parameters: parameters
                )
                return controller.send(command, then: completion)
            }
            let channel = LEExtendedCreateConnection.PHYParameters(
                scanInterval: ExtendedScanInterval(Self.scanInterval),
                scanWindow: ExtendedScanInterval(Self.scanInterval),
                parameters: parameters
            )
            let features = controller.information.features
            let command = LEExtendedCreateConnection(
                filterPolicy: filterPolicy,
                ownAddressType: own,
                peer: peer,
                le1M: channel,
                le2M: features.contains(.phy2M) ? channel : nil,
                leCoded: features.contains(.phyCoded) ? channel : nil
            )
            controller.send(command, then: completion)
        } completion: { failure, _ in
            completion(failure)
        }
    }
}

extension ConnectionParameters {
    /// The initial parameters of Apple's devices: 30 ms, no latency, and a supervision timeout that detects a lost
    /// device within a second.
    public static let initial = ConnectionParameters(
        minimumInterval: ConnectionInterval(.milliseconds(30)),
        maximumInterval: ConnectionInterval(.milliseconds(30)),
        supervisionTimeout: SupervisionTimeout(.milliseconds(720))
    )
}
