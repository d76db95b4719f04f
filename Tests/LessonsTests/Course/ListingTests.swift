import Foundation
import Testing

@testable import Lessons

@Suite("The listings of the course")
struct ListingTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/Lessons")

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

    @Test("are the files of code as they are compiled")
    func listings() throws {
        let files = try Self.texts("Code")
        #expect(files.count == Course.lessons.count)
        #expect(Listing.texts == files)
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
}
