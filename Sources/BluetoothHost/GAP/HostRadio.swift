// The one radio of a controller: advertising, scanning and initiating, each driven by a machine of its own (Vol 3, Part
// C, 9), the addresses that they use, and which of them has the radio now.
//
//     what the user wants ──▶ AdvertisingRole, ScanningRole, InitiatingRole ──▶ their machines: the next step
//                                      ▲ held, or not                             │ a command, legacy or extended
//     RadioArbiter: who has the radio ─┘                                          ▼
//     RadioAddresses: whether they are to be silent, for other addresses      AttachedController
//
// In each turn the radio is shared again, then each role takes its next step. The controller's answers go to the role;
// a refusal that another role may have caused goes to the arbiter.

import BluetoothHCI
import BluetoothTypes
import Logging
import NIOCore

/// The radio of a host's controller.
final class HostRadio {
    /// An action for the host.
    enum Action {
        /// Report an advertisement to the user.
        case received(AdvertisingReport)
        /// Report to the user that advertising has ended.
        case advertisingEnded(LEHostError)
        /// Report to the user that a connection failed.
        case connectionFailed(DeviceAddress, HCIErrorCode)
        /// Pass the new key of this device to pairings.
        case identityChanged
        /// Update Central Address Resolution in the database.
        case addressResolutionChanged(isUsable: Bool)
    }

    let controller: AttachedController
    let loop: HostLoop
    let log: Logger
    let addresses: RadioAddresses
    let advertising: AdvertisingRole
    let scanning: ScanningRole
    let initiating: InitiatingRole
    /// Carries out an action.
    var perform: (Action) -> Void = { _ in }
    /// The roles of the open links.
    var linkRoles: () -> RadioRoles = { [] }
    /// The choice between legacy and extended commands.
    @exclusivity(unchecked) var extendedCommands = ExtendedCommands()
    @exclusivity(unchecked) private var arbiter = RadioArbiter()

    init(
        _ controller: AttachedController,
        _ generator: HostGenerator,
        _ loop: HostLoop,
        _ configuration: LEHostConfiguration,
        _ log: Logger
    ) {
        self.controller = controller
        self.loop = loop
        self.log = log
        self.addresses = RadioAddresses(controller, generator, loop, configuration, log)
        self.advertising = AdvertisingRole()
        self.scanning = ScanningRole()
        self.initiating = InitiatingRole(commandTimeout: configuration.commandTimeout)
        self.advertising.radio = self
        self.scanning.radio = self
        self.initiating.radio = self
        self.addresses.listChanged = { [unowned self] in
            self.initiating.setUnresolvable(self.addresses.unresolvable)
            self.perform(.addressResolutionChanged(isUsable: self.addresses.canResolve))
        }
    }

    // MARK: Begin and end

    /// The controller is set up.
    func begin() {
        let information = self.controller.information
        if let states = information.states { self.arbiter.setStates(states) }
        self.extendedCommands = information.extendedCommands
        self.initiating.setAcceptListSize(information.acceptListSize)
        self.addresses.begin()
    }

    /// The controller was reset or lost.
    func reset() {
        self.arbiter.reset()
        self.scanning.reset()
        self.extendedCommands = ExtendedCommands()
        self.initiating.reset()
        self.addresses.reset()
        self.advertising.reset()
    }

    /// Ends everything that the user has requested.
    func stop() {
        self.advertising.endWithoutReport()
        self.scanning.stop()
        self.initiating.cancelAll()
    }

    /// Whether the radio is idle, and not about to start.
    var isSilent: Bool { self.advertising.isOff && self.scanning.isOff && self.initiating.isIdle }

    /// A link was made.
    func linkBegan(to peer: DeviceAddress, isCentral: Bool) {
        self.addresses.countLink()
        if isCentral { self.initiating.connected(to: peer) } else { self.advertising.ended() }
        self.scanning.linksChanged()
    }

    /// A link has ended.
    func linkEnded() {
        self.arbiter.linkEnded()
        self.scanning.linksChanged()
    }

    // MARK: Turns and time

    /// Sends the next commands of the roles and the addresses.
    func reconcile() {
        guard self.controller.isReady else { return }
        if self.addresses.drawKey() { self.identityChanged() }
        self.share()
        self.advertising.proceed()
        self.scanning.proceed()
        self.initiating.proceed()
        let usesRadio = self.isUsed
        if self.addresses.isChangeDue(usesRadio: usesRadio), self.advertising.isOff, self.scanning.isOff,
            self.initiating.isSilent
        {
            self.addresses.change(usesRadio: usesRadio)
        }
        self.initiating.awaitRotation()
        self.advertising.endSuperseded()
    }

    /// The key of this device has changed.
    func identityChanged() {
        self.perform(.identityChanged)
        self.addresses.updateList()
        self.loop.scheduleTurn()
    }

    /// Whether anything uses the radio, so that this device's address matters.
    private var isUsed: Bool {
        self.advertising.isWanted || self.scanning.isNeeded || !self.initiating.pending.isEmpty
    }

    /// When to call ``advance(to:)``.
    var deadline: NIODeadline? {
        [
            self.initiating.deadline, self.arbiter.deadline, self.extendedCommands.deadline,
            self.addresses.deadline(usesRadio: self.isUsed),
        ].lazy.compactMap(\.self).min()
    }

