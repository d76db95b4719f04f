// Default addresses of chips that have none of their own. All chips of a model share one, so two of them would be one
// device to their peers.

package import BluetoothTypes

extension DeviceAddress {
    /// Whether the address is a default: all zeros or ones, or the one of the chip's model.
    package var isPlaceholder: Bool {
        switch self.value {
        case 0, 0xFFFF_FFFF_FFFF: true
        // Broadcom BCM20702A0, BCM20702A1, BCM2076B1.
        case 0x0020_7002_A000, 0x2070_02A0_0000, 0x2076_A000_5679: true
        // Broadcom BCM43430A0, BCM43430A1, BCM4324B3, BCM4330B1, BCM4334B0, BCM43341B, BCM4345C5.
        case 0x4343_A012_1FAC, 0x4343_A112_1FAC, 0x4324_B300_0000, 0x4330_B100_0000, 0x4334_B000_0000,
            0x4334_1B00_1FAC, 0x4345_C500_1FAC:
            true
        // Qualcomm WCN6855 and relatives.
        case 0x0000_0000_5AAD: true
        default: false
        }
    }
}
