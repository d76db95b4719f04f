// The privacy of Generic Access (Vol 3, Part C, 10.7 and 10.8): the addresses of this device on the air, and the
// identities behind the addresses of others.
//
// The own address. A device with privacy uses a resolvable private address as its random address, which the host
// generates and replaces in time (`PrivateAddress`). If the controller resolves addresses, it also generates own
// addresses for the peers of its list, and uses the random address for all others (own address type 0x03). The
// controller never gets the identity address.
//
// Addresses of others. The controller resolves those of bonded peers in its list (`ResolvingList`), and the host all
// others (`PeerIdentities`): if the controller has no list, if its list is full, and until a new peer is in it. The
// user of the host sees a bonded peer by its identity address, whatever address it uses.
//
// The order. Neither the random address nor the list can be changed while the controller advertises, scans or initiates
// (Vol 4, Part E, 7.8.4 and 7.8.38 to 7.8.45 and 7.8.77). So if a change is due, the radio holds all three; once they
// are off, the commands are sent one after the other; then they continue. Links are not affected.

import BluetoothHCI
import BluetoothTypes
import Logging
import NIOCore

/// The addresses of this device and of its bonded peers.
final class RadioAddresses {
    /// The identity resolving key of this device.
    private(set) var identityResolvingKey: Octets16?
    /// All bonded peers.
    private(set) var bondedPeers: [BondedPeer] = []
    /// Their declared privacy.
    private(set) var peerPrivacy: [DeviceAddress: PeerPrivacy] = [:]
    /// Called when the set of addresses that the controller resolves has changed.
    var listChanged: () -> Void = {}

    @exclusivity(unchecked) private var privateAddress = PrivateAddress()
    @exclusivity(unchecked) private var resolvingList = ResolvingList()
    private var peerIdentities = PeerIdentities()
    private var generator: HostGenerator
    private let controller: AttachedController
    private let loop: HostLoop
    private let configuration: LEHostConfiguration
    private let log: Logger

    init(
        _ controller: AttachedController,
        _ generator: HostGenerator,
        _ loop: HostLoop,
        _ configuration: LEHostConfiguration,
        _ log: Logger
    ) {
        self.controller = controller
        self.generator = generator
        self.loop = loop
        self.configuration = configuration
        self.log = log
    }

    // MARK: Identities

    /// Whether this device uses privacy.
    var isPrivate: Bool { self.configuration.privacy != nil }

    /// The identity address of this device, even while the controller is not ready; `nil` if it is not known yet.
    var identity: DeviceAddress? { self.randomAddress ?? self.controller.information.publicAddress }

    private var randomAddress: DeviceAddress? {
        self.configuration.randomAddress(beside: self.controller.information.publicAddress)
    }

    /// The address of this device on links whose own address the controller did not generate; `nil` without a
    /// controller.
    var onAir: DeviceAddress? {
        guard self.controller.isReady else { return self.isPrivate ? self.privateAddress.address : nil }
        return self.isPrivate ? self.privateAddress.address ?? self.identity : self.identity
    }

    /// The own address type for the controller.
    var ownType: OwnAddressType {
        guard self.isPrivate, self.resolvingList.isResolving else {
            return self.configuration.ownAddressType(beside: self.controller.information.publicAddress)
        }
        return .resolvableOrRandom
    }

    /// Sets the key of this device; returns whether it has changed.
    func setKey(_ key: Octets16?) -> Bool {
        guard key != self.identityResolvingKey else { return false }
        self.identityResolvingKey = key
        self.privateAddress.reset()
        return true
    }

    /// Generates the key of a device with privacy if it has none; returns whether it did.
    func drawKey() -> Bool {
        self.isPrivate && self.identityResolvingKey == nil ? self.setKey(.random(using: &self.generator)) : false
    }

    /// Sets the bonded peers; returns whether they have changed.
    func setBondedPeers(_ peers: [BondedPeer]) -> Bool {
        guard peers != self.bondedPeers else { return false }
        self.bondedPeers = peers
        self.peerIdentities = PeerIdentities(peers)
        return true
    }

    /// Sets the declared privacy of bonded peers.
    func setPeerPrivacy(_ privacy: [DeviceAddress: PeerPrivacy]) {
        guard privacy != self.peerPrivacy else { return }
        self.peerPrivacy = privacy
        self.updateList()
        self.loop.scheduleTurn()
    }

    /// The device behind an address on the air: its identity address if that can be resolved.
    func device(at address: DeviceAddress) -> DeviceAddress {
        let plain = address.withoutIdentity
        guard address.kind == .random else { return plain }
        return self.peerIdentities.resolve(plain) ?? plain
    }

    /// Whether to ignore a device because it uses its identity address and has declared that it does not. A controller
    /// with a list has already ignored it (Vol 6, Part B, 4.7).
    func ignores(_ address: DeviceAddress, of device: DeviceAddress) -> Bool {
        address == device && self.peerIdentities.key(of: device) != nil && self.mode(of: device) == .network
    }

    /// How the controller and the host treat the identity address of a bonded peer. A peer that has not declared that
    /// it uses only private addresses is also found by its identity address.
    private func mode(of peer: DeviceAddress) -> PrivacyMode {
        guard self.configuration.peerPrivacyMode == .network else { return .device }
        return self.peerPrivacy[peer]?.usesOnlyPrivateAddresses == true ? .network : .device
    }

