import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The pages of the course")
struct CourseFilesTests {
    private static let lessons = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Lessons")

    @Test("are made if they lack, made anew if they changed, and removed if no lesson has them")
    func pages() throws {
        let folder = try TemporaryFolder()
        let copy = URL(fileURLWithPath: folder("Sources/Lessons"))
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        for name in ["Code", "Lessons.docc"] {
            try FileManager.default.copyItem(
                at: Self.lessons.appendingPathComponent(name),
                to: copy.appendingPathComponent(name)
            )
        }
        let catalogue = copy.appendingPathComponent("Lessons.docc")
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: catalogue.path).sorted()
        }
        let before = try names()
        let tutorials = before.filter { $0.hasSuffix(".tutorial") }
        try #require(tutorials.count > 2)
        let (removed, changed) = (tutorials[0], tutorials[1])
        try FileManager.default.removeItem(at: catalogue.appendingPathComponent(removed))
        for name in [changed, "Other.tutorial", "other.txt", "Article.md"] {
            try Data("x".utf8).write(to: catalogue.appendingPathComponent(name))
        }
        try CourseFiles(repository: folder.path).write()
        #expect(try names() == (before + ["Article.md"]).sorted())
        for name in [removed, changed] {
            let made = try String(contentsOf: catalogue.appendingPathComponent(name), encoding: .utf8)
            let committed = Self.lessons.appendingPathComponent("Lessons.docc").appendingPathComponent(name)
            let expected = try String(contentsOf: committed, encoding: .utf8)
            #expect(made == expected, "\(name)")
        }
        let failure = #expect(throws: Failure.self) { try CourseFiles(repository: "/nowhere").write() }
        #expect(failure?.line.hasPrefix("cannot write the course: ") == true)
        withExtendedLifetime(folder) {}
    }
}
