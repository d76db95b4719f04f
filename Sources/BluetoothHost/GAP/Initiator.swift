// Pending connections. A controller initiates one connection at a time, so several devices go into its filter accept
// list: the first one that is received is connected, and the others stay pending (Vol 3, Part C, 9.3.5 to 9.3.8). A
// single device is initiated to directly, for controllers without a working list. Pending connections never expire.
//
//              ┌────────────────────── answer ──────────────────────┐
//              ▼                                                    │
//     idle ── several devices, and the list is another one ──▶ listing
//       ├──── one device, or the list is complete ──▶ starting ── accepted ──▶ initiating ── other devices ──▶ cancelling
//       │                                              │   │                       │                               │
//       │◀──────────── refused ────────────────────────┘   │                       │                               │
//       │◀──────────── connection complete, with a link or an error ───────────────┴───────────────────────────────┤
//       └◀──────────── answer ──────────── ended ◀── connection complete before the answer to the cancel ──────────┘
//
// idle: nothing is initiated. listing: one command changes the accept list. starting: Create Connection is not answered
// yet. initiating: the controller looks for these devices. cancelling: the event that ends the attempt is awaited.
// ended: the event came before the answer to the cancel, which must not be taken for the answer to a later command.
//
// While it is held, it goes to idle and stays there: another role has the radio, or the controller's addresses are
// being changed.
//
// A device whose private addresses the controller cannot resolve has to be heard first: the host scans, and initiates
// for a while to the address at which it heard the device, then to the next one. Meanwhile it initiates to no other
// device in another way. If the controller cannot initiate beside its other roles, but can scan, all devices are heard
// first: so an absent device does not block the radio.
//
// A controller can refuse each command, omit the event that ends a cancelled attempt (the host has a time limit for
// it), or send it late, which does not affect the current attempt. The host keeps the time: that limit, and the
// rotation of devices beyond the list's capacity.

import BluetoothHCI
import BluetoothTypes

/// The initiating state of one controller, and the wanted addresses.
struct Initiator {
    /// A command to send; its status goes to ``completed(_:)``.
    enum Step: Equatable {
        case clearAcceptList
        case addToAcceptList(DeviceAddress)
        case removeFromAcceptList(DeviceAddress)
        /// Create a connection with this device.
        case create(DeviceAddress)
        /// Create a connection with any device of the accept list.
        case createFromAcceptList
        case cancel
    }

    private enum State {
        case idle
        /// The accept list is being changed; nothing is initiated meanwhile.
        case listing(Step)
        /// Create Connection has been sent and not answered yet.
        case starting([DeviceAddress])
        /// The controller initiates to these.
        case initiating([DeviceAddress])
        /// Cancel has been sent; the connection complete event is awaited.
        case cancelling(isAccepted: Bool)
        /// That event came before the answer to Cancel.
        case ended
    }

    private var wanted: [DeviceAddress] = []
    private var state: State = .idle
    /// The contents of the controller's list; `nil` until it has been cleared for the first time.
    private var acceptList: [DeviceAddress]?
    /// The capacity of the controller's list.
    var acceptListSize = 8
    /// The number of refused list commands.
    private var listRefusals = 0
    /// Whether devices are tried one at a time because the list could not be changed.
    private var avoidsList = false
    /// The number of events of cancelled attempts that are overdue; they may still come.
    private var overdueEvents = 0
    /// Whether the controller has to stop initiating.
    var isHeld = false
    /// Whether all devices must be heard before they are initiated to.
    var hearsAllFirst = false
    /// The devices whose private addresses the controller cannot resolve.
    var unresolvable: Set<DeviceAddress> = []
    /// The device that was heard, and the address at which it is initiated to.
    private var heard: (device: DeviceAddress, address: DeviceAddress)?
    /// The number of consecutive links of a device that were not established, and the limit for trying again.
    private var failedEstablishments: [DeviceAddress: Int] = [:]
    private static let establishmentRetries = 3
    /// The number of refused list commands after which the list is no longer used.
    private static let listRefusalLimit = 3

    /// The addresses with pending connections.
    var pending: [DeviceAddress] { self.wanted }

    /// Adds a pending connection, unless there is one to the same device.
    mutating func connect(to address: DeviceAddress) {
        guard !self.wanted.contains(address) else { return }
        self.wanted.append(address)
        self.tryListAgain()
    }

    private mutating func tryListAgain() {
        if self.listRefusals < Self.listRefusalLimit { self.avoidsList = false }
    }

