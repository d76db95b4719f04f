import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Controller information")
struct ControllerInformationTests {
    @Test("tries every command on a controller that lists none, or lists without Reset")
    func supportedCommands() {
        var controller = ControllerInformation()
        #expect(controller.knows(LESetPHY.self))
        controller.supportedCommands = SupportedCommands([LESetPHY.self])
        #expect(controller.supportedCommands == nil && controller.knows(LESetDataLength.self))
        controller.supportedCommands = SupportedCommands([Reset.self, LESetPHY.self])
        #expect(controller.knows(LESetPHY.self) && !controller.knows(LESetDataLength.self))
    }

    @Test("is a Realtek without its firmware by the numbers of its ROM", arguments: [(0x8761, true), (0x8A6B, false)])
    func realtekROM(subversion: Int, isROM: Bool) {
        var controller = ControllerInformation()
        #expect(!controller.isRealtekROM)
        controller.version = .init(company: 0x005D, linkLayerSubversion: UInt16(subversion))
        #expect(controller.isRealtekROM == isROM)
        controller.version?.company = 0x0002
        #expect(!controller.isRealtekROM)
    }

    @Test("has no public address if the controller reports a placeholder")
    func publicAddress() {
        var controller = ControllerInformation()
        #expect(controller.publicAddress == nil)
        controller.address = DeviceAddress(1, kind: .public)
        #expect(controller.publicAddress == controller.address)
    }
}
