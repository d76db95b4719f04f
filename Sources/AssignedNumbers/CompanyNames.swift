// The names of companies by the identifiers that the Bluetooth SIG assigned (Assigned Numbers, 7.1), without the legal
// form.

import CAssignedNumbers

/// Names of companies.
package enum CompanyNames {
    /// The company with an identifier, if it is known.
    package static subscript(company: UInt16) -> String? { self.names[company] }

    private static let names = AssignedTable.short(assigned_companies())
}
