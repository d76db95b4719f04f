// Sessions of a peripheral that JSON describes.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

extension AdvertiseSession {
    /// A session that has not started, of the peripheral that `json` describes.
    static func described(
        _ json: String?,
        name: String = "Safe",
        advertised: [String] = [],
        benchmark: Bool = false,
        isJSON: Bool = false,
        _ print: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> AdvertiseSession {
        AdvertiseSession(
            name: name,
            advertised: advertised.map { CBUUID(string: $0) },
            description: try json.map { try GATTDescription(json: Data($0.utf8), from: "t.json") },
            benchmark: benchmark,
            output: OutputFormat(isJSON: isJSON, isVerbose: false, write: print)
        )
    }

    /// The same, started on the device "peripheral" of a world.
    static func started(
        _ json: String?,
        in world: World,
        mtu: Int = 517,
        advertised: [String] = [],
        benchmark: Bool = false,
        isJSON: Bool = false,
        _ print: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> AdvertiseSession {
        try world.addDevice("peripheral", mtu: mtu).run {
            let session = try described(json, advertised: advertised, benchmark: benchmark, isJSON: isJSON, print)
            session.start()
            return session
        }
    }

    /// JSON of a service FFF0 with these characteristics.
    nonisolated static func json(_ characteristics: String) -> String {
        #"{ "services": [ { "uuid": "FFF0", "characteristics": [ \#(characteristics) ] } ] }"#
    }
}

/// A described peripheral in a world of its own, the lines that it prints, and the tool that is connected to it.
@MainActor
final class ServedPeripheral {
    let world: World
    let session: AdvertiseSession
    private let lines = Watched<[String]>([])
    private var tool: (testbed: ToolTestbed, connection: DeviceConnection)?

    init(
        _ json: String?,
        mtu: Int = 517,
        advertised: [String] = [],
        benchmark: Bool = false,
        isJSON: Bool = false
    ) throws {
        world = World(seed: 1)
        session = try AdvertiseSession.started(
            json,
            in: world,
            mtu: mtu,
            advertised: advertised,
            benchmark: benchmark,
            isJSON: isJSON
        ) { [lines] line in lines.update { $0.append(line) } }
    }

    /// The lines that it has printed.
    var printed: [String] { lines.value }

    /// The same without centrals that connect and disconnect.
    var printedBesideLinks: [String] { printed.filter { !$0.contains("connected") } }

    /// Its first characteristic.
    var attribute: AdvertiseSession.Attribute {
        get throws { try #require(session.attributes.first) }
    }

    /// The tool, which connects when it is first used.
    func connected() throws -> (testbed: ToolTestbed, connection: DeviceConnection) {
        if let tool { return tool }
        let testbed = try ToolTestbed(world)
        let new = (testbed, try testbed.connect("Safe"))
        tool = new
        return new
    }

    /// Performs a line of a session of the tool; returns the lines that it has printed.
    @discardableResult
    func perform(_ line: String) throws -> [String] {
        let (testbed, connection) = try connected()
        return try testbed.perform(line, on: connection)
    }
}
