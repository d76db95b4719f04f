// What parts of an adapter's configuration lead to: a capture that cannot be written, and data for pairing of a device
// that hides and of one that does not.

import BluetoothTypes
import Fixtures
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import BluetoothAir
@testable import CoreBluetooth

@Suite("Parts of an adapter")
struct AdapterPartsTests {
    @Test("a capture that cannot be written makes the adapter unsupported from the start, and one line says so")
    func capture() throws {
        let folder = try TemporaryFolder()
        let testbed = Testbed()
        let adapter = testbed.adapter("Crystal", capture: folder("missing/air.btsnoop"))
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

    @Test("data for pairing name the address of a device, unless it hides", arguments: [false, true])
    func address(isHidden: Bool) {
        let testbed = Testbed()
        var configuration = BluetoothAdapter.Configuration(identity: "Crystal")
        if isHidden { configuration.privacy = BluetoothAdapter.Configuration.Privacy() }
        let expected = isHidden ? nil : configuration.addressOnAir
        let adapter = BluetoothAdapter(air: testbed.air, configuration: configuration)
        let ball = PeripheralApp(on: adapter)
        testbed.run { ball.manager.state == .poweredOn }
        let shared = NIOLockedValueBox<PairingOutOfBandData?>(nil)
        adapter.share(LocalPairingOutOfBandData(.legacy)) { data in shared.withLockedValue { $0 = data } }
        testbed.run(.milliseconds(1))
        let data = shared.withLockedValue { $0 }
        #expect(data != nil && data?.address == expected)
        #expect(data?.temporaryKey != nil && data?.secureConnections == nil)
    }
}
