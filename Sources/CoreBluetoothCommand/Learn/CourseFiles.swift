// The files of the repository that are made of the lessons, written by docs/lessons/make.

import CommandLineTool
import Foundation
import Lessons

/// The files of the course in the repository.
struct CourseFiles {
    /// The repository's folder.
    let repository: String

    /// Writes them anew; a page of a lesson that is no more is removed.
    func write() throws {
        let lessons = URL(fileURLWithPath: repository).appendingPathComponent("Sources/Lessons")
        let code = lessons.appendingPathComponent("Code")
        let catalogue = lessons.appendingPathComponent("Lessons.docc")
        do {
            var files: [String: String] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: code.path) {
                files[name] = try String(contentsOf: code.appendingPathComponent(name), encoding: .utf8)
            }
            let pages = try CoursePages.pages(of: files)
            for name in try FileManager.default.contentsOfDirectory(atPath: catalogue.path)
            where pages[name] == nil && !name.hasSuffix(".md") {
                try FileManager.default.removeItem(at: catalogue.appendingPathComponent(name))
            }
            for (name, text) in pages { try Data(text.utf8).write(to: catalogue.appendingPathComponent(name)) }
        } catch {
            throw Failure("cannot write the course: \(error)")
        }
    }
}
