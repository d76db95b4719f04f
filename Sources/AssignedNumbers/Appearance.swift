// The kind of a device: the value of the characteristic Appearance and of the AD type (Assigned Numbers, 2.6).

import CAssignedNumbers

/// Names of appearances.
package enum Appearance {
    /// The name of a value: `Heart Rate Sensor: Heart Rate Belt`; only the category if the lower six bits are not
    /// assigned; `nil` if the category is not.
    package static func name(_ value: UInt16) -> String? {
        guard let category = self.names[value & ~0x3F] else { return nil }
        guard value & 0x3F != 0, let kind = self.names[value] else { return category }
        return "\(category): \(kind)"
    }

    /// The value with a name: a category, a kind, or both as ``name(_:)`` has them, in any case; `nil` for others.
    package static func value(named name: String) -> UInt16? {
        let wanted = name.lowercased()
        return self.names.keys.sorted().first {
            self.names[$0]?.lowercased() == wanted || self.name($0)?.lowercased() == wanted
        }
    }

    private static let names = AssignedTable.short(assigned_appearances())
}
