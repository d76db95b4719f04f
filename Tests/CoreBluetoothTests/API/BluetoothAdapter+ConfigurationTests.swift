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

    @Test("takes values from the environment, and reports each that is not of the variable's form")
    func values() {
        let metres = "a number of metres, such as 2.5"
        let privacy = "on, off, or 1 to 3600 seconds"
        let rows: [(String, [String], [String?], form: String, read: (Configuration) -> String?)] = [
            ("IDENTITY", ["", "anna"], [nil, "anna"], "", { $0.identity }),
            ("CAPTURE", ["", "a.btsnoop"], [nil, "a.btsnoop"], "", { $0.captureFile }),
            ("DISTANCE", ["", "0", "2.5"], [nil, "0.0", "2.5"], metres, { $0.distance.map { "\($0)" } }),
            (
                "FLOW_CONTROL", ["on", "off", ""], ["true", "false", nil], "on or off",
                { $0.controllerToHostFlowControl.map { "\($0)" } }
            ),
            (
                "EXTENDED_ADVERTISING", ["on", "off", ""], ["true", "false", nil], "on or off",
                { $0.extendedAdvertising.map { "\($0)" } }
            ),
            (
                "PRIVACY", ["on", "60", "3600", "off", ""], ["900", "60", "3600", nil, nil], privacy,
                { $0.privacy.map { "\($0.rotationInterval.components.seconds)" } }
            ),
        ]
        let wrong = [metres: ["near", "-1", "inf", "nan"], "on or off": ["yes"], privacy: ["0", "3601", "always"]]
        for (name, values, expected, form, read) in rows {
            let (found, lines) = self.configurations(name, values)
            #expect(found.map(read) == expected && lines.isEmpty, "\(name)")
            let refused = wrong[form] ?? []
            let (none, reports) = self.configurations(name, refused)
            #expect(none.allSatisfy { read($0) == nil }, "\(name)")
            #expect(reports == refused.map { "COREBLUETOOTH_\(name) is \"\($0)\"; write \(form)" })
            #expect(read(Configuration(environment: [:])) == nil)
        }
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
