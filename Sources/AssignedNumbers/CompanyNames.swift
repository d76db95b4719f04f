// The names of companies by the identifiers that the Bluetooth SIG gave them (Assigned Numbers, 7.1), without their forms
// of business.

import CAssignedNumbers

/// Names of companies.
package enum CompanyNames {
    /// The company with this identifier, where it is known.
    package static subscript(company: UInt16) -> String? { self.names[company] }

    private static let names = AssignedTable.short(assigned_companies())
}
