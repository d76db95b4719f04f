import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("eightball demo")
struct DemoSessionTests {
    /// The demonstration on two devices of a world; the first of them is the ball.
    @MainActor
    private static func demo(
        _ question: String = "Will it rain?",
        isJSON: Bool = false,
        isTraced: Bool = false,
        _ arrange: @MainActor (World) -> Void = { _ in }
    ) throws -> SessionRun {
        var run = SessionRun()
        if isTraced { try Timeline.begin(.lines, device: "eightball") }
        run.startDemo(question, isJSON: isJSON, arrange)
        run.mark("before the time is up", at: 9.999)
        run.mark("behind it", at: 10.001)
        return run
    }

    /// The headings, in their order.
    private static let headings = [
        "Power on", "The central finds the ball", "The central explores the ball", "A question, and its answer",
    ]

    @Test("prints each heading once before its steps, and each step with its time")
    func steps() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            try await DemoSessionTests.demo().passMinute()
        }
        #expect(process.errorLines.isEmpty)
        let lines = process.lines
        #expect(lines.filter { Self.headings.contains($0) } == Self.headings)
        #expect(
            lines.first
                == "The life of one question to a Magic 8-Ball, on a private air. Every line is printed as it "
                + "happens."
        )
        for heading in Self.headings {
            let index = try #require(lines.firstIndex(of: heading))
            #expect(lines[index - 1].isEmpty && !lines[index + 1].isEmpty)
        }
        #expect(lines[3] == "    0.00 ms  ball     Bluetooth is powered on")
        let steps = lines.compactMap { $0.wholeMatch(of: #/ *([0-9]+\.[0-9]{2}) ms  (ball   |central)  .+/#)?.output.1 }
        #expect(steps.count == lines.count - 12)
        let times = steps.compactMap { Double($0) }
        #expect(times == times.sorted() && times.last.map { $0 > 100 && $0 < 10_000 } == true)
        #expect(lines.suffix(3).first?.isEmpty == true && lines.suffix(2).first == "Question: Will it rain?")
        #expect(lines.last?.hasPrefix("Answer:   ") == true)
    }

    @Test("prints only objects in JSON, one for each step and one for the answer")
    func json() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            try await DemoSessionTests.demo(isJSON: true).passMinute()
        }
        let objects = try result.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(objects.dropLast().allSatisfy { $0["event"] as? String == "step" })
        #expect(objects.last?["event"] as? String == "answer")
        #expect(objects.first?["who"] as? String == "ball" && objects.first?["step"] as? String == "state")
        for object in objects.dropLast() {
            let time = try #require(object["milliseconds"] as? Double)
            #expect((time * 1000 - (time * 1000).rounded()).magnitude < 1e-6)
        }
    }

    @Test("traces calls and packets on standard error, without the printed lines")
    func trace() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            try await DemoSessionTests.demo(isTraced: true).passMinute()
        }
        #expect(!process.errorLines.contains { line in Self.headings.contains { line.contains($0) } })
        #expect(
            !process.errorLines.contains { $0.contains("Will it rain? ") || $0.contains("Bluetooth is powered on") }
        )
        #expect(process.lines.filter { Self.headings.contains($0) } == Self.headings)
    }

    @Test("ends at once if the question is refused")
    func refused() async throws {
        let process = try await #require(processExitsWith: .exitCode(1), observing: .outputs) {
            try await DemoSessionTests.demo("Rain").passMinute()
        }
        #expect(process.errorLines == ["\"Crystal\" refused: a question must end with \"?\""])
        #expect(!process.lines.contains("before the time is up"))
    }

    @Test("ends after ten seconds without an answer")
    func late() async throws {
        let process = try await #require(processExitsWith: .exitCode(1), observing: .outputs) {
            try await DemoSessionTests.demo { world in world["central"]?.distance = 1000 }.passMinute()
        }
        #expect(process.errorLines == ["the ball did not answer within 10 s; run it again with --json and report it"])
        #expect(process.lines.last == "before the time is up")
    }

    @Test("ends at once if the ball loses its adapter, with 1 and the reason")
    func lostAdapter() async throws {
        let process = try await #require(processExitsWith: .exitCode(1), observing: .outputs) {
            let run = try await DemoSessionTests.demo { world in world["central"]?.distance = 1000 }
            run.mark("- 4.9", at: 4.9)
            run.mark("- 5.1", at: 5.1)
            let ball = run.world["ball"]
            run.world.after(.seconds(5)) { ball?.isPowered = false }
            run.passMinute()
        }
        #expect(process.lines.contains("- 4.9") && !process.lines.contains("- 5.1"))
        #expect(process.errorLines == ["the ball Bluetooth is not available"])
    }
}
