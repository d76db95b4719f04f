// The one radio of a controller: advertising, scanning and initiating, each brought to what is wanted by a machine of
// its own (Vol 3, Part C, 9), the addresses that they use, and who of them has the radio now.
//
//     what the user wants ──▶ AdvertisingRole, ScanningRole, InitiatingRole ──▶ their machines: the next step
//                                      ▲ held, or not                             │ a command, legacy or extended
//     RadioArbiter: who has the radio ─┘                                          ▼
//     RadioAddresses: whether they are to be silent, for other addresses      AttachedController
//
// In each turn the radio is shared anew, then each role takes its next step. The controller's answers come back to the
// role; a refusal that may be for what else the radio does goes to the arbiter.

import BluetoothHCI
import BluetoothTypes
import Logging
import NIOCore

/// The radio of a host's controller.
final class HostRadio {
    /// What the host has to do.
    enum Action {
        /// Tell the user of an advertisement.
        case received(AdvertisingReport)
        /// Tell the user that advertising is over.
        case advertisingEnded(LEHostError)
        /// Tell the user that a device was not connected to.
        case connectionFailed(DeviceAddress, HCIErrorCode)
        /// Have pairings know the new key of this device.
        case identityChanged
        /// Say in the database whether the controller resolves addresses.
        case addressResolutionChanged(isUsable: Bool)
    }

    let controller: AttachedController
    let loop: HostLoop
    let log: Logger
    let addresses: RadioAddresses
    let advertising: AdvertisingRole
    let scanning: ScanningRole
    let initiating: InitiatingRole
    /// Carries out what is to be done.
    var perform: (Action) -> Void = { _ in }
    /// The roles of the open links.
    var linkRoles: () -> RadioRoles = { [] }
    /// Which commands the controller is given.
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

    /// Has everything end that the user has asked for.
    func stop() {
        self.advertising.endWithoutReport()
        self.scanning.stop()
        self.initiating.cancelAll()
    }

    /// Whether the controller does nothing and is not about to.
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

    /// Sends what the roles, and the addresses, need next.
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

    /// The key of this device is another one.
    func identityChanged() {
        self.perform(.identityChanged)
        self.addresses.updateList()
        self.loop.scheduleTurn()
    }

    /// Whether anything uses the radio, so that the own address matters.
    private var isUsed: Bool {
        self.advertising.isWanted || self.scanning.isNeeded || !self.initiating.pending.isEmpty
    }

    /// When ``advance(to:)`` is to be called.
    var deadline: NIODeadline? {
        [
            self.initiating.deadline, self.arbiter.deadline, self.extendedCommands.deadline,
            self.addresses.deadline(usesRadio: self.isUsed),
        ].lazy.compactMap(\.self).min()
    }

    /// Goes on where an answer is overdue, or a turn is over.
    func advance(to now: NIODeadline) {
        self.initiating.advance(to: now)
        guard let end = self.extendedCommands.advance(to: now) else { return }
        if case .deaf = end {
            self.log.info("the controller hears nothing by extended commands that it takes; legacy ones are used")
        }
        self.scanning.restart()
    }

    // MARK: Sharing

    /// Gives the radio to those roles that the controller can have now, as soon as those that they exclude are off.
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

    /// Whether the controller cannot initiate beside what the user wants, and can scan in place of it; or by which
    /// commands it can is yet to be heard.
    private func hearsAllFirst(beside links: RadioRoles) -> Bool {
        if self.extendedCommands.areOnTrial, self.arbiter.allows(links.union(.passiveScanning)) { return true }
        let others = self.advertising.wantedRole.union(self.scanning.userRole)
        guard !others.isEmpty, !self.arbiter.allows(others.union(links).union(.initiating)) else { return false }
        let scanning = others.intersection(.scanning).isEmpty ? RadioRoles.passiveScanning : []
        return self.arbiter.allows(others.union(links).union(scanning))
    }

    /// Whether the controller refused a role for what else its radio does; it then gets the role in a turn of its own.
    func isExcluded(_ role: RadioRoles, of family: RadioRoles, _ status: HCIErrorCode) -> Bool {
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

    /// An advertisement was received; returns the address that is reported to the user, `nil` where it is none of
    /// theirs.
    private func heard(_ address: DeviceAddress, isConnectable: Bool) -> DeviceAddress? {
        let device = self.addresses.device(at: address)
        guard !self.addresses.ignores(address, of: device) else { return nil }
        if isConnectable { self.initiating.heard(device, at: address.withoutIdentity) }
        return self.scanning.isWanted ? device : nil
    }
}
