// Capabilities of a controller: link layer features, link manager features, states of the link layer.

/// Features of a link layer, page 0 (Vol 6, Part B, 4.6).
public struct LEFeatures: HCIBits {
    public var rawValue: UInt64
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let encryption = LEFeatures(rawValue: 1 << 0)
    /// Connection Parameters Request procedure.
    public static let connectionParametersRequest = LEFeatures(rawValue: 1 << 1)
    public static let extendedRejectIndication = LEFeatures(rawValue: 1 << 2)
    public static let peripheralInitiatedFeaturesExchange = LEFeatures(rawValue: 1 << 3)
    public static let ping = LEFeatures(rawValue: 1 << 4)
    public static let dataPacketLengthExtension = LEFeatures(rawValue: 1 << 5)
    /// LL Privacy.
    public static let privacy = LEFeatures(rawValue: 1 << 6)
    public static let extendedScannerFilterPolicies = LEFeatures(rawValue: 1 << 7)
    public static let phy2M = LEFeatures(rawValue: 1 << 8)
    public static let stableModulationIndexTransmitter = LEFeatures(rawValue: 1 << 9)
    public static let stableModulationIndexReceiver = LEFeatures(rawValue: 1 << 10)
    public static let phyCoded = LEFeatures(rawValue: 1 << 11)
    public static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
    public static let periodicAdvertising = LEFeatures(rawValue: 1 << 13)
    public static let channelSelectionAlgorithm2 = LEFeatures(rawValue: 1 << 14)
    public static let powerClass1 = LEFeatures(rawValue: 1 << 15)
    /// Minimum Number of Used Channels procedure.
    public static let minimumUsedChannels = LEFeatures(rawValue: 1 << 16)
    public static let connectionCTERequest = LEFeatures(rawValue: 1 << 17)
    public static let connectionCTEResponse = LEFeatures(rawValue: 1 << 18)
    public static let connectionlessCTETransmitter = LEFeatures(rawValue: 1 << 19)
    public static let connectionlessCTEReceiver = LEFeatures(rawValue: 1 << 20)
    /// Antenna Switching During CTE Transmission (AoD).
    public static let antennaSwitchingDuringTransmission = LEFeatures(rawValue: 1 << 21)
    /// Antenna Switching During CTE Reception (AoA).
    public static let antennaSwitchingDuringReception = LEFeatures(rawValue: 1 << 22)
    public static let receivingConstantToneExtensions = LEFeatures(rawValue: 1 << 23)
    public static let periodicAdvertisingSyncTransferSender = LEFeatures(rawValue: 1 << 24)
    public static let periodicAdvertisingSyncTransferRecipient = LEFeatures(rawValue: 1 << 25)
    public static let sleepClockAccuracyUpdates = LEFeatures(rawValue: 1 << 26)
    public static let remotePublicKeyValidation = LEFeatures(rawValue: 1 << 27)
    public static let connectedIsochronousStreamCentral = LEFeatures(rawValue: 1 << 28)
    public static let connectedIsochronousStreamPeripheral = LEFeatures(rawValue: 1 << 29)
    public static let isochronousBroadcaster = LEFeatures(rawValue: 1 << 30)
    public static let synchronizedReceiver = LEFeatures(rawValue: 1 << 31)
    public static let connectedIsochronousStreamHostSupport = LEFeatures(rawValue: 1 << 32)
    public static let powerControlRequest = LEFeatures(rawValue: 1 << 33)
    /// LE Power Control Request, the second of its two bits.
    public static let powerControlRequestSecondBit = LEFeatures(rawValue: 1 << 34)
    public static let pathLossMonitoring = LEFeatures(rawValue: 1 << 35)
    /// Periodic Advertising ADI support.
    public static let periodicAdvertisingADI = LEFeatures(rawValue: 1 << 36)
    public static let connectionSubrating = LEFeatures(rawValue: 1 << 37)
    public static let connectionSubratingHostSupport = LEFeatures(rawValue: 1 << 38)
    public static let channelClassification = LEFeatures(rawValue: 1 << 39)
    public static let advertisingCodingSelection = LEFeatures(rawValue: 1 << 40)
    public static let advertisingCodingSelectionHostSupport = LEFeatures(rawValue: 1 << 41)
    public static let decisionBasedAdvertisingFiltering = LEFeatures(rawValue: 1 << 42)
    public static let periodicAdvertisingWithResponsesAdvertiser = LEFeatures(rawValue: 1 << 43)
    public static let periodicAdvertisingWithResponsesScanner = LEFeatures(rawValue: 1 << 44)
    public static let unsegmentedFramedMode = LEFeatures(rawValue: 1 << 45)
    public static let channelSounding = LEFeatures(rawValue: 1 << 46)
    public static let channelSoundingHostSupport = LEFeatures(rawValue: 1 << 47)
}

/// Features of a link manager that concern Bluetooth LE (Vol 2, Part C, 3.3).
public struct LMPFeatures: HCIBits {
    public var rawValue: UInt64
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// BR/EDR is not supported.
    public static let bredrNotSupported = LMPFeatures(rawValue: 1 << 37)
    /// LE is supported.
    public static let leSupported = LMPFeatures(rawValue: 1 << 38)
    /// LE and BR/EDR with the same device at the same time.
    public static let simultaneousLEAndBREDR = LMPFeatures(rawValue: 1 << 49)
}

/// Supported states and combinations of states (Vol 4, Part E, 7.8.27). Single states have names.
public struct LEStates: HCIBits {
    public var rawValue: UInt64
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let nonConnectableAdvertising = LEStates(rawValue: 1 << 0)
    public static let scannableAdvertising = LEStates(rawValue: 1 << 1)
    public static let connectableAdvertising = LEStates(rawValue: 1 << 2)
    public static let highDutyCycleDirectedAdvertising = LEStates(rawValue: 1 << 3)
    public static let passiveScanning = LEStates(rawValue: 1 << 4)
    public static let activeScanning = LEStates(rawValue: 1 << 5)
    /// Initiating, and links as central.
    public static let initiating = LEStates(rawValue: 1 << 6)
    /// Links as peripheral.
    public static let peripheral = LEStates(rawValue: 1 << 7)

    /// All states and combinations that have a bit.
    public static let all = LEStates(rawValue: 0x3FF_FFFF_FFFF)
}
