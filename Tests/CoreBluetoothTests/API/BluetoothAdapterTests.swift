import Fixtures
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Adapters")
struct BluetoothAdapterTests {
    @Test("is the default inside of run, unless a manager names another one")
    func run() {
        let testbed = Testbed()
        let (outer, inner) = (testbed.adapter("Outer"), testbed.adapter("Inner"))
        outer.run {
            #expect(BluetoothAdapter.default === outer)
            inner.run { #expect(BluetoothAdapter.default === inner) }
            #expect(BluetoothAdapter.default === outer)
            #expect(CBCentralManager().adapter === outer && CBPeripheralManager().adapter === outer)
            let options = [BluetoothAdapter.optionKey: inner]
            #expect(CBCentralManager(delegate: nil, queue: nil, options: options).adapter === inner)
        }
    }

    @Test(
        "rejects a name that names no adapter with a line, for the process and for one adapter",
        arguments: [
            ("", "the name of an adapter is empty: use "), ("nothing", "\"nothing\" names no adapter: use "),
            ("air:", "\"air:\" lacks the place of the air: "), ("h4:x", "\"h4:x\" does not say what carries H4: "),
            ("h4:", "\"h4:\" "), ("hci", "\"hci\" names no Linux adapter: "),
        ]
    )
    func names(name: String, reason: String) {
        let selected = #expect(throws: BluetoothAdapterError.self) {
            try BluetoothAdapter.select(name, configuration: BluetoothAdapter.Configuration())
        }
        #expect(selected?.description.hasPrefix(reason) == true && selected?.description.contains("\n") == false)
        let made = #expect(throws: BluetoothAdapterError.self) {
            _ = try BluetoothAdapter(name, configuration: BluetoothAdapter.Configuration())
        }
        #expect(made?.description == selected?.description)
    }

    @Test("B16: a Linux adapter that a program does not use is named once")
    func unusedAdapter() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let lines = CapturedLog()
        lines.capture { BluetoothAdapter.reportLinuxAdapter(folder: folder("class")) }
        #expect(lines.all.isEmpty)
        try FileManager.default.createDirectory(
            atPath: folder("class/bluetooth/hci7"),
            withIntermediateDirectories: true
        )
        lines.capture { for _ in 1...2 { BluetoothAdapter.reportLinuxAdapter(folder: folder("class")) } }
        let line = "the adapter is the user's own air, without radio; COREBLUETOOTH_ADAPTER=hci7 uses hci7"
        #expect(lines.all == ["[CoreBluetooth] " + line])
    }

    @Test("B23: reports events after the delay of callbacks, in their order")
    func callbackDelay() {
        let testbed = Testbed()
        var configuration = BluetoothAdapter.Configuration(identity: "Slow")
        configuration.callbackDelay = .milliseconds(50)
        let central = CentralApp(on: BluetoothAdapter(air: testbed.air, configuration: configuration))
        testbed.run(.milliseconds(49))
        #expect(central.calls.isEmpty && central.manager.state == .unknown)
        testbed.run(.milliseconds(2))
        #expect(central.calls == ["state 5"])
    }
}
