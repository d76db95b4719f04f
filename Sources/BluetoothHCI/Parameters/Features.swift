// What a controller can do, as bits: link layer features, link manager features, states of the link layer.

/// Features of a link layer, page 0 (Vol 6, Part B, 4.6).
public struct LEFeatures: HCIBits {
    /// The bits.
    public var rawValue: UInt64

    /// A set from its bits.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// LE Encryption.
    public static let encryption = LEFeatures(rawValue: 1 << 0)
    /// Connection Parameters Request procedure.
    public static let connectionParametersRequest = LEFeatures(rawValue: 1 << 1)
    /// Extended Reject Indication.
    public static let extendedRejectIndication = LEFeatures(rawValue: 1 << 2)
    /// Peripheral-initiated Features Exchange.
    public static let peripheralInitiatedFeaturesExchange = LEFeatures(rawValue: 1 << 3)
    /// LE Ping.
    public static let ping = LEFeatures(rawValue: 1 << 4)
    /// LE Data Packet Length Extension.
    public static let dataPacketLengthExtension = LEFeatures(rawValue: 1 << 5)
    /// LL Privacy.
    public static let privacy = LEFeatures(rawValue: 1 << 6)
    /// Extended Scanner Filter Policies.
    public static let extendedScannerFilterPolicies = LEFeatures(rawValue: 1 << 7)
    /// LE 2M PHY.
    public static let phy2M = LEFeatures(rawValue: 1 << 8)
    /// Stable Modulation Index, transmitter.
    public static let stableModulationIndexTransmitter = LEFeatures(rawValue: 1 << 9)
    /// Stable Modulation Index, receiver.
    public static let stableModulationIndexReceiver = LEFeatures(rawValue: 1 << 10)
    /// LE Coded PHY.
    public static let phyCoded = LEFeatures(rawValue: 1 << 11)
    /// LE Extended Advertising.
    public static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
    /// LE Periodic Advertising.
    public static let periodicAdvertising = LEFeatures(rawValue: 1 << 13)
    /// Channel Selection Algorithm #2.
    public static let channelSelectionAlgorithm2 = LEFeatures(rawValue: 1 << 14)
    /// LE Power Class 1.
    public static let powerClass1 = LEFeatures(rawValue: 1 << 15)
    /// Minimum Number of Used Channels procedure.
    public static let minimumUsedChannels = LEFeatures(rawValue: 1 << 16)
    /// Connection CTE Request.
    public static let connectionCTERequest = LEFeatures(rawValue: 1 << 17)
    /// Connection CTE Response.
    public static let connectionCTEResponse = LEFeatures(rawValue: 1 << 18)
    /// Connectionless CTE Transmitter.
    public static let connectionlessCTETransmitter = LEFeatures(rawValue: 1 << 19)
    /// Connectionless CTE Receiver.
    public static let connectionlessCTEReceiver = LEFeatures(rawValue: 1 << 20)
    /// Antenna Switching During CTE Transmission (AoD).
    public static let antennaSwitchingDuringTransmission = LEFeatures(rawValue: 1 << 21)
    /// Antenna Switching During CTE Reception (AoA).
    public static let antennaSwitchingDuringReception = LEFeatures(rawValue: 1 << 22)
    /// Receiving Constant Tone Extensions.
    public static let receivingConstantToneExtensions = LEFeatures(rawValue: 1 << 23)
    /// Periodic Advertising Sync Transfer, sender.
    public static let periodicAdvertisingSyncTransferSender = LEFeatures(rawValue: 1 << 24)
    /// Periodic Advertising Sync Transfer, recipient.
    public static let periodicAdvertisingSyncTransferRecipient = LEFeatures(rawValue: 1 << 25)
    /// Sleep Clock Accuracy Updates.
    public static let sleepClockAccuracyUpdates = LEFeatures(rawValue: 1 << 26)
    /// Remote Public Key Validation.
    public static let remotePublicKeyValidation = LEFeatures(rawValue: 1 << 27)
    /// Connected Isochronous Stream, central.
    public static let connectedIsochronousStreamCentral = LEFeatures(rawValue: 1 << 28)
    /// Connected Isochronous Stream, peripheral.
    public static let connectedIsochronousStreamPeripheral = LEFeatures(rawValue: 1 << 29)
    /// Isochronous Broadcaster.
    public static let isochronousBroadcaster = LEFeatures(rawValue: 1 << 30)
    /// Synchronized Receiver.
    public static let synchronizedReceiver = LEFeatures(rawValue: 1 << 31)
    /// Connected Isochronous Stream, host support.
    public static let connectedIsochronousStreamHostSupport = LEFeatures(rawValue: 1 << 32)
    /// LE Power Control Request.
    public static let powerControlRequest = LEFeatures(rawValue: 1 << 33)
    /// LE Power Control Request, the second of its two bits.
    public static let powerControlRequestSecondBit = LEFeatures(rawValue: 1 << 34)
    /// LE Path Loss Monitoring.
    public static let pathLossMonitoring = LEFeatures(rawValue: 1 << 35)
    /// Periodic Advertising ADI support.
    public static let periodicAdvertisingADI = LEFeatures(rawValue: 1 << 36)
    /// Connection Subrating.
    public static let connectionSubrating = LEFeatures(rawValue: 1 << 37)
    /// Connection Subrating, host support.
    public static let connectionSubratingHostSupport = LEFeatures(rawValue: 1 << 38)
    /// Channel Classification.
    public static let channelClassification = LEFeatures(rawValue: 1 << 39)
    /// Advertising Coding Selection.
    public static let advertisingCodingSelection = LEFeatures(rawValue: 1 << 40)
    /// Advertising Coding Selection, host support.
    public static let advertisingCodingSelectionHostSupport = LEFeatures(rawValue: 1 << 41)
    /// Decision-Based Advertising Filtering.
    public static let decisionBasedAdvertisingFiltering = LEFeatures(rawValue: 1 << 42)
    /// Periodic Advertising with Responses, advertiser.
    public static let periodicAdvertisingWithResponsesAdvertiser = LEFeatures(rawValue: 1 << 43)
    /// Periodic Advertising with Responses, scanner.
    public static let periodicAdvertisingWithResponsesScanner = LEFeatures(rawValue: 1 << 44)
    /// Unsegmented Framed Mode.
    public static let unsegmentedFramedMode = LEFeatures(rawValue: 1 << 45)
    /// Channel Sounding.
    public static let channelSounding = LEFeatures(rawValue: 1 << 46)
    /// Channel Sounding, host support.
    public static let channelSoundingHostSupport = LEFeatures(rawValue: 1 << 47)
}

