import BluetoothHost
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Testing

@testable import CoreBluetoothCommand

@Suite("The link of a session")
@MainActor
struct LinkActionsTests {
    @Test("is shown as lines and as objects, and has what was asked for", arguments: [false, true])
    func link(isJSON: Bool) throws {
        let tool = try ConnectedTool(ScriptedPeripheral(name: "Thermo"), isJSON: isJSON)
        // The MTU is agreed on behind the connection.
        tool.world.advance(by: .seconds(1))
        let length = tool.connection.peripheral.maximumWriteValueLength(for: .withoutResponse)
        let cases: [(line: String, text: String, object: String)] = [
            (
                "mtu", "MTU \(length + 3), up to \(length) octets in a write without response",
                #"{"event":"mtu","mtu":\#(length + 3),"maximumWriteWithoutResponse":\#(length)}"#
            ),
            ("phy", "sends on 2M, receives on 2M", #"{"event":"phy","transmitter":"2M","receiver":"2M"}"#),
            ("phy 2m", "sends on 2M, receives on 2M", #"{"event":"phy","transmitter":"2M","receiver":"2M"}"#),
            (
                "phy coded", "sends on Coded, receives on Coded",
                #"{"event":"phy","transmitter":"Coded","receiver":"Coded"}"#
            ),
            ("phy 1M 1m", "sends on 1M, receives on 1M", #"{"event":"phy","transmitter":"1M","receiver":"1M"}"#),
            (
                "parameters --interval 100 --latency 2 --supervision-timeout 4000",
                "interval 100 ms, latency 2, supervision timeout 4000 ms",
                #"{"event":"parameters","interval":100.0,"latency":2,"supervisionTimeout":4000.0}"#
            ),
            (
                "parameters --latency 0", "interval 100 ms, latency 0, supervision timeout 4000 ms",
                #"{"event":"parameters","interval":100.0,"latency":0,"supervisionTimeout":4000.0}"#
            ),
            (
                "parameters", "interval 100 ms, latency 0, supervision timeout 4000 ms",
                #"{"event":"parameters","interval":100.0,"latency":0,"supervisionTimeout":4000.0}"#
            ),
            ("rssi", "-45 dBm", #"{"event":"rssi","rssi":-45}"#),
        ]
        for (line, text, object) in cases {
            let printed = try tool.perform(line).map { try isJSON ? recordContent($0) : $0 }
            #expect(printed == [isJSON ? object : text], "\(line)")
        }
        #expect(throws: Failure.self) { try tool.perform("parameters --interval 4000") }
        #expect(try tool.perform("connect") == [])
    }

    @Test("says the MTU that was agreed on even if it is asked at once")
    func mtu() throws {
        let world = World(seed: 1)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        let testbed = try ToolTestbed(world)
        let (central, output) = (testbed.central, testbed.output)
        let limit = ToolTestbed.realTimeLimit
        let lines = try testbed.printing {
            try testbed.perform {
                let peripheral = try await central.find(DeviceQuery("Thermo"), timeout: limit)
                try await central.connect(peripheral, timeout: limit)
                let connection = DeviceConnection(central, peripheral, output: output, isSession: true)
                guard case .command(let action)? = try SessionCommands.parse("mtu") else { return }
                try await action.run(on: connection)
            }
        }
        #expect(lines == ["MTU 247, up to 244 octets in a write without response"])
    }

    @Test("keeps parameters that are not given, and refuses those that do not fit each other")
    func parameters() throws {
        let present = LinkTiming(
            interval: ConnectionInterval(.milliseconds(30)),
            latency: 1,
            supervisionTimeout: SupervisionTimeout(.milliseconds(720))
        )
        let wanted = try ConnectionParameterOptions.parse(["--interval", "100", "--latency", "0"])
        let parameters = try wanted.parameters(changing: present)
        #expect(parameters.minimumInterval == ConnectionInterval(.milliseconds(100)))
        #expect(parameters.maximumInterval == parameters.minimumInterval)
        #expect(parameters.latency == 0)
        #expect(parameters.supervisionTimeout == present.supervisionTimeout)
        // Twice the interval is all of the time limit.
        let slow = try ConnectionParameterOptions.parse(["--interval", "180"])
        #expect(throws: Failure.self) { try slow.parameters(changing: present) }
    }
}
