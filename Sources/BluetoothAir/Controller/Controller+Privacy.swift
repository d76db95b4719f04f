// Addresses: the filter accept list, and the privacy of the link layer (Vol 6, Part B, 6; Vol 4, Part E, 7.8.14 to
// 7.8.17, 7.8.38 to 7.8.45 and 7.8.77). The resolving list maps resolvable private addresses of known peers to their
// identity addresses before anything else sees them, and provides the controller's own resolvable addresses.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// An entry of the resolving list.
struct ResolvingListEntry {
    /// The peer's identity address.
    var peer: DeviceAddress
    var peerKey: Octets16
    var localKey: Octets16
    var mode = PrivacyMode.network
    /// The peer's last address.
    var peerAddress: DeviceAddress?
    /// The controller's address towards this peer.
    var local: GeneratedAddress?
    /// The peer's address in advertising directed to it.
    var target: GeneratedAddress?
}

/// A resolvable private address that this controller has generated.
struct GeneratedAddress {
    var address: DeviceAddress
    /// When it was made.
    var time: NIODeadline
}

/// A host's privacy settings.
struct PrivacySettings {
    var isResolving = false
    var list: [ResolvingListEntry] = []
    var timeout = ResolvablePrivateAddressTimeout.recommended
}

/// Resolvable private addresses (Vol 6, Part B, 1.3.2.2).
enum ResolvableAddress {
    /// The random address hash function ah (Vol 3, Part H, 2.2.2).
    static func hash(_ key: Octets16, _ random: UInt32) -> UInt32 {
        let block = BlockCipher.encrypt(Octets16(high: 0, low: UInt64(random)), key: key)
        return UInt32(truncatingIfNeeded: block.low) & 0xFF_FFFF
    }

    /// A new address for a key.
    static func make(_ key: Octets16, using generator: inout some RandomNumberGenerator) -> DeviceAddress {
        .resolvablePrivate(using: &generator) { self.hash(key, $0) }
    }

    /// Whether an address was made with a key.
    static func matches(_ address: DeviceAddress, _ key: Octets16) -> Bool {
        key != .zero && address.isResolvablePrivate { self.hash(key, $0) }
    }
}

// MARK: - Use

extension Controller {
    /// The identity address of a device if its address can be resolved, otherwise the address itself.
    func identity(of address: DeviceAddress) -> DeviceAddress {
        guard self.settings.privacy.isResolving, address.randomKind == .resolvablePrivate else { return address }
        for index in self.settings.privacy.list.indices {
            let entry = self.settings.privacy.list[index]
            guard ResolvableAddress.matches(address, entry.peerKey) else { continue }
            self.settings.privacy.list[index].peerAddress = address
            return DeviceAddress(entry.peer.value, kind: entry.peer.isRandom ? .randomIdentity : .publicIdentity)
        }
        return address
    }

    /// Whether privacy lets a device pass: in network privacy mode, a peer with a key is not accepted under its
    /// identity address (Vol 6, Part B, 4.7).
    func admitsPrivacy(of advertiser: DeviceAddress) -> Bool {
        guard self.settings.privacy.isResolving, advertiser.kind == .public || advertiser.kind == .random else {
            return true
        }
        return !self.settings.privacy.list.contains {
            $0.peer.withoutIdentity == advertiser && $0.peerKey != .zero && $0.mode == .network
        }
    }

    /// Whether the filter accept list contains a device; `nil` is an anonymous one.
    func acceptListContains(_ device: DeviceAddress?) -> Bool {
        guard let device else { return self.settings.acceptList.contains(.anonymous) }
        return self.settings.acceptList.contains(.device(device.withoutIdentity))
    }

    /// The own address of a type, for use towards `peer`.
    func ownAddress(
        _ type: OwnAddressType,
        random: DeviceAddress?,
        peer: DeviceAddress
    ) throws(HCIErrorCode) -> DeviceAddress {
        if type.isResolvable,
            let address = self.resolvableAddress(towards: peer)
        {
            return address
        }
        guard type.isRandom else {
            // Zero is not an address.
            guard self.publicAddress.value != 0 else { throw .invalidParameters }
            return self.publicAddress
        }
        // The random address must have been set (7.8.9, 7.8.11, 7.8.12).
        guard let random else { throw .invalidParameters }
        return random
    }

    /// The address with which an initiator connects to a device.
    func initiatingAddress(for initiation: InitiationState, peer: DeviceAddress?) -> DeviceAddress {
        guard let peer else { return initiation.address }
        let address = try? self.ownAddress(
            initiation.ownAddressType,
            random: self.settings.randomAddress,
            peer: self.identity(of: peer)
        )
        return address ?? initiation.address
    }

