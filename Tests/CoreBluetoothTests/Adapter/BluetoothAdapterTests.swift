import BluetoothAir
import BluetoothTransport
import BluetoothTypes
import Fixtures
import Foundation
import NIOEmbedded
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Adapters")
struct BluetoothAdapterTests {
    @Test("run makes an adapter the default inside, also in nested and asynchronous code")
    func run() async throws {
        let air = PrivateAir()
        let outer = air.makeAdapter()
        let inner = air.makeAdapter()
        outer.run {
            #expect(BluetoothAdapter.default === outer)
            inner.run { #expect(BluetoothAdapter.default === inner) }
            #expect(BluetoothAdapter.default === outer)
            #expect(CBCentralManager().adapter === outer)
            #expect(
                CBCentralManager(delegate: nil, queue: nil, options: [BluetoothAdapter.optionKey: inner]).adapter
                    === inner
            )
        }
        await inner.run {
            await Task.yield()
            #expect(BluetoothAdapter.default === inner)
            #expect(CBPeripheralManager().adapter === inner)
        }
    }

    @Test("the environment says who this device is")
    func environment() {
        let configuration = BluetoothAdapter.Configuration(environment: [
            "COREBLUETOOTH_IDENTITY": "crystal", "COREBLUETOOTH_DISTANCE": "2.5", "COREBLUETOOTH_CAPTURE": "/tmp/a",
        ])
        #expect(configuration.identity == "crystal")
        #expect(configuration.distance == 2.5)
        #expect(configuration.captureFile == "/tmp/a")
        let empty = BluetoothAdapter.Configuration(environment: ["COREBLUETOOTH_IDENTITY": ""])
        #expect(empty.identity == nil && empty.distance == nil && empty.captureFile == nil)
    }

