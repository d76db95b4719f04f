// `corebluetooth learn --edit LESSON`: a package in which the learner changes the code of the course. It is the package
// of a clone by symbolic links, except for the folder with the code, which is copied. So it runs the changed code with
// the same trace, changes and question, and the clone stays as it is.

import CommandLineTool
import Foundation

/// The package of a lesson.
struct LessonPackage {
    private static let code = "Sources/Lessons/Code"

    /// The clone of OpenCoreBluetooth.
    private let clone: URL
    /// The folder of the package.
    let folder: URL
    private let lesson: Lesson

    /// The file that the lesson explains.
    var file: String { "\(folder.lastPathComponent)/\(Self.code)/\(lesson.file)" }

    /// - Parameters:
    ///   - places: Where a clone is looked for, in these folders and above them.
    ///   - parent: The folder in which the package is made.
    /// - Throws: ``Failure`` if there is no clone.
    init(_ lesson: Lesson, clonedAbove places: [URL], in parent: URL) throws {
        guard let clone = places.lazy.compactMap(Self.clone).first else {
            throw Failure(
                "there is no clone of OpenCoreBluetooth here, from which the lesson is built; "
                    + "in a clone, run: swift run corebluetooth-learn --edit \(lesson.number)"
            )
        }
        self.clone = clone
        self.lesson = lesson
        folder = parent.appending(path: "lesson-\(lesson.number)")
    }

    /// The clone that contains a place; that from which the package was made if the place is in such a package.
    private static func clone(above place: URL) -> URL? {
        var folder = place.standardizedFileURL
        while folder.path != "/" {
            if FileManager.default.fileExists(atPath: folder.appending(path: code).path) {
                return folder.appending(path: "Package.swift").resolvingSymlinksInPath().deletingLastPathComponent()
            }
            folder = folder.deletingLastPathComponent()
        }
        return nil
    }

    /// Makes the package.
    ///
    /// - Throws: ``Failure`` if the folder exists or cannot be written.
    func make() throws {
        guard !FileManager.default.fileExists(atPath: folder.path) else {
            throw Failure("\(folder.lastPathComponent) exists; change the code in it, or remove it to begin again")
        }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            // SwiftPM may rewrite the versions.
            try copy("Package.resolved")
            try link(["Package.swift", "Tests"])
            try link(try entries(of: "Sources").filter { $0 != "Sources/Lessons" })
            try link(try entries(of: "Sources/Lessons").filter { $0 != Self.code && !$0.hasSuffix("/Listings") })
            try copy(Self.code)
            try link("Sources/Lessons/Listings", to: "Code")
        } catch {
            throw Failure("cannot make \(folder.path): \(error.localizedDescription)")
        }
    }

    private func entries(of path: String) throws -> [String] {
        try FileManager.default.createDirectory(at: folder.appending(path: path), withIntermediateDirectories: true)
        return try FileManager.default.contentsOfDirectory(atPath: clone.appending(path: path).path)
            .map { "\(path)/\($0)" }
    }

    private func copy(_ path: String) throws {
        try FileManager.default.copyItem(at: clone.appending(path: path), to: folder.appending(path: path))
    }

    private func link(_ paths: [String]) throws {
        for path in paths { try link(path, to: clone.appending(path: path).path) }
    }

    private func link(_ path: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: path).path,
            withDestinationPath: destination
        )
    }
}
