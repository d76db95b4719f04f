// The prompts for the user while devices pair, in the lower part of the screen: a code to enter on the other
// device, one to enter here, one to compare, or whether to pair at all. Only the newest question is visible.
//
// A peer can begin and end a pairing; when a pairing no longer waits for its question, the question disappears. No
// timers: the host limits the time of a pairing.

import CoreBluetooth
import TerminalScreen

/// A question about a pairing.
struct PairingPage {
    /// The question.
    let prompt: PairingPrompt
    private var editor = LineEditor(maximumLength: 6)

    /// Shows a question.
    init(_ prompt: PairingPrompt) { self.prompt = prompt }

    /// The question in words, with the code to be shown.
    var text: LocalizableText {
        let name = self.prompt.peer.name ?? String(self.prompt.peer.identifier.uuidString.prefix(8))
        return switch self.prompt.kind {
        case .showCode(let code): LocalizableText(.pairShow, name, code)
        case .enterCode: LocalizableText(.pairEnter, name)
        case .compareCode(let code): LocalizableText(.pairCompare, name, code)
        case .pair(let replacesBond):
            if let other = self.prompt.replacedPeer, other.identifier != self.prompt.peer.identifier {
                LocalizableText(
                    .pairConsentOther,
                    name,
                    other.name ?? String(other.identifier.uuidString.prefix(8))
                )
            } else {
                LocalizableText(replacesBond ? .pairConsentAgain : .pairConsent, name)
            }
        }
    }

    /// Answers with a code or a decision that was entered elsewhere; true if the question is over. Without either, the
    /// user gives up.
    func answer(code: String?, isAgreed: Bool) -> Bool {
        switch self.prompt.kind {
        case .showCode: return false
        case .enterCode: self.prompt.enter(code)
        case .compareCode, .pair: self.prompt.confirm(isAgreed)
        }
        return true
    }

    /// Handles a key; true if the question is answered and over.
    mutating func receive(_ key: Key) -> Bool {
        switch (self.prompt.kind, key) {
        case (.showCode, _):
            // It is shown until the pairing ends.
            return false
        case (.enterCode, .enter):
            self.prompt.enter(self.editor.text)
            return true
        case (.enterCode, .escape):
            self.prompt.enter(nil)
            return true
        case (.enterCode, .character(let digit)) where !digit.isWholeNumber: return false
        case (.enterCode, _):
            _ = self.editor.receive(key)
            return false
        case (.compareCode, .character("y")), (.pair, .character("y")), (.compareCode, .character("j")),
            (.pair, .character("j")):
            self.prompt.confirm(true)
            return true
        case (.compareCode, .character("n")), (.pair, .character("n")), (.compareCode, .escape), (.pair, .escape):
            self.prompt.confirm(false)
            return true
        case (.compareCode, _), (.pair, _): return false
        }
    }

    /// Draws the question over the last rows of a page.
    func draw(on canvas: inout Canvas, _ texts: Texts) {
        let keys: [TextKey] =
            switch self.prompt.kind {
            case .showCode: [.keyQuit]
            case .enterCode: [.keySend, .keyGiveUp, .keyQuit]
            case .compareCode, .pair: [.keyYesNo, .keyQuit]
            }
        let columns = canvas.size.columns
        let lines = WrappedText.lines(texts(self.text), columns: columns - 2)
        let first = max(1, canvas.size.rows - 3 - lines.count)
        for row in first..<max(first, canvas.size.rows) { canvas.fill(row: row) }
        PageFrame.rule(on: &canvas, row: first)
        for (offset, line) in lines.enumerated() {
            canvas.write(line, row: first + 1 + offset, column: 1, TextStyle(color: .yellow, isBold: true))
        }
        PageFrame(texts: texts).drawKeys(keys, on: &canvas)
        canvas.cursor = nil
        guard case .enterCode = self.prompt.kind else { return }
        self.editor.draw(on: &canvas, row: canvas.size.rows - 2, column: 1, columns: columns - 1)
    }
}
