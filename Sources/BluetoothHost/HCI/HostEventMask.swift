// The events that this host acts on. A mask that names no others saves packets that would be ignored.

import BluetoothHCI

extension EventMask {
    /// What the host wants of the events 0x01 to 0x40.
    static let host = EventMask([
        .disconnectionComplete, .encryptionChange, .readRemoteVersionInformationComplete, .hardwareError,
        .numberOfCompletedPackets, .encryptionKeyRefreshComplete, .leMeta,
    ])
}

extension EventMaskPage2 {
    /// What the host wants of the events from 0x40 on.
    static let host = EventMaskPage2([.authenticatedPayloadTimeoutExpired, .encryptionChangeV2])
}

extension LEEventMask {
    /// What the host wants of the LE subevents.
    static let host = LEEventMask([
        .connectionComplete, .advertisingReport, .connectionUpdateComplete, .readRemoteFeaturesComplete,
        .longTermKeyRequest, .remoteConnectionParameterRequest, .dataLengthChange, .enhancedConnectionComplete,
        .phyUpdateComplete, .extendedAdvertisingReport,
    ])
}
