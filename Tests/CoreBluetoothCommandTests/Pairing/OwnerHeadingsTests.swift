// The list of pairings.

import Fixtures
import Testing

@testable import CoreBluetoothCommand

@Suite("The headings of a list of pairings")
struct OwnerHeadingsTests {
    @Test("Each owner stands above the first of its pairings, and again where another one's stood between")
    func headings() {
        var headings = OwnerHeadings()
        let shown = ["alice", "alice", "bob", "bob", "alice"].map { headings.heading(of: $0) }
        #expect(shown == ["alice:", nil, "bob:", nil, "alice:"])
    }
}
