// The sessions of a peripheral, of who uses it line by line, and of who measures with it, as the tests of commands
// start them.

import CommandLineTool
import CoreBluetoothTesting
import SessionTestbed

@testable import CoreBluetoothCommand

extension PeripheralSession {
    /// A session that is started, with nothing in its advertisements beside its name and what the description has.
    static func started(
        _ name: String,
        _ description: GATTDescription? = nil,
        benchmark: Bool = false,
        isJSON: Bool = false,
        _ print: @escaping @Sendable (String) -> Void = { _ in }
    ) -> PeripheralSession {
        let session = PeripheralSession(
            name: name,
            advertised: [],
            description: description,
            benchmark: benchmark,
            output: OutputFormat(isJSON: isJSON, isVerbose: false, write: print)
        )
        session.start()
        return session
    }
}

extension SessionRun {
    /// Starts a benchmark at the device "Peer" whose results are objects: of a read, and of so many octets each way
    /// that is asked for.
    @MainActor
    mutating func startBenchmark(octets: Int, isToDevice: Bool, isFromDevice: Bool) throws {
        let output = OutputFormat(isJSON: true, isVerbose: false)
        try self.start(on: self.world.addDevice("tool")) {
            let central = Central(output: output)
            let plan = BenchmarkRun.Plan(
                reads: 1,
                octets: octets,
                isToDevice: isToDevice,
                isFromDevice: isFromDevice,
                wanted: try ConnectionParameterOptions.parse([])
            )
            try DeviceOptions.parse(["Peer"]).start(central) { central, peripheral in
                try await BenchmarkRun(central: central, peripheral: peripheral, output: output).run(plan)
            }
            return central
        }
    }

    /// Starts a session for the device "Safe" that gets lines.
    @MainActor
    mutating func startSession(on name: String, _ lines: [(seconds: Double, text: String?)]) throws {
        let output = OutputFormat(isJSON: false, isVerbose: false)
        let reader = self.lines(lines)
        try self.start(on: self.world.addDevice(name)) {
            let central = Central(output: output)
            try DeviceOptions.parse(["Safe"]).start(central) { central, peripheral in
                let connection = DeviceConnection(central, peripheral, output: output, isSession: true)
                try await DeviceSession(connection, device: "Safe", keepsGoing: true, lines: reader).run()
            }
            return central
        }
    }
}