    /// Handles overdue answers and the end of turns.
    func advance(to now: NIODeadline) {
        self.initiating.advance(to: now)
        guard let end = self.extendedCommands.advance(to: now) else { return }
        if case .deaf = end {
            self.log.info("the controller hears nothing by extended commands that it takes; legacy ones are used")
        }
        self.scanning.restart()
    }

    // MARK: Sharing

    /// Gives the radio to the roles that the controller can have now, once the roles that they exclude are off.
    private func share() {
        let links = self.arbiter.allowsEverything ? [] : self.linkRoles()
        self.initiating.setHearsAllFirst(self.hearsAllFirst(beside: links))
        self.scanning.setNeededByInitiator(self.initiating.needsScan)
        let advertising = self.advertising.wantedRole
        let scanning = self.scanning.wantedRole
        let initiating = self.initiating.wantedRole
        let isChangeDue = self.addresses.isChangeDue(usesRadio: self.isUsed)
        let wanted = isChangeDue ? [] : advertising.union(scanning).union(initiating)
        let granted = self.arbiter.share(wanted, beside: links, now: self.loop.now)
        let advertised = self.advertising.usedRole
        let scanned = self.scanning.usedRole
        let initiated = self.initiating.usedRole
        func isHeld(_ wanted: RadioRoles, uses used: RadioRoles, beside others: RadioRoles) -> Bool {
            guard granted.isSuperset(of: wanted) else { return true }
            return used.isEmpty && !self.arbiter.allows(wanted.union(others).union(links))
        }
        self.advertising.setHeld(isHeld(advertising, uses: advertised, beside: scanned.union(initiated)))
        self.scanning.setHeld(isHeld(scanning, uses: scanned, beside: advertised.union(initiated)))
        self.initiating.setHeld(isHeld(initiating, uses: initiated, beside: advertised.union(scanned)))
        if !self.arbiter.allows(advertising.union(links)) { self.advertising.waitForLink() }
    }

    /// Whether devices have to be heard before they are initiated to: the controller cannot initiate beside the other
    /// wanted roles, but can scan instead, or the trial of the extended commands is not over.
    private func hearsAllFirst(beside links: RadioRoles) -> Bool {
        if self.extendedCommands.areOnTrial, self.arbiter.allows(links.union(.passiveScanning)) { return true }
        let others = self.advertising.wantedRole.union(self.scanning.userRole)
        guard !others.isEmpty, !self.arbiter.allows(others.union(links).union(.initiating)) else { return false }
        let scanning = others.intersection(.scanning).isEmpty ? RadioRoles.passiveScanning : []
        return self.arbiter.allows(others.union(links).union(scanning))
    }

    /// Notes that the controller has refused a role. Returns whether the radio's other roles may be the reason; the
    /// role then gets its own turn.
    func noteRefusal(_ role: RadioRoles, of family: RadioRoles, _ status: HCIErrorCode) -> Bool {
        let used = self.advertising.usedRole.union(self.scanning.usedRole).union(self.initiating.usedRole)
        let others = self.linkRoles().union(used.subtracting(family))
        guard self.arbiter.refuse(role, beside: others) else { return false }
        self.log.debug("the controller refused a role of its radio beside others: \(status)")
        return true
    }

    // MARK: Reports

    func receive(_ reports: LEAdvertisingReports) {
        guard self.scanning.isNeeded else { return }
        for report in reports {
            self.extendedCommands.heard(by: .legacy)
            let type = report.eventType
            let isConnectable = type == .connectableUndirected || type == .connectableDirected
            guard let address = self.heard(report.address, isConnectable: isConnectable) else { continue }
            self.perform(
                .received(
                    AdvertisingReport(
                        address: address,
                        isConnectable: isConnectable,
                        isScannable: type == .connectableUndirected || type == .scannableUndirected,
                        isScanResponse: type == .scanResponse,
                        data: report.data,
                        rssi: report.rssi
                    )
                )
            )
        }
    }

    func receive(_ reports: LEExtendedAdvertisingReports) {
        guard self.scanning.isNeeded else { return }
        self.extendedCommands.heard(by: .extended)
        for report in reports {
            // Anonymous advertisers cannot be distinguished.
            guard report.address != nil, let report = self.scanning.reassemble(report),
                let address = report.address,
                let address = self.heard(address, isConnectable: report.eventType.contains(.connectable))
            else { continue }
            self.perform(
                .received(
                    AdvertisingReport(
                        address: address,
                        isConnectable: report.eventType.contains(.connectable),
                        isScannable: report.eventType.contains(.scannable),
                        isScanResponse: report.eventType.contains(.scanResponse),
                        data: report.data,
                        rssi: report.rssi,
                        primaryPHY: report.primaryPHY,
                        secondaryPHY: report.secondaryPHY
                    )
                )
            )
        }
    }

    /// An advertisement was received; returns the address to report to the user, `nil` if it is not to be reported.
    private func heard(_ address: DeviceAddress, isConnectable: Bool) -> DeviceAddress? {
        let device = self.addresses.device(at: address)
        guard !self.addresses.ignores(address, of: device) else { return nil }
        if isConnectable { self.initiating.heard(device, at: address.withoutIdentity) }
        return self.scanning.isWanted ? device : nil
    }
}
