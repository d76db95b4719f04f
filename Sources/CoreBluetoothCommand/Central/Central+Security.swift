// Tasks without a call in Core Bluetooth: asking how secure the connection is, and pairing on request.

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

    /// The words for a failure with a device, and advice if security is the reason.
    func words(for error: any Error, device: String) -> String {
        let cause = (error as? DeviceFailure)?.cause ?? error
        return ErrorText.text(error) + (pairing?.advice(for: cause, device: device) ?? "")
    }

    /// The failure for an error, with the time, and the code of ATT if it has one. A failure that has them stays.
    func failure(for error: any Error, device: String) -> Failure {
        var details = (error as? Failure)?.details ?? []
        if !details.contains(where: { $0.key == "time" }) { details.insert(("time", Record.time()), at: 0) }
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
