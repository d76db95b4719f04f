// The configuration of a host, and the parameters of advertising and scanning.

public import BluetoothHCI
public import BluetoothTypes
public import NIOCore

/// The contents of a host's Generic Attribute service (Vol 3, Part G, 7).
public enum GenericAttributeService: Hashable, Sendable {
    /// No such service, as on servers whose database never changes.
    case absent
    /// The service without characteristics.
    case empty
    /// Service Changed.
    case serviceChanged
    /// Service Changed, Client Supported Features and Database Hash, for robust caching.
    case full
}

/// How a host presents itself.
public struct LEHostConfiguration: Sendable {
    /// The GAP Device Name (Vol 3, Part C, 12.1); at most 248 octets of UTF-8.
    public var deviceName: String
    /// The GAP Appearance (Vol 3, Part C, 12.2).
    public var appearance: UInt16
    /// The random static address to use; `nil` for the controller's public one.
    ///
    /// A device with ``privacy`` does not use it on the air: its peers receive it when they pair.
    public var address: DeviceAddress?
    /// The random static address to use if the controller has no public one, as some emulators and chips.
    package var fallbackAddress: DeviceAddress?
    /// The ATT MTU that this host offers, 23 to 517 octets.
    public var preferredMTU: Int
    /// The time in which a controller must answer a command before it counts as lost.
    public var commandTimeout: TimeAmount
    /// Whether to use the extended commands if the controller lists them (Vol 4, Part E, 3.1.1); `nil` to try them
    /// first, since some controllers accept them and do nothing.
    package var usesExtendedAdvertising: Bool?
    /// Whether to use flow control from the controller to the host if the controller supports it (Vol 4, Part E, 4.2).
    ///
    /// Off by default: some controllers list the command and stop working at it. Those of an air support it.
    package var limitsReceivedData: Bool
    /// The contents of its Generic Attribute service.
    package var genericAttribute: GenericAttributeService
    /// How this host pairs; the delegate stores the keys.
    public var pairing: PairingConfiguration
    /// How the device uses private addresses; `nil` to use its identity address.
    public var privacy: PrivacyConfiguration?
    /// Whether bonded peers that have distributed an identity resolving key are also received under their identity
    /// addresses (Vol 6, Part B, 4.7).
    ///
    /// In `PrivacyMode.device`, the default, a peer is found whether it uses private addresses or not. In
    /// `PrivacyMode.network`, packets from the identity address of a peer that claims to use private addresses only
    /// (Vol 3, Part C, 12.5) are ignored, since another device may have sent them; such a peer is no longer found once
    /// it stops using private addresses.
    public var peerPrivacyMode: PrivacyMode
    /// The seed of all random numbers and keys, for reproducible runs; `nil` for the system's generator.
    package var pairingSeed: UInt64?

    @usableFromInline static let maximumMTU = ATT.maximumMTU

    /// Creates a configuration.
    public init(
        deviceName: String = "OpenCoreBluetooth",
        appearance: UInt16 = 0,
        address: DeviceAddress? = nil,
        fallbackAddress: DeviceAddress? = nil,
        preferredMTU: Int = Self.maximumMTU,
        commandTimeout: TimeAmount = .seconds(2),
        usesExtendedAdvertising: Bool? = nil,
        limitsReceivedData: Bool = false,
        genericAttribute: GenericAttributeService = .full,
        pairing: PairingConfiguration = PairingConfiguration(),
        privacy: PrivacyConfiguration? = nil,
        peerPrivacyMode: PrivacyMode = .device
    ) {
        self.deviceName = deviceName
        self.appearance = appearance
        self.address = address
        self.fallbackAddress = fallbackAddress
        self.preferredMTU = preferredMTU
        self.commandTimeout = commandTimeout
        self.usesExtendedAdvertising = usesExtendedAdvertising
        self.limitsReceivedData = limitsReceivedData
        self.genericAttribute = genericAttribute
        self.pairing = pairing
        self.privacy = privacy
        self.peerPrivacyMode = peerPrivacyMode
    }
}

/// How to advertise. Advertising lasts until it is stopped, and continues while centrals are connected if the
/// controller can.
public struct AdvertisingParameters: Hashable, Sendable {
    /// The PDUs for advertising.
    public enum PDUs: Hashable, Sendable {
        /// Legacy PDUs, which every scanner receives.
        case legacy
        /// Extended PDUs, which hold more data and reach farther on LE Coded (Vol 6, Part B, 2.3.1).
        ///
        /// The primary PHY is LE 1M or LE Coded; the data is on any PHY.
        case extended(primary: PHY, secondary: PHY)
    }

    /// The advertising data: at most 31 octets; in extended PDUs at most 245.
    public var data: ByteBuffer
    /// The scan response data: at most 31 octets; not sent with extended PDUs.
    package var scanResponse: ByteBuffer
    /// Whether centrals may connect.
    public var isConnectable: Bool
    /// The time between two advertising events, 20 ms to 10.24 s.
    public var interval: TimeAmount
    /// The identity address of the only device that may connect, by low duty cycle directed advertising, which has no
    /// data (Vol 6, Part B, 4.4.2.4.2); `nil` for undirected advertising.
    ///
    /// A peer that uses private addresses is reached if both controllers resolve addresses: this controller generates a
    /// private address from the peer's key, and resolves the one with which the peer answers (Vol 6, Part B, 6.2.2).
    /// Advertising fails with ``LEHostError/addressNotResolvedByPeer`` unless ``LEHost/peerPrivacy`` says that the peer
    /// resolves addresses.
    public var directedTo: DeviceAddress?
    /// The PDUs. If the controller has no extended advertising, it fails with ``LEHostError/refused(_:)``, Unsupported
    /// Feature.
    package var pdus: PDUs
    /// Whether a Tx Power Level element follows the data, with the power that the controller reports; without it if the
    /// controller does not know the power. It takes 3 octets.
    package var includesTxPower = false

    /// The default time between two advertising events.
    public static let defaultInterval = TimeAmount.milliseconds(100)

    /// Creates parameters.
    public init(
        data: ByteBuffer,
        scanResponse: ByteBuffer = ByteBuffer(),
        isConnectable: Bool = true,
        interval: TimeAmount = Self.defaultInterval,
        directedTo: DeviceAddress? = nil,
        pdus: PDUs = .legacy
    ) {
        self.data = data
        self.scanResponse = scanResponse
        self.isConnectable = isConnectable
        self.interval = interval
        self.directedTo = directedTo
        self.pdus = pdus
    }
}

/// How to scan.
public struct ScanParameters: Hashable, Sendable {
    /// Whether to ask for scan responses.
    package var isActive: Bool
    /// Whether the controller filters repeated reports of a device.
    public var filtersDuplicates: Bool
    /// The time between the starts of two scan windows, 2.5 ms to 10.24 s.
    public var interval: TimeAmount
    /// The time for which the radio listens in each interval.
    public var window: TimeAmount
    /// The primary advertising PHYs to listen on; `nil` for all that the controller has.
    package var phys: PHYSet?

    /// The default scan window; with the same interval, scanning is continuous.
    public static let defaultWindow = TimeAmount.milliseconds(30)

    /// Creates parameters.
    public init(
        isActive: Bool = true,
        filtersDuplicates: Bool = false,
        interval: TimeAmount = Self.defaultWindow,
        window: TimeAmount = Self.defaultWindow,
        phys: PHYSet? = nil
    ) {
        self.phys = phys
        self.isActive = isActive
        self.filtersDuplicates = filtersDuplicates
        self.interval = interval
        self.window = window
    }
}
