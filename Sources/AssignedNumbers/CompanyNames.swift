// The names of companies by the identifiers that the Bluetooth SIG assigned (Assigned Numbers, 7.1), without the legal
// form.

import CAssignedNumbers

/// Names of companies.
package enum CompanyNames {
    /// The company with an identifier, if it is known.
    package static subscript(company: UInt16) -> String? { self.names[company] }

    /// The identifiers of the companies with a name, in any case.
    package static func identifiers(named name: String) -> Set<UInt16> {
        let wanted = name.lowercased()
        return Set(self.names.filter { $0.value.lowercased() == wanted }.keys)
    }

    /// The names of all companies.
    package static var all: [String] { Set(self.names.values).sorted() }

    private static let names = AssignedTable.short(assigned_companies())
}
