// The files of the course that are made of the lessons, in a copy of the repository's folder, and the trace that a
// lesson leaves in a file.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The files of the course", .timeLimit(.minutes(5)))
struct CourseFilesTests {
    private static let lessons = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Lessons")

    @Test("Pages that lack are made, changed ones are made anew, and others go, but for articles")
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

    @Test("A file of a trace has the entries that are shown, in their order")
    func trace() async throws {
        let folder = try TemporaryFolder()
        let path = folder("a.jsonl")
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = path as String] in
            try LearnCommand.parse(["1", "--json", "--trace-file", path]).run()
            exit(0)
        }
        let shown = try #require(result).lines.filter { $0.hasPrefix(#"{"event":"trace""#) }
        let kept = try TimelineFile.read(path)
        #expect(!shown.isEmpty && kept.count == shown.count)
        for (line, entry) in zip(shown, kept) {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["text"] as? String == entry.text)
        }
        withExtendedLifetime(folder) {}
    }
}
