// Chips that run from ROM until their driver loads firmware, and the files of linux-firmware that they need.

extension ReadLocalVersionInformation.ReturnParameters {
    /// Whether the chip runs without its firmware and may receive nothing: a Realtek chip that reports the version of
    /// its ROM.
    package var runsFromROM: Bool {
        self.company == 0x005D
            && [0x8703, 0x8723, 0x8761, 0x8821, 0x8822, 0x8851, 0x8852, 0x8922].contains(self.linkLayerSubversion)
    }

    /// The files of linux-firmware for chips of this manufacturer; `nil` if there are none.
    package var firmwareFiles: String? {
        switch self.company {
        case 0x0002: "intel/ibt-*"
        case 0x000F, 0x0131: "brcm/BCM*.hcd"
        case 0x001D: "qca/*"
        case 0x0046: "mediatek/BT_RAM_CODE_*"
        case 0x005D: "rtl_bt/*"
        default: nil
        }
    }
}
