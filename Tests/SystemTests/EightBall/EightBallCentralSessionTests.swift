import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
@preconcurrency import ITCB
import SessionTestbed
import Testing

@testable import eightball

@Suite("eightball central and peripheral")
struct EightBallCentralSessionTests {
    @Test("keeps a question, and the lines after it, for ten seconds if there is no ball")
    func withoutBall() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            var run = SessionRun()
            try run.startCentral("1 list; 1 use 0; 1 use 2; 2 Will it rain?; 2 ; 2 1 Is it?; 2 quit")
            run.mark("before ten seconds", at: 11.999)
            run.mark("before ten seconds more", at: 21.99)
            run.passMinute()
        }
        #expect(process.errorLines.isEmpty)
        #expect(
            process.lines == [
                "Looking for Magic 8-Balls; \"help\" lists the commands.", "No ball has been found yet.",
                "There is no ball 0; \"list\" lists those that were found.", "Questions go to ball 2.",
                "Waiting for ball 2...", "before ten seconds", "ball 2 is not here.", "Waiting for ball 1...",
                "before ten seconds more", "ball 1 is not here.",
            ]
        )
    }

    @Test("numbers balls for good, waits for a lost one, and asks it when it is back")
    func balls() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            var run = SessionRun()
            try run.startCentral("5 list; 5 use 3; 5 use 2; 6 Is it a question; 12 Will it rain?; 40 quit")
            for name in ["Anna", "Crystal"] { run.addBall(name) }
            let ball = run.world["Crystal"]
            ball?.isPowered = false
            for (seconds, isPowered) in [(2.0, true), (8, false), (20, true)] {
                run.world.after(.seconds(seconds)) { ball?.isPowered = isPowered }
            }
            for (seconds, line) in [(8.0, "off"), (12, "asked"), (20, "on")] { run.mark(line, at: seconds) }
            run.passMinute()
        }
        #expect(process.errorLines.isEmpty)
        #expect(
            process.lines.dropLast() == [
                "Looking for Magic 8-Balls; \"help\" lists the commands.", "[1] Anna is here.", "[2] Crystal is here.",
                "[1] Anna", "[2] Crystal", "There is no ball 3; \"list\" lists those that were found.",
                "Questions go to [2] Crystal.", "[2] Crystal refused: a question must end with \"?\".", "off",
                "[2] Crystal went offline.", "Waiting for [2] Crystal...", "asked", "on", "[2] Crystal is here.",
            ]
        )
        let answer = try #require(process.lines.last?.wholeMatch(of: #/\[2\] Crystal: (.*)/#)?.1)
        #expect(Texts.english.answers.contains(String(answer)))
    }

    @Test("prints an object for each event in JSON, and ends after the last question")
    func json() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            var run = SessionRun()
            try run.startCentral("5 help; 5 use 9; 5 1 Will it rain?; 5 7 Is it?; 5 end", isJSON: true)
            run.addBall("Anna")
            run.passMinute()
        }
        #expect(process.errorLines.isEmpty)
        let objects = try process.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["event"] as? String } == ["found", "error", "asked", "answer", "error"])
        #expect(objects.map { $0["ball"] as? Int } == [1, 9, 1, 1, 7])
        #expect(objects[4]["error"] as? String == "ITCB-SDK-REJECT-OFFLINE")
        #expect(objects[4]["question"] as? String == "Is it?")
    }

    @Test("N2 waits a minute for an answer, and does not call a ball that is there offline", arguments: [50.0, 300])
    func person(seconds: Double) async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor [seconds] in
            var run = SessionRun()
            run.addPerson("Anna", after: seconds)
            try run.startCentral("1 Will it rain?; 1 quit")
            run.world.advance(by: .seconds(60))
            run.passMinute()
        }
        #expect(process.errorLines.isEmpty)
        let words = seconds < 60 ? "[1] Anna: It is certain." : "[1] Anna is there, but did not answer in time."
        #expect(process.lines.last == words)
    }

    @Test("reports errors of the ball and of answers")
    func ballErrors() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            let run = SessionRun()
            try run.world.addDevice("ball").run {
                let session = EightBallPeripheralSession(
                    name: "Anna",
                    output: OutputFormat(isJSON: false, isVerbose: true)
                )
                let sdk = try #require(ITCB_SDK.createInstance(isCentral: false))
                for reason in [nil, ITCB_RejectionReason.deviceOffline] {
                    for error in [ITCB_Errors.coreBluetooth(reason), .sendFailed(reason), .unknown(reason)] {
                        session.errorOccurred(error, sdk: sdk)
                    }
                }
            }
            exit(0)
        }
        let lines = process.errorLines
        #expect(lines.count == 6)
        #expect(lines[0].hasSuffix("ball waits for Bluetooth") && lines[3].hasSuffix("the ball went offline"))
        #expect(lines[4].hasSuffix("an answer was lost: the central went offline"))
    }
}