    /// Removes a pending connection; returns whether there was one.
    mutating func cancel(_ address: DeviceAddress) -> Bool {
        self.failedEstablishments[address] = nil
        guard let index = self.wanted.firstIndex(of: address) else { return false }
        self.wanted.remove(at: index)
        if self.heard?.device == address { self.heard = nil }
        return true
    }

    // MARK: Devices that the host resolves

    /// Whether devices must be heard before they are initiated to.
    @inline(__always)
    private var hearsFirst: Bool {
        !self.wanted.isEmpty && (self.hearsAllFirst || self.wanted.contains { self.unresolvable.contains($0) })
    }

    /// Whether the host has to scan for the wanted devices.
    @inline(__always)
    var needsScan: Bool { self.heard == nil && self.hearsFirst }

    /// A connectable device was heard; returns whether it is initiated to now.
    mutating func heard(_ device: DeviceAddress, at address: DeviceAddress) -> Bool {
        guard self.needsScan, self.wanted.contains(device) else { return false }
        self.heard = (device, address)
        return true
    }

    /// The connection to the heard device has taken too long: it may have changed its address, or left.
    mutating func forgetHeard() {
        guard let device = self.heard?.device else { return }
        self.heard = nil
        // Other devices get a chance, too.
        guard let index = self.wanted.firstIndex(of: device) else { return }
        self.wanted.append(self.wanted.remove(at: index))
    }

    /// The device behind an address that is initiated to.
    func device(at address: DeviceAddress) -> DeviceAddress {
        guard let heard = self.heard, heard.address == address else { return address }
        return heard.device
    }

    /// Whether nothing is initiated and no command is pending.
    var isIdle: Bool { if case .idle = self.state { true } else { false } }

    /// Whether the controller does not initiate and is not about to.
    var isSilent: Bool {
        switch self.state {
        case .idle, .ended: true
        case .listing, .starting, .initiating, .cancelling: false
        }
    }

    /// Whether there are more wanted devices than places in the controller's list.
    @inline(__always)
    var hasDevicesInWaiting: Bool { !self.hearsFirst && self.wanted.count > self.capacity }

    /// The number of devices that can be initiated to at a time.
    private var capacity: Int { self.avoidsList ? 1 : max(self.acceptListSize, 1) }

    /// Initiates to the devices that the list could not hold.
    mutating func rotate() {
        guard self.hasDevicesInWaiting else { return }
        let count = self.capacity
        self.wanted = Array(self.wanted[count...] + self.wanted[..<count])
        self.tryListAgain()
    }

    /// The role that the pending connections need now.
    var wantedRole: RadioRoles { self.wanted.isEmpty || self.needsScan ? [] : .initiating }

    /// The role that the controller has, or may have.
    var usedRole: RadioRoles {
        switch self.state {
        case .idle, .listing, .ended: []
        case .starting, .initiating, .cancelling: .initiating
        }
    }

    /// Whether the event that ends a cancelled attempt is awaited.
    var awaitsEnd: Bool { if case .cancelling = self.state { true } else { false } }

    /// The event that ends a cancelled attempt will not come.
    mutating func cancellingTimedOut() {
        guard case .cancelling = self.state else { return }
        self.state = .idle
        self.overdueEvents += 1
    }

    /// The addresses to initiate to now: as many as the list can hold, or the one that was heard.
    private var targets: [DeviceAddress] {
        if self.isHeld { return [] }
        if self.hearsFirst { return self.heard.map { [$0.address] } ?? [] }
        return Array(self.wanted.prefix(self.capacity))
    }

    /// The next command if one is due and none is pending.
    mutating func next() -> Step? {
        switch self.state {
        case .listing, .starting, .cancelling, .ended:
            return nil
        case .initiating(let current):
            guard current != self.targets else { return nil }
            self.state = .cancelling(isAccepted: false)
            return .cancel
        case .idle:
            let targets = self.targets
            guard let first = targets.first else { return nil }
            if targets.count == 1 {
                self.state = .starting(targets)
                return .create(first)
            }
            if let step = self.nextListStep(targets) {
                self.state = .listing(step)
                return step
            }
            self.state = .starting(targets)
            return .createFromAcceptList
        }
    }

    private func nextListStep(_ targets: [DeviceAddress]) -> Step? {
        guard let acceptList = self.acceptList else { return .clearAcceptList }
        if let stale = acceptList.first(where: { !targets.contains($0) }) { return .removeFromAcceptList(stale) }
        if let missing = targets.first(where: { !acceptList.contains($0) }) { return .addToAcceptList(missing) }
        return nil
    }

