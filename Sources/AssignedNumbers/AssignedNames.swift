// The names of UUIDs: those that the Bluetooth SIG gave to 16-bit UUIDs of services, declarations, descriptors and
// characteristics (Assigned Numbers, 3.4 to 3.8), as `CBUUID.description` shows them, services without the word
// "Service"; and those that companies and other organizations use for services of their own.

package import BluetoothTypes
import CAssignedNumbers

/// Names by UUID.
package enum AssignedNames {
    /// The name that the Bluetooth SIG gave to a UUID, where it gave one.
    package static subscript(uuid: BluetoothUUID) -> String? {
        uuid.shortValue.flatMap { self.assigned[$0] }
    }

    /// The name of a UUID, where it has one: also of those that are companies' own.
    package static func name(of uuid: BluetoothUUID) -> String? {
        self[uuid] ?? self.others[uuid]
    }

    /// The UUID that has this name of the Bluetooth SIG's, in any case; `nil` where none or several have it.
    package static func uuid(named name: String) -> BluetoothUUID? {
        let wanted = name.lowercased()
        let matches = self.assigned.filter { $0.value.lowercased() == wanted }
        return matches.count == 1 ? matches.first.map { BluetoothUUID($0.key) } : nil
    }

    /// The names that begin so, in any case, in the order of the alphabet.
    package static func names(beginningWith prefix: String) -> [String] {
        let wanted = prefix.lowercased()
        return Set(self.assigned.values).filter { $0.lowercased().hasPrefix(wanted) }.sorted()
    }

    /// What the Bluetooth SIG names itself; from 0xFC00 on UUIDs belong to members and to other organizations
    /// (Assigned Numbers, 3.1).
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
