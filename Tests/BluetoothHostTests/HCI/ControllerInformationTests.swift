import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Controller information")
struct ControllerInformationTests {
    @Test("tries every command on a controller whose list is missing, or has no Reset")
    func supportedCommands() {
        var controller = ControllerInformation()
        #expect(controller.knows(LESetPHY.self))
        controller.supportedCommands = SupportedCommands([LESetPHY.self])
        #expect(controller.supportedCommands == nil && controller.knows(LESetDataLength.self))
        controller.supportedCommands = SupportedCommands([Reset.self, LESetPHY.self])
        #expect(controller.knows(LESetPHY.self) && !controller.knows(LESetDataLength.self))
    }

    @Test("has no public address if the controller reports a placeholder")
    func publicAddress() {
        var controller = ControllerInformation()
        #expect(controller.publicAddress == nil)
        controller.address = DeviceAddress(1, kind: .public)
        #expect(controller.publicAddress == controller.address)
    }
}
