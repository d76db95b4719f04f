// What kind of device a device is: the value of the characteristic Appearance, and of the AD type (Assigned Numbers, 2.6).

import CAssignedNumbers

/// What devices look like to their users.
package enum Appearance {
    /// What a value stands for: `Heart Rate Sensor: Heart Rate Belt`, or the category alone where the lower six bits are
    /// not assigned; `nil` where the category is not.
    package static func name(_ value: UInt16) -> String? {
        guard let category = self.names[value & ~0x3F] else { return nil }
        guard value & 0x3F != 0, let kind = self.names[value] else { return category }
        return "\(category): \(kind)"
    }

    private static let names = AssignedTable.short(assigned_appearances())
}
