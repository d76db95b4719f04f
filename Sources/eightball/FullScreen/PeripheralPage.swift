// The ball's page: its subscribers, each question with its central, and its answer, at random or by hand from the
// twenty.
//
// By hand there is one question at a time: it is open until it is answered or its central leaves. Questions that arrive
// meanwhile are refused as busy, which the page shows.
//
// A peer can ask as often as it likes; the page keeps only the last questions. No timers.

import TerminalScreen

/// The questions to a ball, and their answers.
struct PeripheralPage: Hashable {
    /// The result of a key.
    enum Action: Hashable {
        /// Answer by hand, or at random.
        case setAnsweredByHand(Bool)
        /// Answer the open question with an answer's number.
        case answer(central: String, question: String, number: Int)
        /// Answer the open question at random.
        case answerAtRandom(central: String, question: String)
    }

    /// The state of a question.
    enum Result: Hashable {
        /// Not answered yet.
        case open
        /// Answered, with a key.
        case answered(String)
        /// Refused, because another question was open.
        case refusedAsBusy
        /// Refused, because it does not end with a question mark.
        case refusedAsNoQuestion
        /// Its answer was lost; the words follow the central's name.
        case failed(LocalizableText)
    }

    /// A question.
    struct Entry: Hashable {
        /// Its central; `nil` if unknown.
        let central: String?
        /// The question.
        let question: String
        /// Its state.
        var result: Result
    }

    /// The most questions that are kept.
    static let entryLimit = 200

    /// The questions, the oldest first.
    private(set) var entries: [Entry] = []
    /// The number of questions that were dropped, which is the number of the first one kept.
    private(set) var forgottenCount = 0
    /// The subscribers to the answer.
    private(set) var subscribers: Set<String> = []
    /// Whether a person answers.
    private(set) var isAnsweredByHand = false
    /// The advertised name; `nil` while the ball does not advertise.
    private(set) var advertisedName: String?
    private var chosenAnswer = 0
    private var answers = ScrolledList()

    /// The question that waits for a person.
    var openQuestion: Entry? {
        self.isAnsweredByHand ? self.entries.last { $0.result == .open } : nil
    }

    /// Whether a question of a central waits for its answer.
    func hasOpenQuestion(of central: String) -> Bool {
        self.entries.contains { $0.central == central && $0.result == .open }
    }

    // MARK: Events

    /// The ball has started to advertise, or stopped.
    mutating func advertises(as name: String?) { self.advertisedName = name }

    /// A central has subscribed, or unsubscribed.
    mutating func subscribed(_ central: String, _ isSubscribed: Bool) {
        if isSubscribed { self.subscribers.insert(central) } else { self.subscribers.remove(central) }
    }

    /// All links are gone; the words follow the name of a central whose question was open.
    mutating func lostAll(words: LocalizableText) {
        self.subscribers = []
        self.advertisedName = nil
        for index in self.entries.indices where self.entries[index].result == .open {
            self.entries[index].result = .failed(words)
        }
    }

    /// A question was received.
    mutating func asked(_ central: String?, _ question: String, _ result: Result) {
        self.entries.append(Entry(central: central, question: question, result: result))
        guard self.entries.count > Self.entryLimit else { return }
        self.entries.removeFirst()
        self.forgottenCount += 1
    }

    /// An answer is on its way.
    mutating func answered(_ central: String, _ question: String, answer: String) {
        self.end(central, .answered(answer)) { $0.question == question }
    }

    /// A question's answer was lost.
    mutating func failed(_ central: String, words: LocalizableText) { self.end(central, .failed(words)) { _ in true } }

    private mutating func end(_ central: String, _ result: Result, _ isMeant: (Entry) -> Bool) {
        guard
            let index = self.entries.lastIndex(where: {
                $0.central == central && $0.result == .open && isMeant($0)
            })
        else { return }
        self.entries[index].result = result
    }

    // MARK: Keys

    /// Handles a key; `answerCount` is the number of answers in the table.
    mutating func receive(_ key: Key, answerCount: Int) -> Action? {
        if key == .character("h") { return self.setAnsweredByHand(!self.isAnsweredByHand) }
        guard let open = self.openQuestion, let central = open.central else { return nil }
        switch key {
        case .up: self.chosenAnswer = max(0, self.chosenAnswer - 1)
        case .down, .tab: self.chosenAnswer = min(answerCount - 1, self.chosenAnswer + 1)
        case .left, .right:
            // The table has two columns if they fit.
            let half = answerCount / 2
            self.chosenAnswer = (self.chosenAnswer + half) % max(1, 2 * half)
        case .home, .pageUp: self.chosenAnswer = 0
        case .end, .pageDown: self.chosenAnswer = answerCount - 1
        case .enter: return .answer(central: central, question: open.question, number: self.chosenAnswer)
        case .character("r"): return .answerAtRandom(central: central, question: open.question)
        default: break
        }
        return nil
    }

    /// A person starts to answer, or stops.
    mutating func setAnsweredByHand(_ isByHand: Bool) -> Action {
        self.isAnsweredByHand = isByHand
        return .setAnsweredByHand(isByHand)
    }

    /// Answers the open question with an answer that was chosen elsewhere, at random if it is `nil`; does nothing if a
    /// different question, or none, is open.
    func answer(entry number: Int, with answer: Int?) -> Action? {
        guard let open = self.openQuestion, let central = open.central,
            self.entries.lastIndex(where: { $0.result == .open }).map({ $0 + self.forgottenCount }) == number
        else { return nil }
        return answer.map { .answer(central: central, question: open.question, number: $0) }
            ?? .answerAtRandom(central: central, question: open.question)
    }

