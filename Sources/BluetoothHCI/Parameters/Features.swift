// Capabilities of a controller: link layer features, link manager features, states of the link layer.

/// Features of a link layer, page 0 (Vol 6, Part B, 4.6).
package struct LEFeatures: HCIBits {
    package var rawValue: UInt64
    @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let encryption = LEFeatures(rawValue: 1 << 0)
    /// Connection Parameters Request procedure.
    package static let connectionParametersRequest = LEFeatures(rawValue: 1 << 1)
    package static let extendedRejectIndication = LEFeatures(rawValue: 1 << 2)
    package static let peripheralInitiatedFeaturesExchange = LEFeatures(rawValue: 1 << 3)
    package static let ping = LEFeatures(rawValue: 1 << 4)
    package static let dataPacketLengthExtension = LEFeatures(rawValue: 1 << 5)
    /// LL Privacy.
    package static let privacy = LEFeatures(rawValue: 1 << 6)
    package static let extendedScannerFilterPolicies = LEFeatures(rawValue: 1 << 7)
    package static let phy2M = LEFeatures(rawValue: 1 << 8)
    package static let stableModulationIndexTransmitter = LEFeatures(rawValue: 1 << 9)
    package static let stableModulationIndexReceiver = LEFeatures(rawValue: 1 << 10)
    package static let phyCoded = LEFeatures(rawValue: 1 << 11)
    package static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
    package static let periodicAdvertising = LEFeatures(rawValue: 1 << 13)
    package static let channelSelectionAlgorithm2 = LEFeatures(rawValue: 1 << 14)
    package static let powerClass1 = LEFeatures(rawValue: 1 << 15)
    /// Minimum Number of Used Channels procedure.
    package static let minimumUsedChannels = LEFeatures(rawValue: 1 << 16)
    package static let connectionCTERequest = LEFeatures(rawValue: 1 << 17)
    package static let connectionCTEResponse = LEFeatures(rawValue: 1 << 18)
    package static let connectionlessCTETransmitter = LEFeatures(rawValue: 1 << 19)
    package static let connectionlessCTEReceiver = LEFeatures(rawValue: 1 << 20)
    /// Antenna Switching During CTE Transmission (AoD).
    package static let antennaSwitchingDuringTransmission = LEFeatures(rawValue: 1 << 21)
    /// Antenna Switching During CTE Reception (AoA).
    package static let antennaSwitchingDuringReception = LEFeatures(rawValue: 1 << 22)
    package static let receivingConstantToneExtensions = LEFeatures(rawValue: 1 << 23)
    package static let periodicAdvertisingSyncTransferSender = LEFeatures(rawValue: 1 << 24)
    package static let periodicAdvertisingSyncTransferRecipient = LEFeatures(rawValue: 1 << 25)
    package static let sleepClockAccuracyUpdates = LEFeatures(rawValue: 1 << 26)
    package static let remotePublicKeyValidation = LEFeatures(rawValue: 1 << 27)
    package static let connectedIsochronousStreamCentral = LEFeatures(rawValue: 1 << 28)
    package static let connectedIsochronousStreamPeripheral = LEFeatures(rawValue: 1 << 29)
    package static let isochronousBroadcaster = LEFeatures(rawValue: 1 << 30)
    package static let synchronizedReceiver = LEFeatures(rawValue: 1 << 31)
    package static let connectedIsochronousStreamHostSupport = LEFeatures(rawValue: 1 << 32)
    package static let powerControlRequest = LEFeatures(rawValue: 1 << 33)
    /// LE Power Control Request, the second of its two bits.
    package static let powerControlRequestSecondBit = LEFeatures(rawValue: 1 << 34)
    package static let pathLossMonitoring = LEFeatures(rawValue: 1 << 35)
    /// Periodic Advertising ADI support.
    package static let periodicAdvertisingADI = LEFeatures(rawValue: 1 << 36)
    package static let connectionSubrating = LEFeatures(rawValue: 1 << 37)
    package static let connectionSubratingHostSupport = LEFeatures(rawValue: 1 << 38)
    package static let channelClassification = LEFeatures(rawValue: 1 << 39)
    package static let advertisingCodingSelection = LEFeatures(rawValue: 1 << 40)
    package static let advertisingCodingSelectionHostSupport = LEFeatures(rawValue: 1 << 41)
    package static let decisionBasedAdvertisingFiltering = LEFeatures(rawValue: 1 << 42)
    package static let periodicAdvertisingWithResponsesAdvertiser = LEFeatures(rawValue: 1 << 43)
    package static let periodicAdvertisingWithResponsesScanner = LEFeatures(rawValue: 1 << 44)
    package static let unsegmentedFramedMode = LEFeatures(rawValue: 1 << 45)
    package static let channelSounding = LEFeatures(rawValue: 1 << 46)
    package static let channelSoundingHostSupport = LEFeatures(rawValue: 1 << 47)
}

/// Features of a link manager that concern Bluetooth LE (Vol 2, Part C, 3.3).
package struct LMPFeatures: HCIBits {
    package var rawValue: UInt64
    @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// BR/EDR is not supported.
    package static let bredrNotSupported = LMPFeatures(rawValue: 1 << 37)
    /// LE is supported.
    package static let leSupported = LMPFeatures(rawValue: 1 << 38)
    /// LE and BR/EDR with the same device at the same time.
    package static let simultaneousLEAndBREDR = LMPFeatures(rawValue: 1 << 49)
}

/// Supported states and combinations of states (Vol 4, Part E, 7.8.27). Single states have names.
package struct LEStates: HCIBits {
    package var rawValue: UInt64
    @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let nonConnectableAdvertising = LEStates(rawValue: 1 << 0)
    package static let scannableAdvertising = LEStates(rawValue: 1 << 1)
    package static let connectableAdvertising = LEStates(rawValue: 1 << 2)
    package static let highDutyCycleDirectedAdvertising = LEStates(rawValue: 1 << 3)
    package static let passiveScanning = LEStates(rawValue: 1 << 4)
    package static let activeScanning = LEStates(rawValue: 1 << 5)
    /// Initiating, and links as central.
    package static let initiating = LEStates(rawValue: 1 << 6)
    /// Links as peripheral.
    package static let peripheral = LEStates(rawValue: 1 << 7)

    /// All states and combinations that have a bit.
    package static let all = LEStates(rawValue: 0x3FF_FFFF_FFFF)
}
