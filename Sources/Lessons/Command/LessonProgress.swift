// The lessons whose questions the user has answered: their names, one per line, in a private file.

import BluetoothTransport
import CommandLineTool

/// A user's progress in the course.
struct LessonProgress {
    /// The most octets that are read of the file.
    private static let maximumLength = 4096

    /// The file; `nil` if there is no state folder.
    private let path: String?
    /// The names of the lessons whose questions were answered.
    private(set) var answered: Set<String>

    init(environment: (String) -> String? = PrivateFolder.environment) {
        path = (try? PrivateFolder.state(environment: environment).path).map { "\($0)/lessons" }
        let octets = path.flatMap { try? PrivateFile.read($0, limit: Self.maximumLength) } ?? []
        answered = Set(String(decoding: octets, as: UTF8.self).split(separator: "\n").map(String.init))
            .intersection(Course.lessons.map(\.key))
    }

    /// The first lesson whose question is not answered; `nil` if all are.
    var next: Lesson? { Course.lessons.first { !answered.contains($0.key) } }

    /// Records that the question of a lesson is answered.
    mutating func add(_ lesson: Lesson) {
        guard answered.insert(lesson.key).inserted, let path else { return }
        let text = Course.lessons.filter { answered.contains($0.key) }.map { $0.key + "\n" }.joined()
        do {
            try PrivateFile.replace(path, with: Array(text.utf8), durability: .endOfProcess)
        } catch {
            Console.inform("the progress is not kept: \(error)")
        }
    }
}
