import Foundation
import Testing

@testable import Lessons

@Suite("The course's pages")
struct CoursePagesTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/Lessons")

    /// The texts of a folder's files, by their names.
    private static func texts(_ folder: String) throws -> [String: String] {
        let folder = sources.appendingPathComponent(folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
            }
        )
    }

    /// The part of a file that has to stay the same.
    private static func plain(_ text: String, _ name: String) -> String {
        if name.hasSuffix(".txt") { return CoursePages.withoutTimes(text) }
        return name.hasSuffix(".svg") ? CoursePages.withoutTimesOfRows(text) : text
    }

    @Test("have the files of code as their listings, which CLessonCode.c lists")
    func listings() throws {
        let files = try Self.texts("Code")
        #expect(files.count == Course.lessons.count)
        #expect(Listing.texts == files)
    }

    @Test("are those of the lessons, with the traces of their runs, but for times")
    func pages() throws {
        let made = try CoursePages.pages(of: try Self.texts("Code"))
        var committed = try Self.texts("Lessons.docc")
        #expect(committed.removeValue(forKey: "Lessons.md") != nil)
        #expect(Set(made.keys) == Set(committed.keys))
        for (name, text) in made {
            let other = committed[name] ?? ""
            let lines = Self.plain(text, name).split(separator: "\n", omittingEmptySubsequences: false)
            let others = Self.plain(other, name).split(separator: "\n", omittingEmptySubsequences: false)
            let change = zip(lines, others).first { $0 != $1 }.map { "\($0) in place of \($1)" }
            let isSame = lines == others
            #expect(isSame, "\(name), \(change ?? "its length"): run docs/lessons/make")
        }
        #expect(made.keys.count { $0.hasSuffix(".tutorial") } == Course.lessons.count + 1)
    }

    @Test("show all parts of a lesson's file, in order", arguments: Course.lessons)
    func parts(lesson: Lesson) throws {
        let listing = try #require(Listing(lesson.file))
        #expect(listing.parts.map(\.title) == lesson.steps.map(\.part))
        for step in lesson.steps { #expect(lesson.code(of: step).count > 40) }
    }

    @Test("import what an app imports, and no test kit")
    func imports() throws {
        var modules: Set<Substring> = []
        for text in try Self.texts("Code").values {
            for line in text.split(separator: "\n") where line.hasPrefix("import ") {
                modules.insert(line.dropFirst("import ".count))
            }
        }
        #expect(modules == ["CoreBluetooth", "Foundation", "CryptoKit", "Crypto"])
    }

    @Test("are compared without the times of lines")
    func times() {
        let trace = "    0.00 ms  ball      x 1.00 ms\n12345.67 ms  phone     y\n"
        #expect(CoursePages.withoutTimes(trace) == "ball      x 1.00 ms\nphone     y")
        #expect(CoursePages.withoutTimesOfRows("<t>1.0 ms</t><t>in 2.0 ms</t>") == "<t></t><t>in 2.0 ms</t>")
    }
}
