// The document behind the page in a browser, as one JSON object: the values that the full-screen app draws, in the
// browser's language. Each object is complete, so a page can miss some; and it is small, because each list that peers
// could fill has a limit.
//
//     role       null, "central" or "peripheral"
//     status     for a screen reader: the number of balls or of subscribers
//     notice     why nothing can be done yet, or what went wrong
//     central    chosen, balls: [id, name, bars, signal, isGone, stage, question, words]
//     peripheral state, isByHand, open, entries: [number, who, stage, question, words]
//     pairing    number, kind, text, code

import CommandLineTool

/// The content of the page.
struct WebDocument {
    /// A role, with its page.
    enum Role {
        case none
        case central(CentralPage)
        case peripheral(PeripheralPage)
    }

    /// The most questions in a document; the newest are kept.
    static let entryLimit = 50
    /// The most balls in a document.
    static let ballLimit = 250

    /// The role.
    let role: Role
    /// The question about a pairing, and its number.
    let pairing: (number: Int, page: PairingPage)?
    /// An error that belongs to neither page.
    let notice: LocalizableText?

    /// The document in a language.
    func json(_ texts: Texts) -> JSONValue {
        let notice = self.notice.map { texts($0) }
        var fields: [(key: String, value: JSONValue)]
        switch self.role {
        case .none: fields = [("role", .null), ("status", ""), ("notice", JSONValue(notice))]
        case .central(let page):
            let present = page.balls.count { $0.lossTime == nil }
            let state = page.isOn ? texts(.searching) : texts(.waitingForBluetooth)
            fields = [
                ("role", "central"),
                ("status", .string(present == 0 ? texts(.noBalls) : texts.count(present, .oneBall, .balls))),
                ("notice", JSONValue(notice ?? (page.balls.isEmpty ? state : nil))),
                ("central", Self.central(page, texts)),
            ]
        case .peripheral(let page):
            let count = page.subscribers.count
            fields = [
                ("role", "peripheral"),
                (
                    "status",
                    .string(count == 0 ? texts(.noSubscribers) : texts.count(count, .oneSubscriber, .subscribers))
                ),
                ("notice", JSONValue(notice ?? (page.entries.isEmpty ? texts(.nobodyAsked) : nil))),
                ("peripheral", Self.peripheral(page, texts)),
            ]
        }
        return .object(fields + [("pairing", self.pairing.map { Self.pairing($0, $1, texts) } ?? .null)])
    }

    // MARK: The central

    private static func central(_ page: CentralPage, _ texts: Texts) -> JSONValue {
        .object([
            ("chosen", JSONValue(page.chosen)),
            ("balls", .array(page.balls.prefix(self.ballLimit).map { self.ball($0, texts) })),
        ])
    }

    private static func ball(_ ball: CentralPage.Ball, _ texts: Texts) -> JSONValue {
        let bars = ball.strength.map { SignalBars(strength: $0).count }
        let said: (stage: String, question: String?, words: String?) =
            switch ball.conversation {
            case .none: ("none", nil, nil)
            case .asking(let question): ("asking", question, texts(.asking) + " …")
            case .confirmed(let question): ("confirmed", question, texts(.confirmed) + " …")
            case .answered(let question, let answer): ("answered", question, texts.answer(answer))
            case .failed(let question, let words): ("failed", question, texts(words))
            }
        return .object([
            ("id", .string(ball.identifier)), ("name", .string(PrintableText.text(ball.name))),
            ("bars", JSONValue(bars)), ("strength", JSONValue(ball.strength.map { "\($0) dBm" })),
            ("signal", .string(bars.map { texts(.webSignal, String($0)) } ?? texts(.webNoSignal))),
            ("gone", ball.lossTime == nil ? .null : .string(texts(.offline))),
            ("stage", .string(said.stage)), ("question", JSONValue(said.question)),
            ("words", JSONValue(said.words.map(PrintableText.text))),
        ])
    }

    // MARK: The ball

    private static func peripheral(_ page: PeripheralPage, _ texts: Texts) -> JSONValue {
        let first = max(0, page.entries.count - self.entryLimit)
        let entries = page.entries.enumerated().dropFirst(first)
        let isOpen = page.openQuestion != nil
        let open = isOpen ? page.entries.lastIndex { $0.result == .open } : nil
        return .object([
            (
                "state",
                .string(page.advertisedName.map { texts(.isBall, "“\(PrintableText.text($0))”") } ?? texts(.hidden))
            ),
            ("isByHand", .bool(page.isAnsweredByHand)),
            ("hand", .string(texts(page.isAnsweredByHand ? .answersByHand : .answersAtRandom))),
            ("open", JSONValue(open.map { $0 + page.forgottenCount })),
            ("entries", .array(entries.map { self.entry($1, number: $0 + page.forgottenCount, texts) })),
        ])
    }

    private static func entry(_ entry: PeripheralPage.Entry, number: Int, _ texts: Texts) -> JSONValue {
        let (stage, words): (String, String) =
            switch entry.result {
            case .open: ("open", "…")
            case .answered(let key): ("answered", texts.answer(key))
            case .refusedAsBusy: ("refused", texts(.refusedBusy))
            case .refusedAsNoQuestion: ("refused", texts(.refusedForm))
            case .failed(let words): ("failed", texts(words))
            }
        return .object([
            ("number", .integer(number)), ("who", .string(texts(.asks, PeripheralPage.name(entry.central)))),
            ("stage", .string(stage)), ("question", .string(PrintableText.text(entry.question))),
            ("words", .string(PrintableText.text(words))),
        ])
    }

    // MARK: Pairing

    private static func pairing(_ number: Int, _ page: PairingPage, _ texts: Texts) -> JSONValue {
        let (kind, code): (String, String?) =
            switch page.prompt.kind {
            case .showCode(let code): ("show", code)
            case .enterCode: ("enter", nil)
            case .compareCode(let code): ("compare", code)
            case .pair: ("consent", nil)
            }
        return .object([
            ("number", .integer(number)), ("kind", .string(kind)),
            ("text", .string(PrintableText.text(texts(page.text)))), ("code", JSONValue(code)),
        ])
    }
}
