// The lessons whose questions a person has answered: their names in a file of the user's own, a line each.

import BluetoothTransport
import CommandLineTool

/// What a person has done of the course.
struct LessonProgress {
    /// The most octets of a file that was written by this.
    private static let maximumLength = 4096

    /// The file; `nil` if there is no folder for what lasts.
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

    /// Keeps that the question of a lesson is answered.
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
