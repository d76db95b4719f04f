// The configuration of one of several hosts on an air, with an address and random numbers that follow from its number.

import BluetoothTypes

@testable import BluetoothHost

extension LEHostConfiguration {
    /// The configuration of a host with a number.
    static func numbered(
        _ number: UInt64,
        pairing: PairingConfiguration = PairingConfiguration(),
        privacy: PrivacyConfiguration? = nil
    ) -> LEHostConfiguration {
        var configuration = LEHostConfiguration(
            address: DeviceAddress(0xC0DE_0000_0000 | number, kind: .random),
            pairing: pairing,
            privacy: privacy
        )
        configuration.pairingSeed = number
        return configuration
    }
}
