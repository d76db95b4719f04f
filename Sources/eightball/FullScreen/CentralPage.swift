// The central's page: the balls and their signal strengths, the question, and what the chosen ball makes of it. Each
// ball has its own conversation, so several can be asked at once.
//
// A ball's conversation:
//
//     none ── Enter ──▶ asking ── confirmed ──▶ confirmed ── answer ──▶ answered ── Enter ──▶ asking …
//                         └────────── error ──────┴──────────────────▶ failed  ── Enter ──▶ asking …
//
// A peer chooses its name, its answers, and when it comes and goes. `Canvas` draws names and answers, and shows text
// only. Time is counted in ticks of a tenth of a second.

import CommandLineTool
@_spi(Steps) @preconcurrency import ITCB
import TerminalScreen

/// The balls, and the questions to them.
struct CentralPage: Hashable {
    /// The result of a key.
    enum Action: Hashable {
        /// Ask a ball.
        case ask(ball: String, question: String)
    }

    /// The conversation with a ball.
    enum Conversation: Hashable {
        /// Nothing was asked.
        case none
        /// A question is on its way.
        case asking(String)
        /// The ball has confirmed the question.
        case confirmed(String)
        /// The ball has answered, with a key.
        case answered(String, answer: String)
        /// The question could not be asked, or was not answered; the words follow the ball's name.
        case failed(String, words: LocalizableText)
    }

    /// A ball.
    struct Ball: Hashable {
        /// Its identifier.
        let identifier: String
        /// Its name.
        var name: String
        /// Its signal strength in dBm; `nil` if unknown.
        var strength: Int?
        /// The time at which it was lost, in ticks; `nil` while it is present.
        var lossTime: Int?
        /// The conversation with it.
        var conversation = Conversation.none
    }

    /// How long, in ticks, a lost ball is still shown.
    static let lossTicks = 50

    /// The balls, in the order in which they were found.
    private(set) var balls: [Ball] = []
    /// The identifier of the chosen ball.
    private(set) var chosen: String?
    /// The editor of the question.
    private(set) var editor = LineEditor(maximumLength: ITCB_SDK.maximumQuestionLength)
    private var list = ScrolledList()
    private var time = 0
    /// Whether Bluetooth is on.
    private(set) var isOn = false
    /// Why Enter did nothing.
    private(set) var hint: TextKey?

    /// Whether an animation runs.
    var isAnimated: Bool {
        self.balls.contains { ball in
            switch ball.conversation {
            case .asking, .confirmed: true
            case .none, .answered, .failed: ball.lossTime != nil
            }
        }
    }

    /// The number of balls that work on a question.
    var openConversations: [String] {
        self.balls.filter { ball in
            switch ball.conversation {
            case .asking, .confirmed: true
            case .none, .answered, .failed: false
            }
        }.map(\.identifier)
    }

    // MARK: Events

    /// Bluetooth was switched on or off.
    mutating func bluetoothChanged(isOn: Bool) { self.isOn = isOn }

    /// A ball was found and can be asked.
    mutating func found(_ identifier: String, name: String, strength: Int?) {
        if let index = self.index(of: identifier) {
            self.balls[index].name = name
            self.balls[index].lossTime = nil
            if let strength { self.balls[index].strength = strength }
        } else {
            self.balls.append(Ball(identifier: identifier, name: name, strength: strength))
        }
        if self.chosen == nil { self.chosen = identifier }
    }

    /// A ball's signal strength was measured.
    mutating func measured(_ identifier: String, strength: Int) {
        guard let index = self.index(of: identifier) else { return }
        self.balls[index].strength = strength
    }

    /// A ball was lost.
    mutating func lost(_ identifier: String) {
        guard let index = self.index(of: identifier), self.balls[index].lossTime == nil else { return }
        self.balls[index].lossTime = self.time
    }

    /// A ball has confirmed the question.
    mutating func confirmed(_ identifier: String, question: String) {
        self.update(identifier) { if case .asking = $0 { $0 = .confirmed(question) } }
    }

    /// A ball has answered.
    mutating func answered(_ identifier: String, answer: String) {
        self.update(identifier) { conversation in
            switch conversation {
            case .asking(let question), .confirmed(let question):
                conversation = .answered(question, answer: answer)
            case .none, .answered, .failed: break
            }
        }
    }

    /// A question could not be asked, or was not answered.
    mutating func failed(_ identifier: String, words: LocalizableText) {
        self.update(identifier) { conversation in
            switch conversation {
            case .asking(let question), .confirmed(let question): conversation = .failed(question, words: words)
            case .none, .answered, .failed: break
            }
        }
    }

