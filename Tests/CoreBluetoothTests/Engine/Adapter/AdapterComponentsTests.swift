import BluetoothTransport
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testbed
import Testing

@testable import BluetoothAir
@testable import CoreBluetooth

@Suite("The parts of an adapter")
struct AdapterComponentsTests {
    @Test("ask controllers of an air for flow control, and others only if the configuration says so")
    func flowControl() throws {
        let loop = EmbeddedEventLoop()
        func isAsked(_ name: String, _ setting: Bool?) throws -> Bool {
            let configuration = BluetoothAdapter.Configuration(controllerToHostFlowControl: setting)
            let components = AdapterComponents(try AdapterName(parsing: name), configuration, on: loop)
            return components.configuration.limitsReceivedData
        }
        #expect(try !isAsked("h4:unix:/nowhere", nil) && !isAsked("h4:unix:/nowhere", false))
        #expect(try isAsked("h4:unix:/nowhere", true) && isAsked("hci0", true) && !isAsked("hci0", nil))
        let air = Air(eventLoop: loop)
        let address = DeviceAddress(0xC011_2233_4455, kind: .random)
        func isAskedOnAir(_ setting: Bool?) -> Bool {
            let configuration = BluetoothAdapter.Configuration(controllerToHostFlowControl: setting)
            return AdapterComponents(air: air, configuration, address: address).configuration.limitsReceivedData
        }
        #expect(isAskedOnAir(nil) && isAskedOnAir(true) && !isAskedOnAir(false))
    }

    @Test("make the adapter unsupported from the start if the capture cannot be written, which one line reports")
    func capture() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let testbed = Testbed()
        let adapter = testbed.adapter("Crystal") { $0.captureFile = folder("missing/air.btsnoop") }
        let lines = CapturedLog()
        let app = lines.capture {
            let app = CentralApp(on: adapter)
            testbed.run(.seconds(5))
            return app
        }
        #expect(app.calls == ["state 2"])
        #expect(lines.all.count == 1 && lines.all.first?.contains("missing/air") == true)
        #expect(testbed.air.controllers.isEmpty)
    }
}