    /// The own resolvable address towards a peer of the resolving list; `nil` without a local key.
    private func resolvableAddress(towards peer: DeviceAddress) -> DeviceAddress? {
        guard let index = self.resolvingListIndex(of: peer), self.settings.privacy.list[index].localKey != .zero else {
            return nil
        }
        let entry = self.settings.privacy.list[index]
        if let local = self.inTime(entry.local) { return local.address }
        let address = ResolvableAddress.make(entry.localKey, using: &self.generator)
        self.settings.privacy.list[index].local = GeneratedAddress(address: address, time: self.now)
        return address
    }

    /// The generated address if it has not expired. A new timeout applies to addresses in use, too (7.8.45).
    private func inTime(_ generated: GeneratedAddress?) -> GeneratedAddress? {
        generated.flatMap { self.now - $0.time < self.settings.privacy.timeout.timeAmount ? $0 : nil }
    }

    /// The target of a set's directed PDUs. An advertiser that uses resolvable addresses also hides a peer whose key it
    /// has (Vol 6, Part B, 6.2.2).
    func targetAddress(of parameters: AdvertisingSetParameters) -> DeviceAddress? {
        guard parameters.properties.contains(.directed) else { return nil }
        guard parameters.ownAddressType.isResolvable, let index = self.resolvingListIndex(of: parameters.peer),
            self.settings.privacy.list[index].peerKey != .zero
        else { return parameters.peer }
        let entry = self.settings.privacy.list[index]
        if let target = self.inTime(entry.target) { return target.address }
        let address = ResolvableAddress.make(entry.peerKey, using: &self.generator)
        self.settings.privacy.list[index].target = GeneratedAddress(address: address, time: self.now)
        return address
    }

    /// The own identity behind an address to which a peer directs advertising; the address itself if it was not made
    /// with a local key.
    func ownIdentity(of address: DeviceAddress, ownAddressType: OwnAddressType) -> DeviceAddress {
        guard self.isMadeWithLocalKey(address) else { return address }
        guard ownAddressType.isRandom, let random = self.settings.randomAddress else {
            return DeviceAddress(self.publicAddress.value, kind: .publicIdentity)
        }
        return DeviceAddress(random.value, kind: .randomIdentity)
    }

    /// The address in a scan request to an advertiser.
    func scanningAddress(for scan: ScanState, advertiser: DeviceAddress?) -> DeviceAddress {
        guard let advertiser else { return scan.address }
        let address = try? self.ownAddress(
            scan.parameters.ownAddressType,
            random: self.settings.randomAddress,
            peer: advertiser
        )
        return address ?? scan.address
    }

    /// Whether an address belongs to this device.
    func isOwn(_ address: DeviceAddress) -> Bool {
        if address == self.publicAddress || address == self.settings.randomAddress { return true }
        if self.advertisingSets.contains(where: { $0.randomAddress == address }) { return true }
        return self.isMadeWithLocalKey(address)
    }

    private func isMadeWithLocalKey(_ address: DeviceAddress) -> Bool {
        self.settings.privacy.isResolving
            && self.settings.privacy.list.contains { ResolvableAddress.matches(address, $0.localKey) }
    }

    /// Whether the controller generated an own address.
    func isGenerated(_ address: DeviceAddress) -> Bool {
        address.randomKind == .resolvablePrivate
            && self.settings.privacy.list.contains { $0.local?.address == address }
    }

    private func resolvingListIndex(of peer: DeviceAddress) -> Int? {
        let peer = peer.withoutIdentity
        return self.settings.privacy.list.firstIndex { $0.peer.withoutIdentity == peer }
    }
}

extension OwnAddressType {
    /// Whether the controller makes a resolvable private address if it can.
    var isResolvable: Bool { self == .resolvableOrPublic || self == .resolvableOrRandom }
    /// Whether the random address is used, at least without a resolvable one.
    fileprivate var isRandom: Bool { self == .random || self == .resolvableOrRandom }
}

// MARK: - Filter accept list

extension Controller {
    /// The list must not change while it is in use (7.8.15).
    private func requireAcceptListUnused() throws(HCIErrorCode) {
        let isUsed =
            self.isAdvertising { $0.parameters.filterPolicy != .all }
            || self.scan?.parameters.usesAcceptList ?? false
            || (self.initiation.map { $0.peer == nil } ?? false)
        if isUsed { throw .commandDisallowed }
    }

    /// Identity address types do not occur on the air (7.8.16).
    private func checked(_ entry: FilterAcceptListEntry) throws(HCIErrorCode) -> FilterAcceptListEntry {
        guard case .device(let address) = entry else { return entry }
        guard address.kind == .public || address.kind == .random else { throw .invalidParameters }
        return entry
    }