    /// Takes the status of the last step. If initiating was refused, returns the devices concerned, which are no longer
    /// wanted. Call `next()` afterwards.
    /// - Parameter isExcluded: Whether it was refused because of the other roles of the radio, which the arbiter has
    ///   noted.
    mutating func completed(_ status: HCIErrorCode, isExcluded: Bool = false) -> [DeviceAddress] {
        switch self.state {
        case .listing(let step):
            self.state = .idle
            if status == .success {
                switch step {
                case .clearAcceptList: self.acceptList = []
                case .addToAcceptList(let address): self.acceptList?.append(address)
                case .removeFromAcceptList(let address): self.acceptList?.removeAll { $0 == address }
                case .create, .createFromAcceptList, .cancel: break
                }
                return []
            }
            self.refusedToList(step, status)
            return []
        case .starting(let targets):
            if status == .success {
                self.state = .initiating(targets)
                return []
            }
            self.state = .idle
            return isExcluded ? [] : self.removeFailed(targets.map { self.device(at: $0) })
        case .cancelling:
            // Refused: the link was opened first, and its event will follow.
            self.state = status == .success ? .cancelling(isAccepted: true) : .idle
            return []
        case .ended:
            self.state = .idle
            return []
        case .idle, .initiating:
            return []
        }
    }

    /// The controller could not connect to these devices: they are no longer wanted.
    private mutating func removeFailed(_ devices: [DeviceAddress]) -> [DeviceAddress] {
        guard !devices.isEmpty else { return [] }
        for device in devices { self.failedEstablishments[device] = nil }
        self.wanted.removeAll { devices.contains($0) }
        self.heard = nil
        return devices
    }

    private mutating func refusedToList(_ step: Step, _ status: HCIErrorCode) {
        // The capacity of a full list is the number of its entries.
        if case .addToAcceptList = step, status == .memoryCapacityExceeded, let count = self.acceptList?.count,
            count > 0
        {
            self.acceptListSize = count
            return
        }
        // The devices are tried one at a time. The list is tried again with the next device or rotation, from the
        // beginning, since its contents are unknown.
        self.listRefusals = status == .unknownCommand ? Self.listRefusalLimit : self.listRefusals + 1
        self.avoidsList = true
        self.acceptList = nil
    }

    /// The controller ended initiating: with a link to `peer`, its identity address if known, or with an error if
    /// `peer` is `nil`. Returns the devices that failed; a cancelled attempt fails none.
    mutating func finished(_ peer: DeviceAddress?, error: HCIErrorCode) -> [DeviceAddress] {
        let before = self.state
        if peer == nil, error == .unknownConnectionIdentifier, self.overdueEvents > 0 {
            switch before {
            case .cancelling: break
            case .idle, .listing, .starting, .initiating, .ended:
                // The end of an attempt that timed out earlier; the current one continues.
                self.overdueEvents -= 1
                return []
            }
        }
        switch before {
        case .cancelling(isAccepted: false): self.state = .ended
        case .initiating, .starting, .cancelling: self.state = .idle
        case .idle, .listing, .ended: break
        }
        if let peer {
            self.wanted.removeAll { $0 == peer }
            self.heard = nil
            self.tryListAgain()
            return []
        }
        switch before {
        case .initiating(let targets), .starting(let targets):
            // 0x02 answers a cancel whose status came later.
            guard error != .unknownConnectionIdentifier else { return [] }
            let devices = targets.map { self.device(at: $0) }
            guard error == .connectionFailedToBeEstablished else { return self.removeFailed(devices) }
            return self.removeFailed(devices.filter { !self.retry($0) })
        case .idle, .listing, .cancelling, .ended:
            return []
        }
    }

    // MARK: Links that are not established

    /// A link to a device was not established, as happens now and then; returns whether to try again.
    mutating func retry(_ device: DeviceAddress) -> Bool {
        let count = self.failedEstablishments[device, default: 0]
        self.failedEstablishments[device] = count < Self.establishmentRetries ? count + 1 : nil
        return count < Self.establishmentRetries
    }

    /// A device was heard on its link.
    mutating func established(_ device: DeviceAddress) { self.failedEstablishments[device] = nil }

    /// The controller was reset or lost, and the pending connections with it.
    mutating func reset() { self = Initiator() }
}