    /// A tenth of a second has passed.
    mutating func tick() {
        self.time += 1
        let place = self.chosen.flatMap { self.index(of: $0) }
        self.balls.removeAll { ball in ball.lossTime.map { self.time - $0 >= Self.lossTicks } ?? false }
        if let place, let chosen, self.index(of: chosen) == nil {
            self.chosen = self.balls.isEmpty ? nil : self.balls[min(place, self.balls.count - 1)].identifier
        }
    }

    private mutating func update(_ identifier: String, _ body: (inout Conversation) -> Void) {
        guard let index = self.index(of: identifier) else { return }
        body(&self.balls[index].conversation)
    }

    private func index(of identifier: String) -> Int? { self.balls.firstIndex { $0.identifier == identifier } }

    // MARK: Keys

    /// Handles a key.
    mutating func receive(_ key: Key) -> Action? {
        switch key {
        case .tab: self.choose(1)
        case .backTab: self.choose(-1)
        case .pageDown: self.choose(10, wraps: false)
        case .pageUp: self.choose(-10, wraps: false)
        case .escape:
            self.editor.set("")
            self.hint = nil
        case .enter: return self.ask()
        default:
            if self.editor.receive(key) == .edited { self.hint = nil }
        }
        return nil
    }

    /// Asks a ball a question; both come from elsewhere than the page's own keys.
    mutating func ask(_ identifier: String, _ question: String) -> Action? {
        self.choose(identifier)
        self.editor.set(question)
        guard self.editor.text == question else {
            self.hint = .questionLength
            return nil
        }
        return self.ask()
    }

    /// Chooses a ball.
    mutating func choose(_ identifier: String) {
        if self.index(of: identifier) != nil { self.chosen = identifier }
    }

    private mutating func ask() -> Action? {
        guard ITCB_SDK.isQuestion(self.editor.text) else {
            self.hint = self.editor.text.isEmpty ? nil : .questionHint
            return nil
        }
        guard let chosen, let index = self.index(of: chosen), self.balls[index].lossTime == nil else {
            self.hint = .chooseFirst
            return nil
        }
        switch self.balls[index].conversation {
        case .asking, .confirmed:
            self.hint = .stillAnswering
            return nil
        case .none, .answered, .failed: break
        }
        guard case .finished(let question) = self.editor.receive(.enter) else { return nil }
        self.hint = nil
        self.balls[index].conversation = .asking(question)
        return .ask(ball: chosen, question: question)
    }

    private mutating func choose(_ step: Int, wraps: Bool = true) {
        guard !self.balls.isEmpty else { return }
        let place = (self.chosen.flatMap { self.index(of: $0) } ?? 0) + step
        let count = self.balls.count
        let index = wraps ? (place % count + count) % count : min(max(place, 0), count - 1)
        self.chosen = self.balls[index].identifier
    }

    // MARK: Drawing

    /// Draws the page.
    mutating func draw(on canvas: inout Canvas, _ texts: Texts) {
        let present = self.balls.count { $0.lossTime == nil }
        PageFrame(texts: texts).draw(
            on: &canvas,
            title: "\(texts(.title)) · \(texts(.central))",
            state: present == 0 ? texts(.noBalls) : texts.count(present, .oneBall, .balls),
            keys: [.keyAsk, .keyNextBall, .keyEarlier, .keyClear, .keyQuit]
        )
        let rows = canvas.size.rows
        let panel = rows >= 18 ? BallPicture.rows : rows >= 12 ? 2 : 1
        let listEnd = rows - 4 - panel
        self.drawList(on: &canvas, rows: 1..<max(1, listEnd), texts)
        if listEnd > 0 { PageFrame.rule(on: &canvas, row: listEnd) }
        self.drawConversation(on: &canvas, row: listEnd + 1, rows: panel, texts)
        PageFrame.rule(on: &canvas, row: rows - 3)
        let label = texts(self.hint ?? .question) + ": "
        let place = canvas.write(label, row: rows - 2, column: 1, self.hint == nil ? .dim : .plain.colored(.yellow))
        self.editor.draw(on: &canvas, row: rows - 2, column: place, columns: canvas.size.columns - place)
    }