    /// HCI_LE_Clear_Filter_Accept_List.
    func clearAcceptList(_: LEClearFilterAcceptList) throws(HCIErrorCode) {
        try self.requireAcceptListUnused()
        self.settings.acceptList = []
    }

    /// HCI_LE_Add_Device_To_Filter_Accept_List.
    func addToAcceptList(_ command: LEAddDeviceToFilterAcceptList) throws(HCIErrorCode) {
        try self.requireAcceptListUnused()
        let entry = try self.checked(command.entry)
        guard !self.settings.acceptList.contains(entry) else { return }
        guard self.settings.acceptList.count < self.model.filterAcceptListSize else {
            throw .memoryCapacityExceeded
        }
        self.settings.acceptList.append(entry)
    }

    /// HCI_LE_Remove_Device_From_Filter_Accept_List.
    func removeFromAcceptList(_ command: LERemoveDeviceFromFilterAcceptList) throws(HCIErrorCode) {
        try self.requireAcceptListUnused()
        let entry = try self.checked(command.entry)
        self.settings.acceptList.removeAll { $0 == entry }
    }
}

// MARK: - Resolving list

extension Controller {
    /// The list must not change while addresses are being resolved (7.8.38).
    private func requireResolvingListUnused() throws(HCIErrorCode) {
        if self.settings.privacy.isResolving { try self.requireNoRadio() }
    }

    private func requireNoRadio() throws(HCIErrorCode) {
        if self.isAdvertising() || self.isListening { throw .commandDisallowed }
    }

    /// HCI_LE_Add_Device_To_Resolving_List.
    func addToResolvingList(_ command: LEAddDeviceToResolvingList) throws(HCIErrorCode) {
        try self.requireResolvingListUnused()
        let peerKey = command.peerIdentityResolvingKey
        // Two peers with the same key would be indistinguishable.
        guard command.peer.kind == .public || command.peer.kind == .random,
            self.resolvingListIndex(of: command.peer) == nil,
            peerKey == .zero || !self.settings.privacy.list.contains(where: { $0.peerKey == peerKey })
        else { throw .invalidParameters }
        guard self.settings.privacy.list.count < self.model.resolvingListSize else {
            throw .memoryCapacityExceeded
        }
        self.settings.privacy.list.append(
            ResolvingListEntry(
                peer: command.peer,
                peerKey: command.peerIdentityResolvingKey,
                localKey: command.localIdentityResolvingKey
            )
        )
    }

    /// HCI_LE_Remove_Device_From_Resolving_List.
    func removeFromResolvingList(_ command: LERemoveDeviceFromResolvingList) throws(HCIErrorCode) {
        try self.requireResolvingListUnused()
        guard let index = self.resolvingListIndex(of: command.peer) else { throw .unknownConnectionIdentifier }
        self.settings.privacy.list.remove(at: index)
    }

    /// HCI_LE_Clear_Resolving_List.
    func clearResolvingList(_: LEClearResolvingList) throws(HCIErrorCode) {
        try self.requireResolvingListUnused()
        self.settings.privacy.list = []
    }

    /// HCI_LE_Read_Peer_Resolvable_Address.
    func peerResolvableAddress(_ peer: DeviceAddress) throws(HCIErrorCode) -> DeviceAddress {
        guard let index = self.resolvingListIndex(of: peer),
            let address = self.settings.privacy.list[index].peerAddress
        else { throw .unknownConnectionIdentifier }
        return address
    }

    /// HCI_LE_Read_Local_Resolvable_Address.
    func localResolvableAddress(_ peer: DeviceAddress) throws(HCIErrorCode) -> DeviceAddress {
        guard let index = self.resolvingListIndex(of: peer),
            let address = self.settings.privacy.list[index].local?.address
        else { throw .unknownConnectionIdentifier }
        return address
    }

    /// HCI_LE_Set_Address_Resolution_Enable.
    func setAddressResolution(_ command: LESetAddressResolutionEnable) throws(HCIErrorCode) {
        try self.requireNoRadio()
        self.settings.privacy.isResolving = command.isEnabled
        self.hearingChanged()
    }

    /// HCI_LE_Set_Resolvable_Private_Address_Timeout.
    func setResolvableAddressTimeout(_ command: LESetResolvablePrivateAddressTimeout) throws(HCIErrorCode) {
        guard command.timeout.isInRange else { throw .invalidParameters }
        self.settings.privacy.timeout = command.timeout
    }

    /// HCI_LE_Set_Privacy_Mode.
    func setPrivacyMode(_ command: LESetPrivacyMode) throws(HCIErrorCode) {
        try self.requireResolvingListUnused()
        guard command.mode.rawValue <= 1 else { throw .invalidParameters }
        guard let index = self.resolvingListIndex(of: command.peer) else { throw .unknownConnectionIdentifier }
        self.settings.privacy.list[index].mode = command.mode
    }
}
