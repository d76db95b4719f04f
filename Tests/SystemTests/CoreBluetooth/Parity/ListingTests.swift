// The listings of the course, as a reader copies them: the compiler takes them in both language modes.

import Foundation
import Lessons
import Testing

#if os(Linux)
@Suite("Listings that readers copy")
struct ListingTests {
    private static func errors(in program: String, version: Int) throws -> [Int: [String]] {
        try Compiler.errors(in: program, version: version, arguments: ["-parse-as-library"])
    }

    @Test("of a lesson compile in Swift 5 and 6, the first one alone and all together", arguments: Course.lessons)
    func lessons(lesson: Lesson) throws {
        let parts = lesson.steps.map { lesson.code(of: $0) }
        for program in Set([parts[0], parts.joined(separator: "\n\n")]) {
            for version in [5, 6] {
                #expect(try Self.errors(in: program, version: version) == [:], "Swift \(version)")
            }
        }
    }
}
#endif
