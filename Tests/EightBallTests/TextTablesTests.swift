// The tables of texts, whole; the words for errors within errors; what the commands begin with where nothing is said;
// and what the page's program answers to each request that does not need a role.

import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable import ITCB
@testable import LoopbackWeb
@testable import eightball

@Suite("Tables of eightball")
struct TextTablesTests {
    @Test("Each language has each text, with as many places for values, and twenty answers")
    func tables() {
        let values = ["<1>", "<2>", "<3>"]
        for texts in Texts.all {
            for key in TextKey.allCases {
                RunRecord.note("\(texts.language) \(key.rawValue): \(texts(key, values))")
                #expect(texts(key) != key.rawValue)
                for value in values {
                    #expect(texts(key, values).contains(value) == Texts.english(key, values).contains(value))
                }
            }
            RunRecord.note("\(texts.language) \(texts.answers)")
            #expect(texts.answers.count == 20 && Set(texts.answers).count == 20)
        }
        #expect(Texts.all.map(\.language) == ["en", "de"])
    }

    @Test("An error has the advice of the error of Core Bluetooth within it, however deep that is")
    @MainActor
    func causes() throws {
        let pairing = ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([]))
        let cause = CBATTError(.insufficientAuthentication)
        let words = ErrorWords.words(for: cause, from: "Anna", pairing)
        #expect(words.hasPrefix("refused: "))
        let errors: [any Error] = [
            ITCB_Errors.coreBluetooth(cause), ITCB_Errors.sendFailed(cause), ITCB_Errors.unknown(cause),
            ITCB_RejectionReason.peripheralError(cause), ITCB_RejectionReason.unknown(cause),
            ITCB_Errors.sendFailed(ITCB_RejectionReason.peripheralError(cause)),
            ITCB_Errors.coreBluetooth(ITCB_Errors.unknown(ITCB_RejectionReason.unknown(cause))),
        ]
        for error in errors { #expect(ErrorWords.words(for: error, from: "Anna", pairing) == words, "\(error)") }
        // Without such an error there is no advice.
        let others: [any Error] = [
            ITCB_Errors.coreBluetooth(nil), ITCB_Errors.sendFailed(nil), ITCB_Errors.unknown(nil),
            ITCB_RejectionReason.deviceOffline, ITCB_RejectionReason.deviceBusy, ITCB_RejectionReason.questionPlease,
            ITCB_RejectionReason.peripheralError(nil), ITCB_RejectionReason.unknown(nil),
            ITCB_Errors.sendFailed(ITCB_RejectionReason.deviceBusy),
        ]
        for error in others {
            let plain = ErrorWords.words(for: error)
            RunRecord.note("\(error) \(plain)")
            #expect(ErrorWords.words(for: error, from: "Anna", pairing) == plain, "\(error)")
        }
    }

    @Test("What a command begins with where its options say nothing")
    func defaults() throws {
        let ball = try #require(try EightBall.parseAsRoot([]) as? EightBall)
        #expect(!ball.plain && !ball.output.format.isJSON && !ball.output.format.isVerbose)
        let demo = try #require(try EightBall.parseAsRoot(["demo"]) as? EightBall.Demo)
        #expect(demo.question == "Will it rain today?")
        let ask = try #require(try EightBall.parseAsRoot(["ask", "Rain?"]) as? EightBall.Ask)
        #expect(ask.question == "Rain?" && ask.device == nil && ask.timeout == 10)
        let web = try #require(try EightBall.parseAsRoot(["web"]) as? EightBall.Web)
        #expect(web.port == 0 && web.token == nil && web.ball.name == nil)
        #expect(web.ball.ballName == PeripheralSession.defaultName && web.ball.pairing.requirePairing == nil)
        let named = try #require(
            try EightBall.parseAsRoot(["peripheral", "--name", "Crystal"]) as? EightBall.Peripheral
        )
        #expect(named.ball.ballName == "Crystal")
    }

    @Test("What does not end with a question mark is not asked", arguments: ["Rain", "", "Rain? ", "?!"])
    func noQuestion(question: String) {
        #expect {
            var command = try EightBall.parseAsRoot(["ask", question])
            try command.run()
        } throws: { error in
            (error as? Failure)?.line
                == "a question must end with \"?\"; ask again with one: eightball ask \"Will it rain today?\""
        }
    }

    // MARK: The page

    /// What is answered, in words.
    @MainActor
    private static func answer(_ intent: WebRequest.Intent, _ path: String, languages: String = "") -> String {
        let session = WebSession(
            agent: ScreenPairingAgent(),
            name: "Crystal",
            output: OutputFormat(isJSON: false, isVerbose: false)
        )
        switch session.answer(WebRequest(intent: intent, path: path, languages: languages)) {
        case .content(let type, let octets): return "\(type): \(String(decoding: octets, as: UTF8.self))"
        case .events(let topic): return "events \(topic)"
        case .missing: return "missing"
        case .senseless: return "senseless"
        }
    }

    @Test("What can be got: the files, in the browser's language, and a stream of documents in each language")
    @MainActor
    func got() {
        for (languages, texts) in [("de", Texts.german), ("fr, en", Texts.english), ("", Texts.english)] {
            let page = Self.answer(.get, "", languages: languages)
            RunRecord.note(page)
            #expect(page == "text/html; charset=utf-8: " + String(decoding: WebFile.page.content(texts), as: UTF8.self))
            #expect(page.contains(texts(.webAnyAnswer)) && !page.contains("{{"))
        }
        for (path, file) in [("page.css", WebFile.style), ("page.js", WebFile.script), ("icon.svg", WebFile.icon)] {
            #expect(Self.answer(.get, path) == "\(file.type): \(String(decoding: file.octets, as: UTF8.self))")
            #expect(file.content(.german) == file.octets && !file.octets.isEmpty)
        }
        #expect(Self.answer(.get, "events/en") == "events en" && Self.answer(.get, "events/de") == "events de")
        for path in ["events/fr", "events/", "events", "do/en", "page.html", "/", "page.css/"] {
            #expect(Self.answer(.get, path) == "missing", "\(path)")
        }
    }

    @Test("What can be posted: what the page wants, in each language; what makes no sense is refused")
    @MainActor
    func posted() {
        let command = WebRequest.Intent.post(Array(#"{"do":"choose","ball":"x"}"#.utf8))
        for language in ["en", "de"] {
            #expect(Self.answer(command, "do/" + language) == #"application/json: {"hint":null}"#)
            #expect(Self.answer(.post([]), "do/" + language) == "senseless")
        }
        for path in ["do/fr", "do/", "do", "", "page.css", "events/en"] {
            #expect(Self.answer(command, path) == "missing", "\(path)")
            #expect(Self.answer(.post([]), path) == "missing", "\(path)")
        }
    }

    @Test("Why a page cannot be served, with what to do about it")
    @MainActor
    func failures() {
        let end = "or none for one that is free"
        for (failure, line) in [
            (.portInUse, "another program has port 80; choose another one with --port, " + end),
            (.portForbidden, "you may not use port 80; choose one from 1024 on, " + end),
            (.other("no"), "the page cannot be served: no"),
        ] as [(WebServer.Failure, String)] {
            #expect(WebSession.failure(failure, port: 80).line == line)
        }
        #expect(
            WebSession.failure(CancellationError(), port: 80).line == "the page cannot be served: CancellationError()"
        )
    }
}
