// The L2CAP channels of a described peripheral, in a world.

import CommandLineTool
import CoreBluetoothTesting
import Testing

@testable import CoreBluetoothCommand

/// Opens a channel and keeps what comes on it.
@MainActor
private final class ChannelApp: NSObject, @preconcurrency CBCentralManagerDelegate,
    @preconcurrency CBPeripheralDelegate,
    @preconcurrency StreamDelegate
{
    private(set) var received = Data()
    private(set) var error: (any Error)?
    private var central: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var channel: CBL2CAPChannel?

    override init() {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.openL2CAPChannel(192)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.error = error
        self.channel = channel
        channel?.open(for: self)
        _ = channel?.outputStream?.write([1, 2, 3], maxLength: 3)
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        guard event == .hasBytesAvailable, let input = stream as? InputStream else { return }
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = input.read(&buffer, maxLength: buffer.count)
        if count > 0 { self.received += buffer[..<count] }
    }
}

@Suite("corebluetooth advertise: channels")
@MainActor
struct ChannelTests {
    @Test("A channel sends back what comes, to those alone who have paired as it demands", arguments: [true, false])
    func echo(hasCode: Bool) throws {
        let world = World()
        let display = ScriptedPairingAgent(.display)
        let description = try GATTDescription(
            json: Data(#"{"name": "Safe", "services": [], "channels": [{"security": "authenticated"}]}"#.utf8),
            from: "t.json"
        )
        let session = world.addDevice("safe", pairingAgent: display).run {
            let session = PeripheralSession(
                name: "Safe",
                advertised: [],
                description: description,
                benchmark: false,
                output: OutputFormat(isJSON: true, isVerbose: false)
            )
            session.start()
            return session
        }
        let user = hasCode ? ScriptedPairingAgent(entering: [.right], shownBy: display) : nil
        let app = world.addDevice("phone", pairingAgent: user).run { ChannelApp() }
        try withExtendedLifetime(session) {
            if hasCode {
                try world.run(until: app.received == Data([1, 2, 3]))
            } else {
                try world.run(until: app.error != nil)
                #expect((app.error as? CBATTError)?.code == .insufficientAuthentication)
            }
        }
    }
}
