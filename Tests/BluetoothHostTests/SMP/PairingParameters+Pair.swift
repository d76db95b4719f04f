@testable import BluetoothHost

extension PairingParameters {
    /// The parameters of a device with the addresses of a ``SecurityManagerPair``.
    init(
        _ configuration: PairingConfiguration,
        isCentral: Bool = false,
        requiredLevel: SecurityLevel = .encrypted,
        existing: Bond? = nil,
        outOfBand: OutOfBandData = OutOfBandData()
    ) {
        self.init(
            isCentral: isCentral,
            localAddress: isCentral ? SecurityManagerPair.centralAddress : SecurityManagerPair.peripheralAddress,
            peerAddress: isCentral ? SecurityManagerPair.peripheralAddress : SecurityManagerPair.centralAddress,
            configuration: configuration,
            requiredLevel: requiredLevel,
            existing: existing,
            outOfBand: outOfBand
        )
    }
}
