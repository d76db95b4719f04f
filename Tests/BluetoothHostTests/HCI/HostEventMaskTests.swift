import BluetoothHCI
import Testing

@testable import BluetoothHost

@Suite("Event masks of the host (Vol 4, Part E, 7.3.1, 7.3.69, 7.8.1)")
struct HostEventMaskTests {
    @Test(
        "enables the events that the host handles and the controller's features allow, bit by bit",
        arguments: [
            // Links that end, errors, packets that were sent, LE Meta: bits 4, 15, 18, 61. Links, reports, updates: 0
            // to 2.
            ([], 0x2000_0000_0004_8010, 0, 0x07),
            // Encryption and its refresh: bits 7 and 47. The long term key: bit 4.
            (.encryption, 0x2000_8000_0004_8090, 0, 0x17),
            (.connectionParametersRequest, 0x2000_0000_0004_8010, 0, 0x27),
            // Authenticated Payload Timeout Expired: bit 23.
            (.ping, 0x2000_0000_0004_8010, 0x0080_0000, 0x07),
            (.dataPacketLengthExtension, 0x2000_0000_0004_8010, 0, 0x47),
            (.privacy, 0x2000_0000_0004_8010, 0, 0x0207),
            (.phy2M, 0x2000_0000_0004_8010, 0, 0x0807), (.phyCoded, 0x2000_0000_0004_8010, 0, 0x0807),
            (.extendedAdvertising, 0x2000_0000_0004_8010, 0, 0x1207),
            (LEFeatures(rawValue: .max), 0x2000_8000_0004_8090, 0x0080_0000, 0x1A77),
        ] as [(LEFeatures, UInt64, UInt64, UInt64)]
    )
    func masks(features: LEFeatures, page1: UInt64, page2: UInt64, le: UInt64) {
        var controller = ControllerInformation()
        controller.features = features
        #expect(EventMask.host(of: controller).rawValue == page1)
        #expect(EventMaskPage2.host(of: controller).rawValue == page2)
        #expect(LEEventMask.host(of: controller).rawValue == le)
    }

    @Test("does not enable requests that the controller has no command to answer")
    func unanswerable() {
        var controller = ControllerInformation()
        controller.features = .connectionParametersRequest
        controller.supportedCommands = SupportedCommands([Reset.self])
        #expect(!LEEventMask.host(of: controller).contains(.remoteConnectionParameterRequest))
    }
}
