// What a host is made with, and how it advertises and scans.

public import BluetoothHCI
public import BluetoothTypes
public import NIOCore

/// What the Generic Attribute service of a host has (Vol 3, Part G, 7).
public enum GenericAttributeService: Hashable, Sendable {
    /// There is no such service, as on servers whose database never changes.
    case absent
    /// The service is there, and has nothing.
    case empty
    /// It has Service Changed.
    case serviceChanged
    /// It has Service Changed, Client Supported Features and Database Hash, so that clients can use robust caching.
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
    /// A device with ``privacy`` is not on the air under it: its peers get it when they pair.
    public var address: DeviceAddress?
    /// The random static address to use where the controller has no public one: some emulators and chips have none.
    public var fallbackAddress: DeviceAddress?
    /// The ATT MTU that this host offers, 23 to 517 octets.
    public var preferredMTU: Int
    /// How long a controller may take to answer a command before it counts as lost, in milliseconds.
    public var commandTimeout: TimeAmount
    /// Whether a controller that lists the extended commands is given them (Vol 4, Part E, 3.1.1); `nil` for one that
    /// is tried out first, since there are some that accept them and do nothing.
    public var usesExtendedAdvertising: Bool?
    /// Whether a controller that says that it can is asked to send no more data than the host has finished with
    /// (Vol 4, Part E, 4.2).
    ///
    /// False unless it is set: there are controllers that say so and stop at the command. Those of an air can.
    public var limitsReceivedData: Bool
    /// What its Generic Attribute service has.
    public var genericAttribute: GenericAttributeService
    /// How this host pairs; the keys are kept where the delegate keeps them.
    public var pairing: PairingConfiguration
    /// How the device hides itself behind private addresses; `nil` for one that is known by its address.
    public var privacy: PrivacyConfiguration?
    /// Whether bonded peers that have distributed an identity resolving key are also received under their identity
    /// addresses (Vol 6, Part B, 4.7).
    ///
    /// `PrivacyMode.device` unless it is set: a peer is found whether it hides or not. In `PrivacyMode.network` what
    /// comes from the identity address of a peer that says that it uses private addresses alone (Vol 3, Part C, 12.5)
    /// is ignored, since another device may have sent it; such a peer that has stopped hiding is then not found any
    /// more.
    public var peerPrivacyMode: PrivacyMode
    /// What the numbers and keys of pairings follow from, for runs that repeat; `nil` for the system's generator.
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

/// How to advertise: until stopped. Advertising goes on while centrals are connected, as far
/// as the controller can.
public struct AdvertisingParameters: Hashable, Sendable {
    /// The PDUs in which a device advertises.
    public enum PDUs: Hashable, Sendable {
        /// Those that every scanner hears.
        case legacy
        /// Those that hold more, and reach farther on LE Coded (Vol 6, Part B, 2.3.1), where the controller has them.
        ///
        /// They begin on LE 1M or LE Coded and have their data on any PHY.
        case extended(primary: PHY, secondary: PHY)
    }

    /// At most 31 octets of advertising data; at most 245 in extended PDUs.
    public var data: ByteBuffer
    /// At most 31 octets of scan response data; extended PDUs are sent without it.
    public var scanResponse: ByteBuffer
    /// Whether centrals may connect.
    public var isConnectable: Bool
    /// Time between two advertising events, 20 ms to 10.24 s.
    public var interval: TimeAmount
    /// The identity address of the one device that may connect, by directed advertising of a low duty cycle, which has
    /// no data (Vol 6, Part B, 4.4.2.4.2); `nil` for all.
    ///
    /// A peer that hides itself is reached where both controllers resolve addresses: this one addresses it by a private
    /// address of its key, and knows it again by the one with which it answers (Vol 6, Part B, 6.2.2). That is done
    /// only where ``LEHost/peerPrivacy`` says that the peer resolves it; else advertising fails with
    /// ``LEHostError/addressNotResolvedByPeer``.
    public var directedTo: DeviceAddress?
    /// The PDUs. A controller without extended ones refuses them: ``LEHostError/refused(_:)`` with Unsupported Feature.
    public var pdus: PDUs

    /// The time between two advertising events unless another one is given.
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
    public var isActive: Bool
    /// Whether the controller omits repeated reports of one device.
    public var filtersDuplicates: Bool
    /// Time between the starts of two scan windows, 2.5 ms to 10.24 s.
    public var interval: TimeAmount
    /// How long the radio listens in each interval.
    public var window: TimeAmount
    /// The primary advertising PHYs to listen on; `nil` for all that the controller has.
    public var phys: PHYSet?

    /// How long the radio listens unless another time is given; with the same interval that is always.
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
