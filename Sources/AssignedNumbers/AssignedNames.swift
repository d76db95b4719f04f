// The names of UUIDs: those that the Bluetooth SIG gave to 16-bit UUIDs of services, declarations, descriptors and
// characteristics (Assigned Numbers, 3.4 to 3.8), as `CBUUID.description` shows them, services without the word
// "Service"; and those of companies and other organizations for their own services.

package import BluetoothTypes
import CAssignedNumbers

/// Names by UUID.
package enum AssignedNames {
    /// The name that the Bluetooth SIG gave to a UUID, if any.
    package static subscript(uuid: BluetoothUUID) -> String? {
        uuid.shortValue.flatMap { self.assigned[$0] }
    }

    /// The name of a UUID, if any, including names of companies.
    package static func name(of uuid: BluetoothUUID) -> String? {
        self[uuid] ?? self.others[uuid]
    }

    /// The UUID with a name of the Bluetooth SIG, in any case; `nil` if none or several have it.
    package static func uuid(named name: String) -> BluetoothUUID? {
        let wanted = name.lowercased()
        let matches = self.assigned.filter { $0.value.lowercased() == wanted }
        return matches.count == 1 ? matches.first.map { BluetoothUUID($0.key) } : nil
    }

    /// The names with a prefix, in any case, in alphabetical order.
    package static func names(beginningWith prefix: String) -> [String] {
        let wanted = prefix.lowercased()
        return Set(self.assigned.values).filter { $0.lowercased().hasPrefix(wanted) }.sorted()
    }

    /// The UUIDs that the Bluetooth SIG names; those from 0xFC00 belong to members and other organizations (Assigned
    /// Numbers, 3.1).
    private static let assigned = AssignedTable.short(assigned_names()).filter { $0.key < 0xFC00 }

    private static let others: [BluetoothUUID: String] = {
        var names: [BluetoothUUID: String] = [:]
        for (number, name) in AssignedTable.rows(assigned_names()) {
            guard let uuid = BluetoothUUID(number), (uuid.shortValue ?? .max) >= 0xFC00 else { continue }
            names[uuid] = String(name)
        }
        return names
    }()
}
