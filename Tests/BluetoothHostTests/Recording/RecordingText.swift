// A recorded peripheral as text, for records.

import BluetoothTypes
import Fixtures
import NIOCore

@testable import BluetoothHost

extension RecordedPeripheral {
    /// All that is known of the peripheral, a line for each part.
    var text: String {
        func octets(_ bytes: ByteBuffer?) -> String { bytes.map { "[\(hex($0))]" } ?? "none" }
        var lines = [
            "\(self.address.map { "\($0)" } ?? "nobody") \(octets(self.advertisingData)) \(octets(self.scanResponse))",
            "\(self.isConnectable) \(self.advertisingInterval?.nanoseconds ?? -1) \(self.deviceName ?? "none")",
            "\(self.mtu ?? -1) \(self.genericAttribute.map { "\($0)" } ?? "unknown") \(self.name ?? "none")",
        ]
        for service in self.services {
            lines.append(
                "\(service.uuid) \(service.isPrimary) \(service.handles) \(service.includes) \(service.wasDiscovered)"
            )
            for value in service.characteristics {
                lines.append(
                    "\(value.uuid) \(value.properties.rawValue) \(value.handle) \(value.hasClientConfiguration) "
                        + "\(value.demandsEncryption) \(value.wasSubscribed) \(octets(value.firstValue))"
                )
                lines += value.descriptors.map { "\($0.uuid) \(octets($0.value))" }
                lines += value.reads.map { "read \($0.text)" }
                lines += value.writes.map { "write \($0.text)" }
                lines += value.updates.map { "\($0.delay.nanoseconds) \(octets($0.value))" }
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension RecordedCharacteristic.Read {
    /// The read on one line.
    var text: String { "\(self.writesBefore) \(self.result.text)" }
}

extension Result<ByteBuffer, ATTErrorCode> {
    /// The value or the error.
    var text: String {
        switch self {
        case .success(let value): hex(value)
        case .failure(let error): error.words
        }
    }
}

extension RecordedCharacteristic.Write {
    /// The write on one line.
    var text: String {
        let answers = self.answers.map { "\($0.handle) \($0.delay.nanoseconds) [\(hex($0.value))]" }
        return "[\(hex(self.value))] \(self.error?.words ?? "taken") \(self.isUnanswered) \(answers)"
    }
}
