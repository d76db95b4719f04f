// The tool in a world: a central of the commands, the lines that they print, and a connection on which they are done.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Testing

@testable import CoreBluetoothCommand

/// The tool, on a device of a world.
@MainActor
final class ToolTestbed {
    /// The limit of procedures, which are of real time: none runs out. In seconds.
    nonisolated static let realTimeLimit: TimeInterval = 86_400

    let world: World
    let central: Central
    let output: OutputFormat
    private let device: Device
    private let printed = Watched<[String]>([])

    /// Opens the adapter of a new device of a world; one that pairs has no code to show and nobody to ask.
    init(_ world: World, permitsPairing: Bool = false, isJSON: Bool = false) throws {
        self.world = world
        output = OutputFormat(isJSON: isJSON, isVerbose: false) { [printed] line in printed.update { $0.append(line) } }
        let agent = permitsPairing ? TerminalPairingAgent(PairingCapabilities.none) : nil
        central = Central(pairing: try agent.map { ProgramPairing($0, try RadioOptions.parse([])) }, output: output)
        central.procedureTimeout = Self.realTimeLimit
        central.listeningTime.limit = Self.realTimeLimit
        device = world.addDevice("tool", pairingAgent: agent)
        var isReady = false
        central.onReady = { isReady = true }
        device.run { central.open() }
        try world.run(until: isReady)
    }

    /// Does something that awaits, on the tool's device, while time passes in the world.
    func perform<Value>(_ operation: @escaping @MainActor () async throws -> Value) throws -> Value {
        var result: Result<Value, any Error>?
        device.run {
            _ = Task { @MainActor in
                do { result = .success(try await operation()) } catch { result = .failure(error) }
            }
        }
        try world.run(until: result != nil, within: .seconds(3600))
        return try #require(result).get()
    }

    /// Connects to a device.
    func connect(_ name: String, isSession: Bool = true) throws -> DeviceConnection {
        let peripheral = try perform { [central] in
            let peripheral = try await central.find(DeviceQuery(name), timeout: Self.realTimeLimit)
            try await central.connect(peripheral, timeout: Self.realTimeLimit)
            return peripheral
        }
        return DeviceConnection(central, peripheral, output: output, isSession: isSession)
    }

    /// Performs a line of a session; returns the lines that it has printed.
    @discardableResult
    func perform(_ line: String, on connection: DeviceConnection) throws -> [String] {
        let action = try perform { () async throws -> (any DeviceAction)? in
            guard case .command(let action)? = try SessionCommands.parse(line) else { return nil }
            return action
        }
        let wanted = try #require(action, "\(line)")
        return try printing { try perform { try await wanted.run(on: connection) } }
    }

    /// The lines that are printed meanwhile.
    func printing(_ body: () throws -> Void) rethrows -> [String] {
        let before = printed.value.count
        try body()
        return Array(printed.value.dropFirst(before))
    }
}

/// The tool, connected to a scripted device in a world of its own.
@MainActor
struct ConnectedTool {
    let world: World
    let device: ScriptedDevice
    let testbed: ToolTestbed
    let connection: DeviceConnection

    init(_ peripheral: ScriptedPeripheral, permitsPairing: Bool = false, isJSON: Bool = false) throws {
        world = World(seed: 1)
        device = world.addPeripheral(peripheral)
        testbed = try ToolTestbed(world, permitsPairing: permitsPairing, isJSON: isJSON)
        connection = try testbed.connect(peripheral.name ?? "")
    }

    /// The same for a device "Thermo" with a service FFF0.
    init(_ characteristics: [ScriptedPeripheral.Characteristic], permitsPairing: Bool = false) throws {
        let service = ScriptedPeripheral.Service("FFF0", characteristics: characteristics)
        try self.init(ScriptedPeripheral(name: "Thermo", services: [service]), permitsPairing: permitsPairing)
    }

    /// Performs a line of a session; returns the lines that it has printed.
    @discardableResult
    func perform(_ line: String) throws -> [String] { try testbed.perform(line, on: connection) }

    /// The objects that it prints, as lines.
    func objects(_ line: String) throws -> [String] {
        try linesPrinted(isJSON: true) { output in
            let connection = DeviceConnection(testbed.central, connection.peripheral, output: output, isSession: true)
            try testbed.perform(line, on: connection)
        }
    }
}
