import Foundation
import Testing

@testable import eightball

extension Programs {
    @Suite("eightball in a terminal")
    struct EightBallScreenProgramTests {
        let testbed: ProcessTestbed

        init() throws { testbed = try ProcessTestbed() }

        private func start(
            _ arguments: String...,
            columns: Int = 80,
            environment: [String: String] = [:]
        ) throws -> ScreenProcess {
            try ScreenProcess("eightball", arguments, in: testbed, columns: columns, environment: environment)
        }

        private func startCentral(_ identity: String, columns: Int = 80) throws -> ScreenProcess {
            let central = try start("--identity", identity, columns: columns)
            try central.row(with: "▸ 1  Central")
            central.type("1")
            try central.row(with: "dBm")
            return central
        }

        /// Waits for one of the twenty answers on the screen.
        private func answer(on process: ScreenProcess) throws -> String {
            var answer: String?
            try eventually("an answer") {
                let screen = process.screen.joined(separator: "\n")
                answer = Texts.english.answers.filter { screen.contains($0) }.max { $0.count < $1.count }
                return answer != nil
            }
            return answer ?? ""
        }

        @Test("A question and its answer are shown on both screens, and a ball that ends is reported")
        func question() throws {
            let ball = try start()
            try ball.row(with: "▸ 1  Central")
            ball.type("\u{1B}[B\r")
            try ball.row(with: "is a Magic 8-Ball now")
            let central = try startCentral("asker", columns: 40)
            central.type("Will it rain?")
            try central.row(with: "Question: Will it rain?")
            #expect(central.isCursorShown)
            central.type("\r")
            let answer = try answer(on: central)
            try ball.row(with: "Will it rain?")
            try ball.row(with: answer)
            // The last question is an arrow away.
            central.type("\u{1B}[A")
            try central.row(with: "Question: Will it rain?")
            ball.send(SIGTERM)
            #expect(try ball.end() == 0)
            try central.row(with: "Looking for 8-balls")
            central.type("\u{3}")
            #expect(try central.end() == 130)
        }

        @Test(
            "The code of a pairing is asked for on the screen and in the line of line mode",
            arguments: [false, true]
        )
        func pairing(isPlain: Bool) throws {
            let ball = try testbed.ball("Crystal", "--identity", "ball", "--require-pairing", "passkey")
            let central: ScreenProcess
            if isPlain {
                central = try start("--plain", "--identity", "asker")
                try central.row(with: "Central or Peripheral (1 or 2")
                central.type("1\r")
                try central.row(with: "[1] Crystal is here.")
            } else {
                central = try startCentral("asker")
            }
            central.type("Is it open?\r")
            try central.row(
                with: isPlain ? "Six digits that \"Crystal\" shows:" : "Crystal shows a code. Enter it here"
            )
            central.type(try ball.code() + "\r")
            try ball.line(with: "Is it open? -> \(try answer(on: central))")
        }

        @Test(
            "The terminal is restored on every way out",
            arguments: [
                ([], "q", nil, 0), ([], "\u{3}", nil, 130), ([], nil, SIGTERM, 0), ([], nil, SIGSEGV, -SIGSEGV),
                (["--plain"], "\u{4}", nil, 0), (["--plain"], nil, SIGSEGV, -SIGSEGV),
            ] as [([String], String?, Int32?, Int32)]
        )
        func waysOut(options: [String], keys: String?, signal: Int32?, status: Int32) throws {
            let process = try ScreenProcess("eightball", options, in: testbed)
            try process.row(with: options.isEmpty ? "▸ 1  Central" : "(1 or 2, q to quit)?")
            #expect(process.isFullScreen == options.isEmpty && !process.isRestored)
            if let keys { process.type(keys) }
            if let signal { process.send(signal) }
            #expect(try process.end() == status)
            try eventually("the terminal as it was") { !process.isFullScreen && process.isRestored }
            #expect(process.isCursorShown)
        }

        @Test("Texts follow the locale, colours NO_COLOR, and the layout the size of the terminal")
        func environment() throws {
            let german = try start(environment: ["LANG": "de_AT.UTF-8"])
            try german.row(with: "Was möchtest du sein?")
            try eventually("colours") { german.hasColors || german.isFullScreen }
            let plain = try start("--identity", "plain", environment: ["NO_COLOR": "1"])
            try plain.row(with: "▸ 1  Central")
            plain.resize(rows: 10, columns: 40)
            try eventually("the smaller screen") { plain.screen.last?.contains("Ctrl-C quit") == true }
            #expect(plain.screen.count == 10 && !plain.hasColors)
        }
    }
}
