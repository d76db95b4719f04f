// A benchmark of scripted devices and of the peripheral that serves it, in virtual time.

import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport
@testable import CoreBluetoothCommand

@Suite("corebluetooth benchmark")
@MainActor
struct BenchmarkCommandTests {
    @Test("reads 200 times and sends 256 KiB in both directions, unless told otherwise")
    func benchmark() throws {
        let cases: [(arguments: [String], words: String)] = [
            ([], "200 262144 true true false true"), (["--reads", "1"], "1 262144 true true false true"),
            (["--size", "1"], "200 1024 true true false true"),
            (["--direction", "to"], "200 262144 true false false true"),
            (["--direction", "from"], "200 262144 false true false true"),
            (["--direction", "both"], "200 262144 true true false true"),
            (["--phy", "coded"], "200 262144 true true true true"),
            (["--latency", "0"], "200 262144 true true false false"),
        ]
        for (arguments, words) in cases {
            let plan = try BenchmarkCommand.parse(["Peer"] + arguments).plan
            let found: [Any] = [
                plan.reads, plan.octets, plan.isToDevice, plan.isFromDevice, plan.phys != nil, plan.wanted.isEmpty,
            ]
            #expect(found.map { "\($0)" }.joined(separator: " ") == words, "\(arguments)")
        }
        for name in PHYName.allCases {
            #expect(try BenchmarkCommand.parse(["Peer", "--phy", name.rawValue.uppercased()]).plan.phys == name.phys)
        }
    }

    /// The objects that one benchmark after the other prints at the device "Safe".
    private func measure(
        _ octets: Int,
        _ arguments: [String] = [],
        reads: Int = 1,
        runs: Int = 1,
        in world: World,
        before: @escaping @MainActor (DeviceConnection) async throws -> Void = { _ in }
    ) throws -> [[String: Any]] {
        var plan = try BenchmarkCommand.parse(["Safe"] + arguments).plan
        (plan.octets, plan.reads) = (octets, reads)
        let testbed = try ToolTestbed(world, isJSON: true)
        let connection = try testbed.connect("Safe")
        let lines = try testbed.printing {
            try testbed.perform { [plan] in
                try await before(connection)
                let benchmark = BenchmarkRun(
                    central: testbed.central,
                    peripheral: connection.peripheral,
                    output: testbed.output
                )
                for _ in 0..<runs { try await benchmark.run(plan) }
            }
        }
        return try lines.map { try jsonObject($0) }
    }

    private func name(_ object: [String: Any]) -> String {
        ["event", "test", "direction"].compactMap { object[$0] as? String }.joined(separator: " ")
    }

    // MARK: The peripheral that serves it

    @Test(
        "measures what was asked for, in this order, and loses nothing",
        arguments: [
            ("both", ["writeWithoutResponse to", "notification from", "l2cap to", "l2cap from"]),
            ("to", ["writeWithoutResponse to", "l2cap to"]), ("from", ["notification from", "l2cap from"]),
        ]
    )
    func results(direction: String, names: [String]) throws {
        let served = try ServedPeripheral(nil, benchmark: true)
        let objects = try measure(3000, ["--direction", direction], reads: 3, in: served.world)
        try #require(objects.map(name) == ["link", "result read"] + names.map { "result " + $0 })
        #expect(objects[1]["count"] as? Int == 3)
        let histogram = try #require(objects[1]["histogram"] as? [[String: Any]])
        #expect(histogram.compactMap { $0["count"] as? Int }.reduce(0, +) == 3)
        for object in objects.dropFirst(2) {
            #expect(object["lost"] as? Int == 0)
            let octets = try #require(object["octets"] as? Int)
            if object["test"] as? String == "l2cap" {
                #expect(octets == 3000 && object["length"] is NSNull)
            } else {
                // As many values as it takes, each as long as the others.
                let length = try #require(object["length"] as? Int)
                #expect(octets == (3000 + length - 1) / length * length)
            }
            let seconds = try #require(object["seconds"] as? Double)
            let rate = try #require(object["bitsPerSecond"] as? Double)
            #expect(abs(rate * seconds - 8 * Double(octets)) <= seconds)
        }
        withExtendedLifetime(served) {}
    }