    /// The address of a device for the controller's initiator.
    func initiatingAddress(of device: DeviceAddress) -> DeviceAddress {
        // Without LE Set Privacy Mode, the controller does not take a plain address for an identity (Vol 4, Part E,
        // 7.8.12).
        guard self.resolvingList.resolves(device), !self.resolvingList.knowsPrivacyMode else { return device }
        return DeviceAddress(device.value, kind: device.isRandom ? .randomIdentity : .publicIdentity)
    }

    /// Whether directed advertising may target a peer. If this controller generates a private address for the peer, the
    /// peer must have declared that it resolves such an address, or it would ignore the advertising (Vol 3, Part C,
    /// 12.4).
    func mayDirectAdvertising(to peer: DeviceAddress) -> Bool {
        guard self.resolvingList.isUsable, self.peerIdentities.key(of: peer) != nil else { return true }
        return self.peerPrivacy[peer]?.resolvesAddresses == true
    }

    /// Whether the controller can resolve addresses, now or once there are peers.
    var canResolve: Bool { self.resolvingList.isUsable }

    /// The peers whose private addresses the controller cannot resolve.
    var unresolvable: Set<DeviceAddress> {
        self.peerIdentities.withAliases.union(
            self.peerIdentities.resolvable.map(\.address).filter { !self.resolvingList.resolves($0) }
        )
    }

    // MARK: Changing addresses

    /// The controller is set up.
    func begin() {
        self.resolvingList.capacity = self.controller.information.resolvingListSize
        self.resolvingList.knowsPrivacyMode = self.controller.information.knows(LESetPrivacyMode.self)
        self.updateList()
    }

    /// Decides which peers are in the controller's list, and which the host resolves.
    func updateList() {
        let localKey = self.isPrivate ? self.identityResolvingKey ?? .zero : .zero
        self.resolvingList.want(
            self.peerIdentities.resolvable.map {
                ResolvingList.Entry(
                    peer: $0.address,
                    peerKey: $0.identityResolvingKey,
                    localKey: localKey,
                    mode: self.mode(of: $0.address)
                )
            },
            timeout: self.configuration.privacy.map { ResolvablePrivateAddressTimeout($0.rotationInterval) }
        )
        self.listChanged()
    }

    /// Whether to replace the own address now: only while the radio is used.
    private func isOwnDue(_ usesRadio: Bool) -> Bool {
        guard let privacy = self.configuration.privacy, usesRadio else { return false }
        return self.privateAddress.isDue(privacy, now: self.loop.now)
    }

    /// Whether the controller's addresses have to be changed, during which nothing may use the radio.
    func isChangeDue(usesRadio: Bool) -> Bool { self.resolvingList.isDue || self.isOwnDue(usesRadio) }

    /// When to replace the own address. After that time, any turn replaces it.
    func deadline(usesRadio: Bool) -> NIODeadline? {
        guard self.isPrivate, self.controller.isReady, usesRadio, let deadline = self.privateAddress.deadline,
            deadline > self.loop.now
        else { return nil }
        return deadline
    }

    /// A link was established with the own address.
    func countLink() { self.privateAddress.countLink() }

    /// Changes the controller's addresses by one step, while nothing uses the radio.
    func change(usesRadio: Bool) {
        if let privacy = self.configuration.privacy, let key = self.identityResolvingKey, self.isOwnDue(usesRadio) {
            let isRenewal = self.privateAddress.address != nil
            let now = self.loop.now
            if let address = self.privateAddress.next(privacy, key: key, now: now, using: &self.generator) {
                if isRenewal { self.resolvingList.renewAddresses() }
                self.controller.send(LESetRandomAddress(address: address)) { [unowned self] result in
                    if case .failure(let error) = result {
                        self.log.warning("the private address was not changed: \(error)")
                    }
                    self.privateAddress.completed(result.status, privacy, now: self.loop.now)
                }
            }
        }
        if let step = self.resolvingList.next() { self.perform(step) }
    }

    private func perform(_ step: ResolvingList.Step) {
        let next: (LEHostError?) -> Void = { [unowned self] failure in
            let status = failure?.status ?? .success
            if status != .success { self.log.debug("the resolving list was not changed: \(step), \(status)") }
            self.resolvingList.completed(status)
            self.updateList()
        }
        switch step {
        case .clear: self.controller.send(LEClearResolvingList(), then: next)
        case .setTimeout(let timeout):
            self.controller.send(LESetResolvablePrivateAddressTimeout(timeout: timeout), then: next)
        case .remove(let peer): self.controller.send(LERemoveDeviceFromResolvingList(peer: peer), then: next)
        case .add(let entry):
            let command = LEAddDeviceToResolvingList(
                peer: entry.peer,
                peerIdentityResolvingKey: entry.peerKey,
                localIdentityResolvingKey: entry.localKey
            )
            self.controller.send(command, then: next)
        case .setMode(let peer, let mode): self.controller.send(LESetPrivacyMode(peer: peer, mode: mode), then: next)
        case .enable(let isEnabled):
            self.controller.send(LESetAddressResolutionEnable(isEnabled: isEnabled), then: next)
        }
    }

    /// The controller was reset or lost.
    func reset() {
        self.privateAddress.reset()
        self.resolvingList.reset()
    }
}

extension LEHostConfiguration {
    /// The random static address of a device whose controller has this public address; `nil` if it uses the public one.
    func randomAddress(beside publicAddress: DeviceAddress?) -> DeviceAddress? {
        self.address ?? (publicAddress == nil ? self.fallbackAddress : nil)
    }

    /// The own address type for a controller that does not resolve addresses.
    func ownAddressType(beside publicAddress: DeviceAddress?) -> OwnAddressType {
        self.privacy == nil && self.randomAddress(beside: publicAddress) == nil ? .public : .random
    }
}
