// What is printed behind a lesson.

import Fixtures
import Foundation
import Lessons
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("What is printed of a lesson")
struct LessonOutputTests {
    @Test("Each lesson but the last one says which comes next, and none does in JSON", arguments: [false, true])
    func next(isJSON: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { [isJSON] in
            let output = LessonOutput(isJSON: isJSON)
            for lesson in Course.lessons { output.ways(lesson) }
            exit(0)
        }
        let lines = try #require(result).lines.filter { $0.hasPrefix("The next lesson: ") }
        let numbers = Course.lessons.indices.dropFirst().map { $0 + 1 }
        #expect(lines == (isJSON ? [] : numbers.map { "The next lesson: corebluetooth learn \($0)" }))
    }
}