/// Features of a link manager that concern Bluetooth LE (Vol 2, Part C, 3.3).
public struct LMPFeatures: HCIBits {
    /// The bits.
    public var rawValue: UInt64

    /// A set from its bits.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The controller does not speak BR/EDR.
    public static let bredrNotSupported = LMPFeatures(rawValue: 1 << 37)
    /// The controller speaks Bluetooth LE.
    public static let leSupported = LMPFeatures(rawValue: 1 << 38)
    /// LE and BR/EDR with one device at the same time.
    public static let simultaneousLEAndBREDR = LMPFeatures(rawValue: 1 << 49)
}

/// What a link layer can do, alone and at the same time (Vol 4, Part E, 7.8.27): the bits that stand for one state.
public struct LEStates: HCIBits {
    /// The bits.
    public var rawValue: UInt64

    /// A set from its bits.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Non-connectable advertising.
    public static let nonConnectableAdvertising = LEStates(rawValue: 1 << 0)
    /// Scannable advertising.
    public static let scannableAdvertising = LEStates(rawValue: 1 << 1)
    /// Connectable advertising.
    public static let connectableAdvertising = LEStates(rawValue: 1 << 2)
    /// High duty cycle directed advertising.
    public static let highDutyCycleDirectedAdvertising = LEStates(rawValue: 1 << 3)
    /// Passive scanning.
    public static let passiveScanning = LEStates(rawValue: 1 << 4)
    /// Active scanning.
    public static let activeScanning = LEStates(rawValue: 1 << 5)
    /// Initiating, and links as central.
    public static let initiating = LEStates(rawValue: 1 << 6)
    /// Links as peripheral.
    public static let peripheral = LEStates(rawValue: 1 << 7)

    /// All states and combinations that the specification has a bit for.
    public static let all = LEStates(rawValue: 0x3FF_FFFF_FFFF)
}
