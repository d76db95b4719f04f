// Words that follow from values, on record: each step, each error, lines of the central, languages, requests of the page.

import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable @_spi(Steps) import ITCB
@testable import eightball

@Suite("Words on record")
struct WordsOnRecordTests {
    @Test("What a ball refuses for want of security is one sentence with the advice")
    @MainActor
    func refusals() throws {
        let pairing = ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([]))
        for code in [CBATTError.Code.insufficientEncryption, .insufficientAuthentication, .insufficientAuthorization] {
            let error = ITCB_Errors.coreBluetooth(CBATTError(code))
            let words = ErrorWords.words(for: error, from: "Anna", pairing)
            // The rest depends on whether somebody can be asked here.
            #expect(words.hasPrefix("refused: ") && words.contains("; ") && !words.contains(".;"), "\(words)")
        }
    }

    @Test("A chapter has its heading once, also where a step of it comes late")
    func headings() {
        var headings = ChapterHeadings()
        let chapters: [StepWords.Chapter] = [.powerOn, .powerOn, .finding, .powerOn, .finding, .asking, .exploring]
        let shown = chapters.map { headings.heading(before: $0) }
        #expect(
            shown == [
                StepWords.Chapter.powerOn.heading, nil, StepWords.Chapter.finding.heading, nil, nil,
                StepWords.Chapter.asking.heading, nil,
            ]
        )
    }

    @Test("Each step has its words, its key and its chapter")
    func steps() {
        var steps: [ITCB_SDK_Step] = [
            .serviceAdded, .scanning, .discoveringServices, .discoveringCharacteristics, .subscribed(central: "A"),
            .unsubscribed(central: "A"), .signalRead(uuid: "A", rssi: -40),
            .discovered(name: nil, rssi: -40, isOffered: false),
            .stateChanged(isPoweredOn: true, state: "poweredOn"), .stateChanged(isPoweredOn: false, state: "resetting"),
        ]
        steps += [0, 1, 2].flatMap { [.discoveredServices(count: $0), .discoveredCharacteristics(count: $0)] }
        for text in ["Crystal", "a \"b\"\u{1B}", ""] {
            steps += [
                .advertising(name: text), .connecting(name: text), .connected(name: text),
                .connectionFailed(name: text),
            ]
            steps += [.lost(name: text), .ready(name: text), .sendingQuestion(text), .writingQuestion(text)]
            steps += [.questionConfirmed(text), .questionRefused(text), .answerReceived(text), .answerWaiting(text)]
            steps += [.answerSent(text), .discovered(name: text, rssi: -61, isOffered: false)]
            for isOn in [true, false] {
                steps += [
                    .discovered(name: text, rssi: -60, isOffered: isOn), .questionReceived(text, isAccepted: isOn),
                ]
                steps += [.settingNotifications(isOn: isOn), .setNotifications(isOn: isOn)]
            }
        }
        for step in steps {
            let words = StepWords(step)
            RunRecord.note("\(step) \(words.key) \(words.text) \(words.chapter.rawValue) \(words.chapter.heading)")
            #expect(!words.key.isEmpty && !words.text.isEmpty)
        }
    }

    @Test("Each error has its words in both languages, and the key of its innermost reason")
    func errors() {
        let other: [(any Error)?] = [nil, CBATTError(.invalidPdu), CBError(.connectionTimeout)]
        var reasons: [any Error] = [ITCB_RejectionReason.deviceOffline, ITCB_RejectionReason.deviceBusy]
        reasons.append(ITCB_RejectionReason.questionPlease)
        for error in other {
            reasons +=
                [ITCB_RejectionReason.peripheralError(error), ITCB_RejectionReason.unknown(error)] as [any Error]
        }
        let inner = reasons.map { Optional($0) } + other
        var errors = reasons
        for error in inner {
            errors +=
                [ITCB_Errors.coreBluetooth(error), ITCB_Errors.sendFailed(error), ITCB_Errors.unknown(error)]
                as [any Error]
        }
        errors += inner.map { ITCB_Errors.sendFailed(ITCB_Errors.coreBluetooth($0)) } as [any Error]
        for error in errors {
            let words = Texts.all.map { $0(ErrorWords.text(for: error)) }
            RunRecord.note("\(words) \(ErrorWords.key(for: error)) \(ErrorWords.words(for: error))")
            #expect(!ErrorWords.key(for: error).isEmpty)
        }
    }

    @Test("Lines of the central: commands, questions with a number and without")
    func lines() {
        let words = [
            "", " ", "list", "LIST", "help", "?", "quit", "q", "exit", "use", "use 1", "use x", "use 1 2", "2", "2 ",
            "2 Rain?",
        ]
        let others = [
            "-1 Rain?", "2  Rain? ", "Rain?", "list all", "help me", "? x", "quit now", "\tlist\n", "use  3", "0 x",
            "99999999999999999999 x",
        ]
        for line in words + others { RunRecord.note("\(line) \(CentralLine(line)) \(CentralLine("  " + line + "  "))") }
        #expect(CentralLine("2 Rain?") == .ask(ball: 2, question: "Rain?"))
    }

    @Test("The language of a browser and of a terminal")
    func languages() {
        let items = [
            "de", "en", "fr", "de-AT", "DE", "de;q=0", "de;q=0.5", "en;q=0.5", "en; q=0.9", "de;q=x", "", "*",
            "en;x=1;q=0.1",
        ]
        for first in items {
            for second in items {
                RunRecord.note("\(first),\(second) \(Texts.of(languages: "\(first), \(second)").language)")
            }
        }
        let names = [nil, "", "C", "de", "de_DE.UTF-8", "en_GB", "den"]
        for all in names {
            for messages in names {
                for lang in names {
                    var environment: [String: String] = [:]
                    (environment["LC_ALL"], environment["LC_MESSAGES"], environment["LANG"]) = (all, messages, lang)
                    RunRecord.note("\(all ?? "-") \(messages ?? "-") \(lang ?? "-") \(Texts.of(environment).language)")
                }
            }
        }
        #expect(
            Texts.of(languages: "fr, de;q=0.5, en;q=0.4").language == "de" && Texts.of(languages: "").language == "en"
        )
    }

    @Test("Requests of the page: each with each of its fields, and without")
    func requests() {
        let fields = [
            #""role":"central""#, #""role":"peripheral""#, #""role":"other""#, #""ball":"B""#, #""question":"Rain?""#,
            #""entry":0"#, #""entry":"0""#, #""answer":-1"#, #""answer":0"#, #""answer":19"#, #""answer":20"#,
            #""number":3"#,
            #""code":"123456""#, #""isOn":true"#, #""isOn":false"#, #""isAgreed":true"#, #""isAgreed":null"#,
        ]
        for command in ["role", "choose", "ask", "byHand", "answer", "pair", "dance", ""] {
            for first in fields {
                for second in fields {
                    let text = "{\"do\":\"\(command)\",\(first),\(second)}"
                    RunRecord.note("\(text) \(String(describing: WebCommand(Array(text.utf8))))")
                }
            }
        }
        #expect(WebCommand(Array("{}".utf8)) == nil && WebCommand([]) == nil && WebCommand([0xFF]) == nil)
    }

    @Test("A page with places for texts")
    func places() {
        for page in [
            "", "a", "{{title}}", "{{title}}{{no}}x", "{{", "}}{{title", "{{{title}}}", "<{{language}}>", "{{answers}}",
            "{{questionHint}} {{ title }}",
        ] {
            for texts in Texts.all { RunRecord.note("\(page) \(WebFile.filled(page, texts))") }
        }
        for file in WebFile.allCases { RunRecord.note("\(file.rawValue) \(file.type)") }
        #expect(WebFile.filled("<{{language}}>", .german) == "<de>")
    }
}
