// What a command does with one device, from the first scan to its end.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation

/// The run of a command that ends by itself.
@MainActor
enum CommandRun {
    /// Runs `body`, then ends the program: with 0, or with 1 and the line of what was thrown.
    static func run(_ body: @escaping @MainActor () async throws -> Void) -> Never {
        Task { @MainActor in
            do {
                try await body()
                Ending.succeed()
            } catch {
                Ending.fail(Failure(ErrorText.text(error)))
            }
        }
        Interrupts.runUntilExit()
    }
}

/// Which device, and how long to look for it.
struct DeviceOptions: ParsableArguments {
    @Argument(help: "The device: its name, its identifier, or the first four characters of that and more.")
    var device: String

    @Option(help: ArgumentHelp("Time out after this many seconds of scanning and connecting.", valueName: "s"))
    var timeout = 10.0

    func validate() throws { try Deadline.validate(timeout) }

    /// Finds the device and connects to it.
    @MainActor
    func connect(_ central: Central) async throws -> CBPeripheral {
        try await central.start(timeout: timeout)
        let peripheral = try await central.find(DeviceQuery(device), timeout: timeout)
        try await central.connect(peripheral, timeout: timeout)
        return peripheral
    }
}

/// Which characteristic.
struct CharacteristicOptions: ParsableArguments {
    @Argument(help: "The characteristic: its UUID, or its assigned name such as \"Battery Level\".")
    var characteristic: String

    @Option(help: ArgumentHelp("The service that it belongs to. (default: the first that has it)", valueName: "uuid"))
    var service: String?

    func validate() throws {
        _ = try Arguments.uuid(characteristic)
        if let service { _ = try Arguments.uuid(service) }
    }

    /// Discovers it.
    @MainActor
    func find(_ central: Central) async throws -> CBCharacteristic {
        let uuid = try Arguments.uuid(characteristic)
        let services = try await central.discoverServices(service.map { [try Arguments.uuid($0)] })
        for service in services {
            let found = try await central.discoverCharacteristics(of: service).first { $0.uuid == uuid }
            if let found { return found }
        }
        let place = service.map { " in the service \($0)" } ?? ""
        throw Failure(
            "the device has no characteristic \(characteristic)\(place); corebluetooth inspect shows what it has"
        )
    }
}