    private mutating func drawList(on canvas: inout Canvas, rows: Range<Int>, _ texts: Texts) {
        guard !self.balls.isEmpty else {
            let text = self.isOn ? texts(.searching) : texts(.waitingForBluetooth)
            if !rows.isEmpty { canvas.write(text, row: min(rows.lowerBound + 1, rows.upperBound - 1), column: 2, .dim) }
            return
        }
        let isLong = self.balls.count > rows.count
        // The last row gives the numbers of balls above and below.
        let seen = isLong ? max(1, rows.count - 1) : rows.count
        self.list.show(self.chosen.flatMap { self.index(of: $0) }, of: self.balls.count, rows: seen)
        let first = self.list.first
        for (offset, ball) in self.balls[first..<min(self.balls.count, first + seen)].enumerated() {
            self.draw(ball, on: &canvas, row: rows.lowerBound + offset, texts)
        }
        guard isLong, rows.count > 1 else { return }
        let below = self.balls.count - first - seen
        let parts = [
            first > 0 ? texts(.moreAbove, String(first)) : nil, below > 0 ? texts(.moreBelow, String(below)) : nil,
        ]
        canvas.write(parts.compactMap { $0 }.joined(separator: ", "), row: rows.upperBound - 1, column: 2, .dim)
    }

    private func draw(_ ball: Ball, on canvas: inout Canvas, row: Int, _ texts: Texts) {
        let isGone = ball.lossTime != nil
        let columns = canvas.size.columns
        let hasRoom = columns >= 64
        let nameColumns = hasRoom ? (columns - 20) / 2 : columns - 18
        canvas.write(ball.identifier == self.chosen ? "▸" : " ", row: row, column: 0, .bold)
        let style: TextStyle = isGone ? .dim : ball.identifier == self.chosen ? .bold : .plain
        canvas.write(ColumnWidth.truncated(ball.name, to: nameColumns), row: row, column: 2, style)
        let place = 3 + nameColumns
        if isGone {
            canvas.write(texts(.offline), row: row, column: place, .dim, columns: hasRoom ? 14 : columns - place)
        } else if let strength = ball.strength {
            SignalBars(strength: strength).draw(on: &canvas, row: row, column: place)
            canvas.write("\(strength) dBm", row: row, column: place + 5)
        } else {
            canvas.write("?", row: row, column: place, .dim)
        }
        let end = place + 15
        switch ball.conversation {
        case .none: break
        case .asking, .confirmed:
            canvas.write(Self.turning(self.time), row: row, column: hasRoom ? end : columns - 1, .plain.colored(.cyan))
        case .answered(_, let answer):
            if hasRoom { canvas.write(texts.answer(answer), row: row, column: end, .plain.colored(.green)) }
        case .failed(_, let words):
            if hasRoom { canvas.write(texts(words), row: row, column: end, .plain.colored(.red)) }
        }
    }

    private func drawConversation(on canvas: inout Canvas, row: Int, rows: Int, _ texts: Texts) {
        guard let ball = self.balls.first(where: { $0.identifier == self.chosen }) else { return }
        let hasPicture = rows >= BallPicture.rows && canvas.size.columns >= 50
        let column = hasPicture ? BallPicture.columns + 3 : 2
        let columns = canvas.size.columns - column - 1
        let face: BallPicture.Face
        let said: (question: String, words: String, style: TextStyle)?
        switch ball.conversation {
        case .none: (face, said) = (.eight, nil)
        case .asking(let question):
            (face, said) = (.turning(self.time / 2), (question, texts(.asking) + " …", .plain.colored(.cyan)))
        case .confirmed(let question):
            (face, said) = (.turning(self.time), (question, texts(.confirmed) + " …", .plain.colored(.cyan)))
        case .answered(let question, let answer):
            (face, said) = (.answer, (question, texts.answer(answer), TextStyle(color: .green, isBold: true)))
        case .failed(let question, let words):
            (face, said) = (.failed, (question, texts(words), .plain.colored(.red)))
        }
        if hasPicture { BallPicture(face: face).draw(on: &canvas, row: row, column: 1) }
        let name = ColumnWidth.truncated(ball.name, to: columns)
        guard let said else {
            canvas.write(name, row: row + (hasPicture ? 2 : 0), column: column, .bold)
            return
        }
        switch rows {
        case ...1:
            canvas.write("\(name): \(said.words)", row: row, column: column, said.style, columns: columns)
        case 2:
            canvas.write("\(name): \(said.question)", row: row, column: column, columns: columns)
            canvas.write(said.words, row: row + 1, column: column, said.style, columns: columns)
        default:
            canvas.write(name, row: row, column: column, .bold)
            let next = canvas.write(
                paragraph: said.question,
                row: row + 1,
                column: column,
                columns: columns,
                rows: 2
            )
            canvas.write(
                paragraph: said.words,
                row: next,
                column: column,
                columns: columns,
                rows: rows - (next - row),
                said.style
            )
        }
    }

    private static func turning(_ time: Int) -> String { ["|", "/", "-", "\\"][time % 4] }
}
