// What Core Bluetooth has no calls for: how secure the connection is, and pairing because a person asks for it.

import BluetoothHost
import CommandLineTool
import CoreBluetooth
import Foundation

extension Central {
    /// How secure the connection to the device in use is.
    func security() async -> LinkSecurity? {
        guard let identifier = peripheral?.identifier else { return nil }
        return await withCheckedContinuation { continuation in
            BluetoothAdapter.default.security(of: identifier) { continuation.resume(returning: $0) }
        }
    }

    /// The words for what failed with a device, and what a person can do where it has to do with security.
    func words(for error: any Error, device: String) -> String {
        let cause = (error as? DeviceFailure)?.cause ?? error
        return ErrorText.text(error) + (pairing?.advice(for: cause, device: device) ?? "")
    }

    /// The failure that an error is, with the code of ATT where it has one.
    func failure(for error: any Error, device: String) -> Failure {
        var details = (error as? Failure)?.details ?? []
        if let code = ((error as? DeviceFailure)?.cause ?? error) as? CBATTError {
            details.append(("attError", .integer(code.errorCode)))
        }
        return Failure(words(for: error, device: device), Failure.Kind(error), details: details)
    }

    /// Pairs with the device in use, unless the connection has the level.
    ///
    /// - Returns: The connection's security, and whether it is that of an earlier pairing.
    func pair(_ level: SecurityLevel) async throws -> (security: LinkSecurity?, wasPaired: Bool) {
        guard let peripheral else { return (nil, false) }
        // The keys of a bond are used before the first answer of the device.
        _ = try await discoverServices([CBUUID(string: "1801")])
        let present = await security()
        if let present, present.level >= level { return (present, true) }
        watchPairings()
        let limit = procedureTimeout
        let late = Failure("pairing took more than \(SecondsText.text(limit))", .timedOut)
        try await wait(.pairing, limit, late, doing: "pairing") {
            BluetoothAdapter.default.secure(peripheral.identifier, to: level) { _ in }
        }
        return (await security(), false)
    }
}
