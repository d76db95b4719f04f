// The page's program runs, and it is the one in the page.

import Fixtures
import Testing

@Suite("Documentation of the air")
struct DocumentationTests {
    @Test("Two hosts hear each other across ten metres")
    func twoHosts() throws {
        let reports = reportsAcrossTenMetres()
        #expect((9...10).contains(reports.count))
        #expect(Set(reports.map(\.address)).count == 1)
        #expect(reports.allSatisfy { $0.rssi == -65 })
    }

    @Test("The page has the code that runs")
    func page() throws {
        let page = try Documentation.text("Sources/BluetoothAir/BluetoothAir.docc/TwoHosts.md")
        let program = try Documentation.program("Tests/BluetoothAirTests/Documentation/TwoHosts.swift")
        #expect(Documentation.code(of: page) == program)
    }
}
