// Session commands for the connection itself: MTU, PHYs, connection parameters, signal strength.

import ArgumentParser
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import NIOCore

/// Shows the MTU.
struct MTUAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "mtu",
        abstract: "Show the sizes of an ATT packet and of a write without response, in octets."
    )

    func run(on connection: DeviceConnection) async throws {
        let mtu = try await connection.central.linkParameters().mtu
        let length = connection.peripheral.maximumWriteValueLength(for: .withoutResponse)
        connection.print(
            "mtu",
            [("mtu", .integer(mtu)), ("maximumWriteWithoutResponse", .integer(length))],
            line: "MTU \(mtu), up to \(length) octets in a write without response"
        )
    }
}

/// A physical layer by its name.
enum PHYName: String, ExpressibleByArgument, CaseIterable {
    case le1M = "1m"
    case le2M = "2m"
    case leCoded = "coded"

    init?(argument: String) { self.init(rawValue: argument.lowercased()) }

    /// The set of it alone.
    var phys: PHYSet {
        switch self {
        case .le1M: .le1M
        case .le2M: .le2M
        case .leCoded: .leCoded
        }
    }
}

/// Shows the PHYs, or asks for others.
struct PHYAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "phy",
        abstract: "Show the PHYs of the connection, or ask for others.",
        discussion: "The two controllers agree on one that both support; the answer says which."
    )

    @Argument(help: "The PHYs to ask for.")
    var phys: [PHYName] = []

    static func candidates(_ connection: DeviceConnection) -> [String] { PHYName.allCases.map(\.rawValue) }

    func run(on connection: DeviceConnection) async throws {
        let asked = phys.reduce(into: PHYSet()) { $0.formUnion($1.phys) }
        let present =
            asked.isEmpty
            ? try await connection.central.linkParameters().phys : try await connection.central.setPHYs(asked)
        connection.print(
            "phy",
            [
                ("transmitter", .string(present.transmitter.description)),
                ("receiver", .string(present.receiver.description)),
            ],
            line: "sends on \(present.transmitter), receives on \(present.receiver)"
        )
    }
}

/// Connection parameters to ask for.
struct ConnectionParameterOptions: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Ask for this connection interval, 7.5 to 4000 ms.", valueName: "ms")
    )
    var interval: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of connection events that the device may skip, 0 to 499.", valueName: "n")
    )
    var latency: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Give the connection up after this much silence, 100 to 32000 ms.", valueName: "ms")
    )
    var supervisionTimeout: Double?

    func validate() throws {
        try Self.check(interval, as: ConnectionInterval.self, "interval")
        let latencies = ConnectionParameters.latencies
        if let latency, !latencies.contains(UInt16(exactly: latency) ?? .max) {
            throw ValidationError("The latency is from \(latencies.lowerBound) to \(latencies.upperBound).")
        }
        try Self.check(supervisionTimeout, as: SupervisionTimeout.self, "supervision timeout")
    }

    /// Refuses a number of milliseconds that is out of the range of its type.
    private static func check<Time: BluetoothTime>(_ milliseconds: Double?, as _: Time.Type, _ name: String) throws {
        guard let milliseconds else { return }
        let (least, most) = (Time(rawValue: Time.range.lowerBound), Time(rawValue: Time.range.upperBound))
        let range = Double(least.timeAmount.nanoseconds)...Double(most.timeAmount.nanoseconds)
        guard range.contains(milliseconds * 1_000_000) else {
            throw ValidationError("The \(name) is from \(least.description.dropLast(3)) to \(most).")
        }
    }

    /// Whether none was given.
    var isEmpty: Bool { interval == nil && latency == nil && supervisionTimeout == nil }

    /// The parameters to ask for on a connection that has these; those that were not given stay.
    ///
    /// - Throws: ``Failure`` if they do not fit each other (Vol 6, Part B, 4.5.2).
    func parameters(changing present: LinkTiming) throws -> ConnectionParameters {
        func time(_ milliseconds: Double) -> TimeAmount { .microseconds(Int64((milliseconds * 1000).rounded())) }
        let interval = self.interval.map { ConnectionInterval(time($0)) } ?? present.interval
        let parameters = ConnectionParameters(
            minimumInterval: interval,
            maximumInterval: interval,
            latency: latency.map(UInt16.init) ?? present.latency,
            supervisionTimeout: supervisionTimeout.map { SupervisionTimeout(time($0)) } ?? present.supervisionTimeout
        )
        guard parameters.isValid else {
            throw Failure(
                "the supervision timeout has to be longer than twice the interval times the latency and 1: it is "
                    + "\(parameters.supervisionTimeout), the interval \(interval), the latency \(parameters.latency)"
            )
        }
        return parameters
    }
}

/// Shows the connection parameters, or asks for others.
struct ParametersAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "parameters",
        abstract: "Show the connection parameters, or ask for others."
    )

    @OptionGroup var wanted: ConnectionParameterOptions

    func run(on connection: DeviceConnection) async throws {
        var timing = try await connection.central.linkParameters().timing
        if !wanted.isEmpty {
            timing = try await connection.central.updateConnection(try wanted.parameters(changing: timing))
        }
        connection.print("parameters", LinkText.details(timing), line: LinkText.line(timing))
    }
}

/// Shows the signal strength.
struct RSSIAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "rssi",
        abstract: "Measure the signal strength of the connection."
    )

    func run(on connection: DeviceConnection) async throws {
        let strength = try await connection.central.readStrength()
        connection.print(
            "rssi",
            [("rssi", JSONValue(strength))],
            line: strength.map { "\($0) dBm" } ?? "the controller does not know the strength"
        )
    }
}
