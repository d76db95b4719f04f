// The texts of `ask`, `demo`, the full-screen app and the page in a browser: one table per language. `{}` is a
// placeholder for a value; the values are in order.

import CommandLineTool
import Foundation
@_spi(Steps) @preconcurrency import ITCB

/// A text of the app.
enum TextKey: String, CaseIterable {
    // Both roles.
    case title, chooseRole, central, centralHint, peripheral, peripheralHint
    case keyChoose, keyStart, keyQuit
    case waitingForBluetooth
    // The central.
    case noBalls, oneBall, balls, searching, offline
    case question, questionHint, moreAbove, moreBelow
    case asking, confirmed, chooseFirst, stillAnswering
    case keyAsk, keyNextBall, keyEarlier, keyClear
    // The ball.
    case isBall, hidden, noSubscribers, oneSubscriber, subscribers
    case nobodyAsked, asks, refusedBusy, refusedForm, answersAtRandom, answersByHand
    case keyByHand, keyAtRandom, keyRandomAnswer, keyAnswer
    // Pairing.
    case pairShow, pairEnter, pairCompare, pairConsent, pairConsentAgain, pairConsentOther, pairFailed
    case keyYesNo, keySend, keyGiveUp
    // The page in a browser.
    case webAsk, webBalls, webSignal, webNoSignal, webQuestions, questionLength
    case webByHand, webByHandHint, webAnswers, webAnyAnswer
    case webPairing, webCode, webYes, webNo, webSend, webGiveUp
    case webLeave, webGone, webGoneHint, webNoScript
    // Errors and refusals of the SDK.
    case errorBluetooth, errorSend, errorUnknown
    case rejectOffline, rejectSilent, rejectBusy, rejectQuestion, rejectPeripheral, rejectUnknown, withoutReason,
        errorDetail
    // `eightball ask`.
    case askForm
    case waitForBall, waitForNamed, waitForAnswer
    case lateAnswer, lateBluetooth, lateFar, lateLost, lateIncompleteOnce, lateIncomplete, lateOther, lateNone
    case lateNoneNamed
    // `eightball demo`.
    case demoIntroduction, demoQuestion, demoBall, demoCentral, demoAnswer, demoSilent, demoTheBall
    case chapterPowerOn, chapterFinding, chapterExploring, chapterAsking
    case stepPoweredOn, stepState, stepService, stepAdvertising, stepScanning, stepNameless, stepDiscovered
    case stepNotOffered, stepConnecting, stepConnected, stepConnectionFailed, stepLost, stepSignal
    case stepDiscoveringServices, stepService1, stepServices, stepDiscoveringCharacteristics
    case stepCharacteristic1, stepCharacteristics, stepReady, stepSending, stepSwitchesOn, stepSwitchesOff
    case stepHearsOn, stepHearsOff, stepSubscribed, stepUnsubscribed, stepWriting, stepConfirms, stepRefuses
    case stepConfirmed, stepRefused, stepWaiting, stepSent, stepReceived
}

/// The texts in one language.
struct Texts: Sendable {
    /// The language's code, ISO 639-1.
    let language: String
    private let table: [TextKey: String]
    /// The twenty answers, `SLUG-ANSWER-00` first.
    let answers: [String]

    /// Creates the texts of a language.
    init(language: String, table: [TextKey: String], answers: [String]) {
        self.language = language
        self.table = table
        self.answers = answers
    }

    /// The languages; the first one is the default.
    static let all = [Texts.english, .german]

    /// The texts for a user, by the environment variables of the locale (POSIX.1-2017, 8.2), of which the first that is
    /// set counts.
    static func of(_ environment: [String: String]) -> Texts {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
        let locale = names.first { !$0.isEmpty } ?? ""
        return self.all.first { locale.prefix { $0 != "_" && $0 != "." && $0 != "@" } == $0.language } ?? self.all[0]
    }

    /// The texts for the user of a program, by its environment; JSON is in the first language.
    static func ofProcess(_ output: OutputFormat) -> Texts {
        output.isJSON ? self.all[0] : self.of(ProcessInfo.processInfo.environment)
    }

    /// A text with its values.
    func callAsFunction(_ key: TextKey, _ values: String...) -> String { self(key, values) }

    /// A text with its values.
    func callAsFunction(_ key: TextKey, _ values: [String]) -> String {
        var values = values[...]
        var result = ""
        for (number, part) in (self.table[key] ?? key.rawValue).components(separatedBy: "{}").enumerated() {
            if number > 0 { result += values.popFirst() ?? "" }
            result += part
        }
        return result
    }

    /// A text in this language.
    func callAsFunction(_ text: LocalizableText) -> String { text.text(self) }

    /// A number of things; the number 1 has its own text.
    func count(_ count: Int, _ one: TextKey, _ many: TextKey) -> String {
        count == 1 ? self(one) : self(many, String(count))
    }

    /// The words for an answer's key; an unknown key is shown as it is.
    func answer(_ key: String) -> String {
        self.answers.indices.first { ITCB_SDK.answerKey($0) == key }.map { self.answers[$0] } ?? key
    }
}
