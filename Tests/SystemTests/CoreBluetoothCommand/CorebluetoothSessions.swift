// Commands of corebluetooth as tests of this layer start them, in a process of their own.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

extension SessionRun {
    /// Starts a command for one device.
    @MainActor
    mutating func startDeviceCommand(
        _ arguments: [String],
        on device: Device? = nil,
        isVerbose: Bool = false,
        isJSON: Bool = false,
        _ body: @escaping @MainActor (Central, CBPeripheral, OutputFormat) async throws -> Void
    ) throws {
        let output = OutputFormat(isJSON: isJSON, isVerbose: isVerbose)
        try start(on: device ?? world.addDevice("tool")) {
            let central = Central(output: output)
            try DeviceOptions.parse(arguments).start(central) { try await body($0, $1, output) }
            return central
        }
    }

    /// Starts a session of `corebluetooth connect`, which gets the lines of a script.
    @MainActor
    mutating func startConnectSession(
        _ name: String,
        _ script: String,
        on device: Device? = nil,
        keepsGoing: Bool = true,
        isVerbose: Bool = false
    ) throws {
        let reader = lines(script)
        try startDeviceCommand([name], on: device, isVerbose: isVerbose) { central, peripheral, output in
            let connection = DeviceConnection(central, peripheral, output: output, isSession: true)
            try await DeviceSession(connection, device: name, keepsGoing: keepsGoing, lines: reader).run()
        }
    }

    /// Starts the peripheral "Safe" with a service FFF0 of these characteristics; its lines begin with a bar.
    @MainActor
    mutating func startDescribedPeripheral(_ characteristics: String, moreServices: String = "") throws {
        let service = #"{ "uuid": "FFF0", "characteristics": [ \#(characteristics) ] }"#
        let json = #"{ "services": [ \#(moreServices)\#(service) ] }"#
        try startDescribedPeripheral(try GATTDescription(json: Data(json.utf8), from: "t.json"))
    }

    @MainActor
    mutating func startDescribedPeripheral(_ description: GATTDescription, on device: Device? = nil) throws {
        start(on: device ?? world.addDevice("peripheral")) {
            let session = AdvertiseSession(
                name: "Safe",
                advertised: [],
                description: description,
                benchmark: false,
                output: OutputFormat(isJSON: false, isVerbose: false) { Console.print("| " + $0) }
            )
            session.start()
            return session
        }
    }

    /// Prints the times, in seconds, as they come.
    func markTimes(_ times: [Double]) {
        for seconds in times { mark("- \(seconds)", at: seconds) }
    }
}

/// Runs command lines of a program in a folder, one behind the other in this process, with a hyphen behind each.
@MainActor
func performCorebluetooth(
    _ lines: [[String]],
    of tool: any ParsableCommand.Type = CoreBluetoothTool.self,
    in folder: String
) throws {
    guard FileManager.default.changeCurrentDirectoryPath(folder) else { exit(98) }
    setenv("XDG_STATE_HOME", folder, 1)
    setenv("XDG_RUNTIME_DIR", folder, 1)
    for line in lines {
        do {
            var command = try tool.parseAsRoot(line)
            try command.run()
        } catch let failure as Failure {
            Console.print("failed: \(failure.line)")
        }
        Console.print("-")
    }
}

extension ExitTest.Result {
    /// The lines that each of the command lines has printed.
    var printed: [[String]] {
        lines.split(separator: "-", omittingEmptySubsequences: false).dropLast().map { Array($0) }
    }

    /// The lines without those of centrals that connect and disconnect.
    var linesBesideLinks: [String] { lines.filter { !$0.hasPrefix("| connected ") && !$0.hasPrefix("| disc") } }

    /// The lines that are not the described peripheral's.
    var sessionLines: [String] { lines.filter { !$0.hasPrefix("| ") } }
}

extension [String] {
    /// Whether there is one line for each of these words, which contains them.
    func hasWords(_ words: [String]) -> Bool {
        count == words.count && zip(self, words).allSatisfy { $0.contains($1) }
    }
}

/// The JSON object on a line.
func corebluetoothObject(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
}
