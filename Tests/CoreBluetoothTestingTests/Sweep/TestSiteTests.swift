import Testing

@testable import CoreBluetoothTesting

@Suite("TestSite")
struct TestSiteTests {
    @Test("finds a test by its module and the name of its function")
    func filters() {
        let site = TestSite(function: "reads(seed:)", fileID: "MyTests/Some/ReaderTests.swift", line: 7)
        #expect(site.description == "MyTests/Some/ReaderTests.swift:7 reads(seed:)")
        #expect(site.name == "reads" && site.filter == "^MyTests\\.(.*/)?`?reads`?(\\(|$)")
        let text = TestSite(function: "what's that?()", fileID: "MyTests/A.swift", line: 1)
        #expect(text.name == "what's that?" && text.filter.hasSuffix("\\?`?(\\(|$)"))
        #expect(TestSite(function: "plain", fileID: "A", line: 1).filter == "^A\\.(.*/)?`?plain`?(\\(|$)")
    }
}
