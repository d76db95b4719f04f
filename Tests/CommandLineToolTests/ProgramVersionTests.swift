import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("The version")
struct ProgramVersionTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ file: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    }

    @Test("is a semantic version, and that of the file")
    func file() throws {
        #expect(ProgramVersion.text.wholeMatch(of: /(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)/) != nil)
        #expect(try Self.text("VERSION") == ProgramVersion.text + "\n")
    }

    @Test("has the first entry of the changelog")
    func changelog() throws {
        let heading = try Self.text("CHANGELOG.md").split(separator: "\n").first { $0.hasPrefix("## ") }
        #expect(heading?.hasPrefix("## \(ProgramVersion.text) ") == true)
    }
}
