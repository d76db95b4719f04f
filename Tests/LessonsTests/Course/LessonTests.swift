import CommandLineTool
import CoreBluetoothTesting
import Testing

@testable import Lessons

extension Lesson: CustomTestStringConvertible {
    package var testDescription: String { "\(number) \(key)" }
}

@Suite("A lesson")
struct LessonTests {
    private static func lines(_ trace: [TimelineEntry]) -> [String] { TimelineFile.lines(trace) }

    @Test("runs, and its trace has the observations in order", arguments: Course.lessons)
    func runs(lesson: Lesson) throws {
        let lines = Self.lines(try lesson.run())
        #expect(lines.count > 20)
        var rest = lines[...]
        for observation in lesson.observations {
            let place = rest.firstIndex { $0.contains(observation.line) }
            guard let place else {
                Issue.record("\"\(observation.line)\" is not in the rest of:\n\(rest.joined(separator: "\n"))")
                return
            }
            rest = rest[(place + 1)...]
        }
        #expect(lesson.observations.count >= 3)
    }

    @Test(
        "has a question that a run answers",
        arguments: zip(
            Course.lessons,
            [
                "-71", "1", "The Oracle", "0x0E", "720", "3", "6", "didDisconnectPeripheral", "willRestoreState",
                "0x08",
                "0x04",
            ]
        )
    )
    func answer(lesson: Lesson, answer: String) throws {
        let found = try #require(try lesson.answer())
        #expect(found == answer)
        #expect(Lesson.isSame(" " + answer.uppercased() + ". ", as: found))
        for wrong in lesson.question.wrongAnswers { #expect(!Lesson.isSame(wrong, as: found)) }
        #expect(lesson.question.wrongAnswers.count == 2)
    }

    @Test(
        "understands units, spaces and other minus signs",
        arguments: [
            ("720 ms", "720", true), ("720ms", "720", true), ("0.72 s", "720", true), ("-71 dBm", "-71", true),
            ("\u{2212} 71 dBm.", "-71", true), ("71 dBm", "-71", false), ("0x0E", "0E", true), ("5 packets", "5", true),
            ("072", "720", false), ("0", "00", true), ("didConnect", "didDisconnect", false), ("", "0", false),
        ]
    )
    func units(answer: String, right: String, isSame: Bool) {
        #expect(Lesson.isSame(answer, as: right) == isSame)
    }

    @Test("has the same trace each time, and a different one with each change", arguments: Course.lessons)
    func experiments(lesson: Lesson) throws {
        let plain = try lesson.run()
        #expect(try lesson.run() == plain)
        for experiment in lesson.experiments {
            let changed = try lesson.run(trying: experiment.name)
            #expect(changed.map(\.text) != plain.map(\.text), "\(experiment.name)")
        }
        #expect(!lesson.experiments.isEmpty)
        let known = lesson.experiments.map(\.name)
        if let name = lesson.question.experiment { #expect(known.contains(name)) }
    }

    @Test("reports every entry as it comes")
    func reports() throws {
        var reported: [TimelineEntry] = []
        let trace = try Lesson.central.run { reported.append($0) }
        #expect(reported == trace)
        #expect(trace.map(\.time) == trace.map(\.time).sorted())
    }

    @Test("is found by its number, from 1, and its name")
    func course() {
        #expect(Course.lessons.map(\.number) == Array(1...11))
        for lesson in Course.lessons {
            #expect(Course.lesson("\(lesson.number)")?.key == lesson.key)
            #expect(Course.lesson(lesson.key.uppercased())?.number == lesson.number)
        }
        #expect(Course.lesson("99") == nil && Course.lesson("") == nil)
    }

    // MARK: The texts of lessons

    @Test("does not connect to a ball that is too far away")
    func far() throws {
        let trace = try Lesson.central.run(trying: "far")
        #expect(!trace.contains { $0.text.hasPrefix("connect(") })
    }

    @Test("ends each question once, and never takes a late answer for that to another question")
    func errors() throws {
        let trace = try Lesson.errors.run(trying: "away")
        let shown = trace.filter { $0.kind == .app && $0.layer == "app" }.map(\.text)
        #expect(shown == ["offline", "answer: Yes."])
        let usual = try Lesson.errors.run().filter { $0.kind == .app && $0.layer == "app" }.map(\.text)
        #expect(usual == ["questionPlease", "busy", "noAnswer"])
    }

    @Test("loses a connection one supervision timeout after its last packet")
    func supervision() throws {
        let trace = try Lesson.errors.run(trying: "away")
        let left = try #require(trace.first { $0.text.hasPrefix("moves to 1000") })
        let lost = try #require(trace.first { $0.text.hasPrefix("didDisconnectPeripheral") })
        #expect((700_000...800_000).contains(lost.time - left.time))
    }

    @Test("gives an answer in private to the device that asked")
    func inPrivate() throws {
        let trace = try Lesson.devices.run(trying: "private")
        let notifications = trace.filter { $0.kind == .received && $0.text.hasPrefix("Notification") }
        #expect(notifications.map(\.device) == ["phone", "tablet"])
        let everybody = try Lesson.devices.run(trying: "everybody")
        #expect(everybody.count { $0.device == "phone" && $0.text == "answer: Yes." } == 2)
    }

    @Test("delivers nothing to an app without its background mode until it is opened")
    func withoutBackgroundMode() throws {
        let trace = try Lesson.background.run(trying: "no-mode")
        let left = try #require(trace.firstIndex { $0.text.contains("is suspended") })
        let opened = try #require(trace.lastIndex { $0.text.contains("is in the foreground") })
        #expect(left < opened && !trace[left..<opened].contains { $0.kind == .callback && $0.device == "phone" })
    }

    @Test("does not launch an app that the user has ended")
    func forceQuit() throws {
        let trace = try Lesson.restoration.run(trying: "force-quit")
        #expect(!trace.contains { $0.text.contains("is launched by the system") })
        #expect(trace.count { $0.text.hasPrefix("message: ") } == 1)
    }

    @Test("rejects a recorded response, and sends the secret in no packet")
    func replay() throws {
        let trace = try Lesson.lock.run(trying: "replay")
        #expect(trace.count { $0.text == "the door is open" } == 1)
        let secret = "sesame".utf8.map { String($0, radix: 16, uppercase: true) }.joined()
        #expect(!trace.contains { $0.text.contains("sesame") || $0.text.contains(secret) })
    }

    @Test("makes a new challenge of sixteen octets each time")
    func challenges() {
        let world = World(seed: 1)
        let lock = world.addDevice("lock").run { DoorLock(secret: "sesame") }
        let challenges = (0..<100).map { _ in lock.makeChallenge() }
        #expect(challenges.allSatisfy { $0.count == 16 })
        #expect(Set(challenges).count == 100)
        withExtendedLifetime(world) {}
    }

    @Test("fails the write after a wrong code, without an answer")
    func wrongCode() throws {
        let trace = try Lesson.pairing.run(trying: "wrong-code")
        #expect(!trace.contains { $0.text.hasPrefix("answer: ") })
        #expect(trace.contains { $0.text == "error: Authentication is insufficient." })
    }

    @Test("puts pieces together, and rejects pieces of no message")
    func pieces() throws {
        let message = ["Hello": String(repeating: "Darkness", count: 100)]
        for limit in [1, 2, 20, 512, 4096] {
            var pieces = Pieces()
            let cut = try Pieces.cut(message, limit: limit)
            #expect(cut.allSatisfy { $0.count <= max(2, limit) })
            let whole = cut.compactMap { pieces.take($0) }
            #expect(whole == [message])
        }
        var pieces = Pieces()
        for octets in [[], [0], [0, 1, 2], [1], [9, 9]] { #expect(pieces.take(.init(octets.map(UInt8.init))) == nil) }
        for _ in 0..<100 { #expect(pieces.take(.init(repeating: 1, count: 100)) == nil) }
        // A message that was too long ends with its last piece.
        #expect(pieces.take(.init([0])) == nil)
        #expect(try Pieces.cut(message, limit: 512).compactMap { pieces.take($0) } == [message])
    }
}