    // MARK: Drawing

    /// A central has no name; the beginning of its identifier distinguishes it.
    static func name(_ central: String?) -> String { central.map { String($0.prefix(8)) } ?? "?" }

    /// Draws the page.
    mutating func draw(on canvas: inout Canvas, _ texts: Texts) {
        let open = self.openQuestion
        PageFrame(texts: texts).draw(
            on: &canvas,
            title: "\(texts(.title)) · \(texts(.peripheral))",
            state: self.subscribers.isEmpty
                ? texts(.noSubscribers) : texts.count(self.subscribers.count, .oneSubscriber, .subscribers),
            keys: (open == nil ? [] : [.keyAnswer, .keyChoose, .keyRandomAnswer])
                + [self.isAnsweredByHand ? .keyAtRandom : .keyByHand, .keyQuit]
        )
        let rows = canvas.size.rows
        let columns = canvas.size.columns
        let hasPicture = rows >= 18 && columns >= 50
        var row = 2
        let column = hasPicture ? BallPicture.columns + 3 : 2
        if hasPicture {
            BallPicture(face: open == nil ? .eight : .turning(0)).draw(on: &canvas, row: 1, column: 1)
        }
        let state = self.advertisedName.map { texts(.isBall, "\"\($0)\"") } ?? texts(.hidden)
        canvas.write(ColumnWidth.truncated(state, to: columns - column - 1), row: row, column: column, .bold)
        let hand = texts(self.isAnsweredByHand ? .answersByHand : .answersAtRandom)
        canvas.write(hand, row: row + 1, column: column, .dim, columns: columns - column - 1)
        row = hasPicture ? BallPicture.rows + 1 : 4
        PageFrame.rule(on: &canvas, row: row)
        var end = rows - 1
        if let open { end = self.drawTable(on: &canvas, for: open, rows: row + 1..<max(row + 1, rows - 1), texts) }
        self.drawEntries(on: &canvas, rows: row + 1..<max(row + 1, end), texts)
    }

    /// Draws the open question and the table of answers at the bottom; returns its first row.
    private mutating func drawTable(
        on canvas: inout Canvas,
        for open: Entry,
        rows: Range<Int>,
        _ texts: Texts
    ) -> Int {
        let columnCount = canvas.size.columns >= 76 ? 2 : 1
        let needed = (texts.answers.count + columnCount - 1) / columnCount
        let seen = max(1, min(needed, rows.count - 3))
        let first = rows.upperBound - seen - 2
        guard first >= rows.lowerBound else { return rows.upperBound }
        PageFrame.rule(on: &canvas, row: first)
        let question = "\(texts(.asks, Self.name(open.central))): \(open.question)"
        canvas.write(
            ColumnWidth.truncated(question, to: canvas.size.columns - 2),
            row: first + 1,
            column: 1,
            .bold
        )
        self.answers.show(self.chosenAnswer % needed, of: needed, rows: seen)
        let width = (canvas.size.columns - 2) / columnCount
        for (number, answer) in texts.answers.enumerated() {
            let offset = number % needed - self.answers.first
            guard (0..<seen).contains(offset) else { continue }
            let isChosen = number == self.chosenAnswer
            canvas.write(
                ColumnWidth.truncated("\(isChosen ? "▸" : " ") \(answer)", to: width - 1),
                row: first + 2 + offset,
                column: 1 + number / needed * width,
                isChosen ? .reversed : .plain
            )
        }
        return first
    }

    private func drawEntries(on canvas: inout Canvas, rows: Range<Int>, _ texts: Texts) {
        guard !rows.isEmpty else { return }
        guard !self.entries.isEmpty else {
            canvas.write(texts(.nobodyAsked), row: rows.lowerBound, column: 2, .dim)
            return
        }
        let columns = canvas.size.columns - 2
        var row = rows.upperBound
        // The newest questions are at the bottom.
        for entry in self.entries.reversed() {
            let question = ColumnWidth.truncated("\(Self.name(entry.central))  \(entry.question)", to: columns)
            let (text, style) = Self.text(of: entry.result, texts)
            let place = ColumnWidth.columns(of: question)
            let isOneRow = text.isEmpty || place + 4 + ColumnWidth.columns(of: text) <= columns
            row -= isOneRow ? 1 : 2
            guard row >= rows.lowerBound else { break }
            canvas.write(question, row: row, column: 1)
            let answer = isOneRow ? (row, place + 3) : (row + 1, 11)
            if !text.isEmpty {
                canvas.write(
                    ColumnWidth.truncated("→ " + text, to: canvas.size.columns - answer.1 - 1),
                    row: answer.0,
                    column: answer.1,
                    style
                )
            }
        }
    }

    private static func text(of result: Result, _ texts: Texts) -> (String, TextStyle) {
        switch result {
        case .open: ("…", .plain.colored(.cyan))
        case .answered(let key): (texts.answer(key), .plain.colored(.green))
        case .refusedAsBusy: (texts(.refusedBusy), .plain.colored(.yellow))
        case .refusedAsNoQuestion: (texts(.refusedForm), .plain.colored(.yellow))
        case .failed(let words): (texts(words), .plain.colored(.red))
        }
    }
}
