import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import Lessons

@Suite("The package of a lesson")
struct LessonPackageTests {
    private static let clone = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func isLink(_ url: URL) throws -> Bool {
        try url.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true
    }

    private func files(of folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
            var isFolder: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: "\(folder)/\($0)", isDirectory: &isFolder)
            return isThere && !isFolder.boolValue
        }
        .sorted()
    }

    @Test("has a copy of the code, and everything else of the clone by links", arguments: Course.lessons)
    func make(lesson: Lesson) throws {
        let folder = try TemporaryFolder()
        let parent = URL(fileURLWithPath: folder.path)
        let package = try LessonPackage(lesson, clonedAbove: [Self.clone.appending(path: "Tests")], in: parent)
        try package.make()

        let edited = parent.appending(path: package.file)
        let original = Self.clone.appending(path: "Sources/Lessons/Code/\(lesson.file)")
        #expect(try Data(contentsOf: edited) == Data(contentsOf: original))
        let code = edited.deletingLastPathComponent()
        #expect(try files(of: code.path) == files(of: original.deletingLastPathComponent().path))
        for file in try files(of: code.path) { #expect(try !isLink(code.appending(path: file)), "\(file)") }

        for path in ["Package.swift", "Sources/CoreBluetooth", "Sources/Lessons/Texts", "Sources/Lessons/main.swift"] {
            let place = package.folder.appending(path: path)
            #expect(try isLink(place) && place.resolvingSymlinksInPath() == Self.clone.appending(path: path), "\(path)")
        }
        for path in ["Sources", "Sources/Lessons"] {
            let (own, theirs) = (package.folder.appending(path: path), Self.clone.appending(path: path))
            let names = try FileManager.default.contentsOfDirectory(atPath: own.path).sorted()
            #expect(try names == FileManager.default.contentsOfDirectory(atPath: theirs.path).sorted(), "\(path)")
        }
        // What the program shows of the code is embedded by this link.
        let listing = package.folder.appending(path: "Sources/Lessons/Listings/\(lesson.file)")
        #expect(listing.resolvingSymlinksInPath() == edited.resolvingSymlinksInPath())

        // A package is no clone: the next one is made from the same clone.
        let next = try LessonPackage(Course.lessons[0], clonedAbove: [code], in: URL(fileURLWithPath: folder("next")))
        try FileManager.default.createDirectory(atPath: folder("next"), withIntermediateDirectories: true)
        try next.make()
        let manifest = try FileManager.default.destinationOfSymbolicLink(
            atPath: next.folder.appending(path: "Package.swift").path
        )
        #expect(manifest == Self.clone.appending(path: "Package.swift").path)
        withExtendedLifetime(folder) {}
    }

    @Test("replaces no folder, and says where a clone is needed")
    func refusals() throws {
        let folder = try TemporaryFolder()
        let parent = URL(fileURLWithPath: folder.path)
        let package = try LessonPackage(.central, clonedAbove: [parent, Self.clone], in: parent)
        try package.make()
        try Data("changed".utf8).write(to: parent.appending(path: package.file))
        let failure = #expect(throws: Failure.self) { try package.make() }
        #expect(failure?.line == "lesson-1 exists; change the code in it, or remove it to begin again")
        #expect(try Data(contentsOf: parent.appending(path: package.file)) == Data("changed".utf8))
        let none = #expect(throws: Failure.self) { try LessonPackage(.central, clonedAbove: [parent], in: parent) }
        #expect(none?.line.hasSuffix("in a clone, run: swift run corebluetooth-learn --edit 1") == true)
        withExtendedLifetime(folder) {}
    }
}
