import Fixtures
import Foundation
import Testing

@testable import Lessons

@Suite("A user's progress in the course")
struct LessonProgressTests {
    @Test("is private to the user, and names the first lesson that is not answered")
    func kept() throws {
        let folder = try TemporaryFolder()
        func progress() -> LessonProgress {
            LessonProgress { $0 == "XDG_STATE_HOME" ? folder.path : nil }
        }
        #expect(progress().answered.isEmpty && progress().next?.key == Course.lessons[0].key)
        var first = progress()
        first.add(Course.lessons[0])
        first.add(Course.lessons[2])
        #expect(progress().answered == [Course.lessons[0].key, Course.lessons[2].key])
        #expect(progress().next?.key == Course.lessons[1].key)
        for lesson in Course.lessons { first.add(lesson) }
        #expect(progress().next == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder("corebluetooth/lessons"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        // A lesson that was removed does not count.
        try Data("nothing\n\(Course.lessons[1].key)\n".utf8)
            .write(to: URL(fileURLWithPath: folder("corebluetooth/lessons")))
        #expect(progress().answered == [Course.lessons[1].key])
        withExtendedLifetime(folder) {}
    }
}
