import Testing

@testable import BluetoothHost

@Suite("L2CAP: values of channels")
struct L2CAPChannelTypesTests {
    @Test(
        "clamps the sizes of a configuration",
        arguments: [
            (L2CAPChannelConfiguration(mtu: -1, mps: 22, window: 0, sendLimit: 0), [23, 23, 1, 1]),
            (L2CAPChannelConfiguration(mtu: 23, mps: 23, window: 1, sendLimit: 1), [23, 23, 1, 1]),
            (L2CAPChannelConfiguration(mtu: 65_535, mps: 2_048, window: 65_535), [65_535, 2_048, 65_535, 65_536]),
            (L2CAPChannelConfiguration(mtu: 65_536, mps: 2_049, window: .max), [65_535, 2_048, 65_535, 65_536]),
        ]
    )
    func configuration(configuration: L2CAPChannelConfiguration, sizes: [Int]) {
        #expect([configuration.mtu, configuration.mps, configuration.window, configuration.sendLimit] == sizes)
    }

    @Test(
        "describes why a channel did not open, or has closed",
        arguments: [
            (L2CAPChannelOpenError.refused(.spsmNotSupported), "The peer refused the channel: SPSM not supported."),
            (L2CAPChannelOpenError.refused(.init(rawValue: 0x1F)), "The peer refused the channel: result 0x1F."),
            (
                L2CAPChannelCloseReason.violation(.noCredit),
                "The peer broke a rule of the channel: a frame without a credit."
            ),
            (L2CAPListenError.invalidSPSM, "The SPSM is not between 0x01 and 0xFF."),
        ] as [(any CustomStringConvertible & Sendable, String)]
    )
    func texts(value: any CustomStringConvertible & Sendable, text: String) {
        #expect(value.description == text)
    }
}
