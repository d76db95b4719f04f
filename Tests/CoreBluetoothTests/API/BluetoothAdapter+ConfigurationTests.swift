import BluetoothAir
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("How an adapter presents itself")
struct BluetoothAdapterConfigurationTests {
    private typealias Configuration = BluetoothAdapter.Configuration

    /// The configurations of values of one variable, and the lines that report wrong values.
    private func configurations(_ name: String, _ values: [String]) -> (found: [Configuration], lines: [String]) {
        let lines = CapturedLog()
        let found = lines.capture { values.map { Configuration(environment: ["COREBLUETOOTH_\(name)": $0]) } }
        return (found, lines.all.map { String($0.drop { $0 != " " }.dropFirst()) })
    }

    @Test("takes the identity and the capture file from the environment, unless they are empty")
    func names() {
        #expect(self.configurations("IDENTITY", ["", "anna"]).found.map(\.identity) == [nil, "anna"])
        #expect(self.configurations("CAPTURE", ["", "a.btsnoop"]).found.map(\.captureFile) == [nil, "a.btsnoop"])
        let empty = Configuration(environment: [:])
        #expect(empty.identity == nil && empty.captureFile == nil && empty.distance == nil && empty.privacy == nil)
        #expect(empty.controllerToHostFlowControl == nil && empty.position == nil)
    }

    @Test("takes the distance from the environment, and reports one that is not a number of metres")
    func distance() {
        let (found, lines) = self.configurations("DISTANCE", ["", "0", "2.5", "near", "-1", "inf", "nan"])
        #expect(found.map(\.distance) == [nil, 0, 2.5, nil, nil, nil, nil])
        let reported = ["near", "-1", "inf", "nan"]
        #expect(
            lines == reported.map { "COREBLUETOOTH_DISTANCE is \"\($0)\"; write a number of metres, such as 2.5" }
        )
    }

    @Test("takes from the environment whether the controller is asked for flow control")
    func flowControl() {
        let (found, lines) = self.configurations("FLOW_CONTROL", ["on", "off", "", "yes"])
        #expect(found.map(\.controllerToHostFlowControl) == [true, false, nil, nil])
        #expect(lines == ["COREBLUETOOTH_FLOW_CONTROL is \"yes\"; write on or off"])
    }

    @Test("takes from the environment whether the device hides, and for how long it uses an address")
    func privacy() {
        let values = ["on", "60", "3600", "off", "", "0", "3601", "always"]
        let (found, lines) = self.configurations("PRIVACY", values)
        #expect(
            found.map { $0.privacy?.rotationInterval }
                == [.seconds(900), .seconds(60), .seconds(3600), nil, nil, nil, nil, nil]
        )
        let reported = ["0", "3601", "always"]
        #expect(lines == reported.map { "COREBLUETOOTH_PRIVACY is \"\($0)\"; write on, off, or 1 to 3600 seconds" })
    }

    @Test("B22: takes the position from the environment, before the distance, and reports one that is none")
    func position() {
        let both = Configuration(environment: [
            "COREBLUETOOTH_POSITION": "300, -2.5", "COREBLUETOOTH_DISTANCE": "7",
        ])
        #expect(both.location == .position(AirPosition(x: 300, y: -2.5)))
        let values = ["1", "1,", "1,2,3", "1,2,", "a,b", "nan,0", "1e9,0"]
        let (found, lines) = self.configurations("POSITION", values)
        #expect(found.allSatisfy { $0.location == nil } && lines.count == values.count)
        #expect(lines.first == "COREBLUETOOTH_POSITION is \"1\"; write two numbers of metres, such as 300,0")
        #expect(Configuration(distance: 3).location == .distance(.metres(3)))
        #expect(Configuration().location == nil)
    }

    @Test("replaces an interval that is not allowed by the nearest one", arguments: [(0, 1), (9000, 3600)])
    func interval(given: Int, used: Int64) {
        let privacy = Configuration.Privacy(rotationInterval: .seconds(given), connectionsPerAddress: 3)
        #expect(privacy.hostConfiguration.rotationInterval == .seconds(used))
        #expect(privacy.hostConfiguration.connectionsPerAddress == 3)
    }

    @Test("gives an identity the same address and name each time, and a device without one another address")
    func addresses() {
        let crystal = Configuration(identity: "crystal")
        #expect(crystal.addressOnAir == crystal.addressOnAir && crystal.addressOnAir.randomKind == .static)
        #expect(crystal.addressOnAir != Configuration(identity: "other").addressOnAir)
        let anonymous = Configuration()
        #expect(anonymous.addressOnAir != anonymous.addressOnAir)
        #expect(crystal.hostConfiguration(address: nil).deviceName == "crystal")
        let named = Configuration(deviceName: "Ball", identity: "crystal", distance: 3)
        #expect(named.hostConfiguration(address: nil).deviceName == "Ball")
    }

    @Test("takes from the environment whether the controller is given extended commands")
    func extendedAdvertising() {
        let (found, lines) = self.configurations("EXTENDED_ADVERTISING", ["on", "off", "", "maybe"])
        #expect(found.map(\.extendedAdvertising) == [true, false, nil, nil])
        #expect(lines == ["COREBLUETOOTH_EXTENDED_ADVERTISING is \"maybe\"; write on or off"])
    }

    @Test("gives a controller without an address the same one each time, and another one on another machine or adapter")
    func fallbackAddress() {
        let configuration = BluetoothAdapter.Configuration(identity: "ball")
        let address = configuration.fallbackAddress(on: .linux(index: 0), machine: "1")
        #expect(address == configuration.fallbackAddress(on: .linux(index: 0), machine: "1"))
        #expect(address != configuration.fallbackAddress(on: .linux(index: 0), machine: "2"))
        #expect(address != configuration.fallbackAddress(on: .linux(index: 1), machine: "1"))
        #expect(address.randomKind == .static)
    }
}