    @Test("a distance that is none is said once", arguments: ["near", "-1", "inf", "nan"])
    func wrongDistance(text: String) {
        let lines = CapturedLog()
        let configuration = lines.capture {
            BluetoothAdapter.Configuration(environment: ["COREBLUETOOTH_DISTANCE": text])
        }
        #expect(configuration.distance == nil)
        #expect(
            lines.all == [
                "[CoreBluetooth] COREBLUETOOTH_DISTANCE is \"\(text)\"; write a number of metres, such as 2.5"
            ]
        )
    }

    @Test("the environment says whether the controller is asked for flow control")
    func flowControl() {
        let lines = CapturedLog()
        let asked = lines.capture {
            ["on", "off", "", "yes"].map {
                BluetoothAdapter.Configuration(environment: ["COREBLUETOOTH_FLOW_CONTROL": $0])
                    .controllerToHostFlowControl
            }
        }
        #expect(asked == [true, false, nil, nil])
        #expect(lines.all == ["[CoreBluetooth] COREBLUETOOTH_FLOW_CONTROL is \"yes\"; write on or off"])
    }

    @Test("the environment says whether the device hides, and how long an address is used")
    func privacy() {
        let lines = CapturedLog()
        let intervals = lines.capture {
            ["on", "60", "3600", "off", "", "0", "3601", "yes"].map {
                BluetoothAdapter.Configuration(environment: ["COREBLUETOOTH_PRIVACY": $0]).privacy?.rotationInterval
            }
        }
        #expect(intervals == [.seconds(900), .seconds(60), .seconds(3600), nil, nil, nil, nil, nil])
        #expect(lines.all.count == 3)
        #expect(
            lines.all.last == "[CoreBluetooth] COREBLUETOOTH_PRIVACY is \"yes\"; write on, off, or 1 to 3600 seconds"
        )
        #expect(BluetoothAdapter.Configuration().privacy == nil)
    }

    @Test("an interval that is not allowed becomes the nearest one", arguments: [(0, 1), (9000, 3600)])
    func interval(given: Int, used: Int64) {
        let privacy = BluetoothAdapter.Configuration.Privacy(
            rotationInterval: .seconds(given),
            connectionsPerAddress: 3
        )
        #expect(privacy.hostConfiguration.rotationInterval == .seconds(used))
        #expect(privacy.hostConfiguration.connectionsPerAddress == 3)
    }

    @Test("Controllers of an air are asked for flow control by default and others are not; the configuration decides")
    func flowControlOfAdapters() throws {
        let loop = EmbeddedEventLoop()
        func isAsked(_ name: String, _ setting: Bool?) throws -> Bool {
            let configuration = BluetoothAdapter.Configuration(controllerToHostFlowControl: setting)
            let components = AdapterComponents(try AdapterName(parsing: name), configuration, on: loop)
            return components.configuration.limitsReceivedData
        }
        #expect(try !isAsked("h4:unix:/nowhere", nil) && !isAsked("h4:unix:/nowhere", false))
        #expect(try isAsked("h4:unix:/nowhere", true) && isAsked("hci0", true) && !isAsked("hci0", nil))
        let air = Air(eventLoop: loop)
        let address = try #require(DeviceAddress("C0:11:22:33:44:55", kind: .random))
        func isAskedOnAir(_ setting: Bool?) -> Bool {
            let configuration = BluetoothAdapter.Configuration(controllerToHostFlowControl: setting)
            return AdapterComponents(air: air, configuration, address: address).configuration.limitsReceivedData
        }
        #expect(isAskedOnAir(nil) && isAskedOnAir(true) && !isAskedOnAir(false))
    }

    @Test("B16: a Linux adapter that a program does not use is named once")
    func unusedAdapter() throws {
        let folder = try TemporaryFolder()
        let lines = CapturedLog()
        lines.capture { BluetoothAdapter.reportLinuxAdapter(folder: folder("class")) }
        #expect(lines.all.isEmpty)
        try FileManager.default.createDirectory(
            atPath: folder("class/bluetooth/hci7"),
            withIntermediateDirectories: true
        )
        lines.capture {
            for _ in 1...2 { BluetoothAdapter.reportLinuxAdapter(folder: folder("class")) }
        }
        let line = "the adapter is the user's own air, without radio; COREBLUETOOTH_ADAPTER=hci7 uses hci7"
        #expect(lines.all == ["[CoreBluetooth] " + line])
    }

    @Test("B23: callbacks on a queue come after their delay, in their order", .timeLimit(.minutes(1)))
    func callbackDelay() async throws {
        var configuration = BluetoothAdapter.Configuration()
        configuration.callbackDelay = .milliseconds(50)
        let adapter = PrivateAir().makeAdapter(configuration: configuration)
        let start = ContinuousClock.now
        let app = StateRecorder()
        let manager = adapter.run { CBCentralManager(delegate: app, queue: app.queue) }
        for await state in app.states where state == .poweredOn { break }
        #expect(ContinuousClock.now - start >= .milliseconds(50))
        withExtendedLifetime(manager) {}
    }

    @Test("A device of a private air is configured as any other")
    func privateAirConfiguration() {
        var configuration = BluetoothAdapter.Configuration(permitsSystemServices: true)
        configuration.requiresPairing = true
        let adapter = PrivateAir().makeAdapter(configuration: configuration)
        #expect(adapter.configuration.permitsSystemServices)
        #expect(adapter.configuration.requiredLevel == .encrypted)
    }

    /// The states of a manager, as they are reported.
    private final class StateRecorder: NSObject, CBCentralManagerDelegate {
        let queue = DispatchQueue(label: "states")
        let states: AsyncStream<CBManagerState>
        private let continuation: AsyncStream<CBManagerState>.Continuation

        override init() {
            (self.states, self.continuation) = AsyncStream.makeStream()
            super.init()
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) { self.continuation.yield(central.state) }
    }

    @Test("B22: the environment says where this device is, and a position that is none is said once")
    func position() {
        let configuration = BluetoothAdapter.Configuration(environment: [
            "COREBLUETOOTH_POSITION": "300, -2.5", "COREBLUETOOTH_DISTANCE": "7",
        ])
        #expect(configuration.location == .position(AirPosition(x: 300, y: -2.5)))
        let lines = CapturedLog()
        let wrong = lines.capture {
            ["1", "1,", "1,2,3", "1,2,", "a,b", "nan,0", "1e9,0"].map {
                BluetoothAdapter.Configuration(environment: ["COREBLUETOOTH_POSITION": $0]).location
            }
        }
        #expect(wrong.allSatisfy { $0 == nil } && wrong.count == 7)
        #expect(
            lines.all.first
                == "[CoreBluetooth] COREBLUETOOTH_POSITION is \"1\"; write two numbers of metres, such as 300,0"
        )
    }

    @Test("B22: devices of a private air have positions")
    func positionsOfAdapters() {
        let near = BluetoothAdapter.Configuration(position: AirPosition(x: 1, y: 2))
        #expect(near.location == .position(AirPosition(x: 1, y: 2)))
        #expect(BluetoothAdapter.Configuration(distance: 3).location == .distance(.metres(3)))
        #expect(BluetoothAdapter.Configuration().location == nil)
    }

    @Test("an identity has its address, the same each time")
    func addresses() {
        let crystal = BluetoothAdapter.Configuration(identity: "crystal")
        #expect(crystal.addressOnAir == crystal.addressOnAir)
        #expect(crystal.addressOnAir != BluetoothAdapter.Configuration(identity: "other").addressOnAir)
        #expect(crystal.addressOnAir.randomKind == .static)
        let anonymous = BluetoothAdapter.Configuration()
        #expect(anonymous.addressOnAir != anonymous.addressOnAir)
        #expect(crystal.hostConfiguration(address: nil).deviceName == "crystal")
        let named = BluetoothAdapter.Configuration(deviceName: "Ball", identity: "crystal", distance: 3)
        #expect(named.hostConfiguration(address: nil).deviceName == "Ball")
    }

    @Test("what is not the name of an adapter is refused with one line", arguments: ["", "water", "h4:", "hci"])
    func names(name: String) {
        #expect {
            try BluetoothAdapter(name)
        } throws: { error in
            guard let error = error as? BluetoothAdapterError else { return false }
            return !error.description.isEmpty && !error.description.contains("\n")
        }
    }
}