    @Test("asks for the PHY and the parameters, and prints a label and a rate for each result")
    func lines() throws {
        let served = try ServedPeripheral(nil, benchmark: true)
        let (testbed, connection) = try served.connected()
        let arguments = [
            "--phy", "2m", "--interval", "30", "--latency", "0", "--supervision-timeout", "2000", "--reads", "3",
            "--size", "1",
        ]
        let plan = try BenchmarkCommand.parse(["Safe"] + arguments).plan
        let lines = try testbed.printing {
            try testbed.perform {
                let (central, peripheral) = (testbed.central, connection.peripheral)
                try await BenchmarkRun(central: central, peripheral: peripheral, output: testbed.output).run(plan)
            }
        }
        #expect(lines.first?.hasPrefix("PHY 2M and 2M, MTU ") == true, "\(lines)")
        #expect(lines.first?.hasSuffix(", interval 30 ms, latency 0, supervision timeout 2000 ms") == true, "\(lines)")
        let labels = [
            "read, 20 octets, 3 times", "write without response, ", "notification, ", "L2CAP channel, to the device",
            "L2CAP channel, from the device",
        ]
        for label in labels { #expect(lines.count { $0.hasPrefix(label) } == 1, "\(label)") }
        #expect(!lines.contains { $0.contains("lost") })
        withExtendedLifetime(served) {}
    }

    @Test("counts in each run its own octets alone, and ends its subscription")
    func runs() throws {
        let served = try ServedPeripheral(nil, benchmark: true)
        var source: CBCharacteristic?
        let objects = try measure(3000, runs: 3, in: served.world) { connection in
            let sink = try await connection.characteristic(AttributeQuery(BenchmarkService.sink), of: nil)
            source = try await connection.characteristic(AttributeQuery(BenchmarkService.source), of: nil)
            // Octets that were written before do not count.
            try await connection.central.writeWithoutResponse(Data(count: 100), to: try #require(sink))
        }
        let results = objects.map { object in
            "\(name(object)) \(object["octets"] as? Int ?? 0) \(object["lost"] as? Int ?? 0)"
        }
        try #require(results.count == 18)
        #expect(Array(results[..<6]) == Array(results[6..<12]) && Array(results[6..<12]) == Array(results[12...]))
        #expect(results[4] == "result l2cap to 3000 0" && results[5] == "result l2cap from 3000 0")
        #expect(try #require(source).isNotifying == false)
        withExtendedLifetime(served) {}
    }

    // MARK: Other devices

    /// A device with values of 244 octets of which so many arrive, and which notifies each 200 ms; `written` gets
    /// what is written to it.
    private static func device(
        arrived: Int = 1220,
        channel: [UInt8] = [0, 0, 1],
        notifies: Bool = true,
        isComplete: Bool = true,
        channels: [ScriptedPeripheral.Channel] = [],
        written: @escaping @Sendable (String) -> Void = { _ in }
    ) -> ScriptedPeripheral {
        let value = Data(repeating: 0x55, count: 244)
        var characteristics: [ScriptedPeripheral.Characteristic] = [
            .init(BenchmarkService.echo, properties: .read, value: Data([42]))
        ]
        if isComplete {
            characteristics += [
                .init(
                    BenchmarkService.sink,
                    properties: [.read, .writeWithoutResponse],
                    onRead: { _ in .value(UInt64(arrived).littleEndianData) },
                    onWrite: { data, _ in
                        written("\(data.count) \(Set(data).sorted())")
                        return .success
                    }
                ),
                .init(
                    BenchmarkService.source,
                    properties: .notify,
                    updates: notifies ? .every(.milliseconds(200)) { _ in value } : nil
                ),
                .init(
                    BenchmarkService.order,
                    properties: .write,
                    onWrite: { data, _ in
                        written("order \(Array(data))")
                        return .success
                    }
                ), .init(BenchmarkService.channel, properties: .read, value: Data(channel)),
            ]
        }
        let service = ScriptedPeripheral.Service(BenchmarkService.uuid, characteristics: characteristics)
        return ScriptedPeripheral(name: "Safe", services: [service], channels: channels)
    }

    @Test(
        "writes, or orders, as many values as hold the octets, and not one more",
        arguments: [(1, 1), (244, 1), (245, 2), (1219, 5), (1220, 5), (1221, 6)]
    )
    func values(octets: Int, count: Int) throws {
        for isToDevice in [true, false] {
            let world = World(seed: 1)
            let written = Watched<[String]>([])
            world.addPeripheral(Self.device(arrived: 244 * count) { line in written.update { $0.append(line) } })
            let result = try measure(octets, ["--direction", isToDevice ? "to" : "from"], in: world).last
            let order = "order [\(count), 0, 0, 0, 244, 0]"
            #expect(written.value == (isToDevice ? Array(repeating: "244 [42]", count: count) : [order]))
            #expect(["octets", "length", "lost"].map { result?[$0] as? Int } == [244 * count, 244, 0])
        }
    }

    @Test(
        "counts values that have not arrived as lost, and none if the device says that more has arrived",
        arguments: [(0, 1220), (900, 320), (1219, 1), (1220, 0), (1221, 0)]
    )
    func lost(arrived: Int, lost: Int) throws {
        let world = World(seed: 1)
        world.addPeripheral(Self.device(arrived: arrived))
        let result = try measure(1220, ["--direction", "to"], in: world).last
        #expect(["octets", "length", "lost"].map { result?[$0] as? Int } == [arrived, 244, lost])
    }

    @Test("sends on a channel that only receives, and does not ask it to send")
    func earlierVersion() throws {
        let world = World(seed: 1)
        let channel = ScriptedPeripheral.Channel(psm: 0x80, onData: { _, channel in channel.send(Data([1])) })
        world.addPeripheral(Self.device(channel: [0x80, 0], channels: [channel]))
        let names = try measure(1024, in: world).map(name)
        #expect(
            names.dropFirst(2) == ["result writeWithoutResponse to", "result notification from", "result l2cap to"]
        )
    }

    @Test("fails with the reason at a device that lacks the service or a part of it, closes the channel, or leaves")
    func faults() throws {
        let closing = ScriptedPeripheral.Channel(psm: 0x80, onData: { _, channel in channel.close() })
        let other = ScriptedPeripheral(name: "Safe", services: [.init("FFF0", characteristics: [])])
        let cases: [(device: ScriptedPeripheral, line: String)] = [
            (other, "\"Safe\" does not serve the benchmark; start there: corebluetooth advertise --benchmark"),
            (Self.device(isComplete: false), "\"Safe\" serves another version of the benchmark"),
            (Self.device(channel: [0x80, 0, 1], channels: [closing]), "the channel was closed"),
            (
                Self.device(notifies: false),
                "the device has disconnected: The connection has timed out unexpectedly"
            ),
        ]
        for (device, line) in cases {
            let world = World(seed: 1)
            let peer = world.addPeripheral(device)
            world.after(.seconds(60)) { peer.isPowered = false }
            let failure = #expect(throws: Failure.self) { _ = try measure(1024, in: world) }
            #expect(failure?.line == line)
        }
    }
}
