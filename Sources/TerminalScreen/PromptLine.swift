// A line that a person edits at the bottom of what a program prints: with a prompt, a cursor that goes anywhere in the
// line, and a history. The terminal is left as it was on every way out. Who prints other lines meanwhile takes the line
// away and shows it again: the octets for that are given to whom the terminal belongs.

import Dispatch
import Foundation

/// A line that is edited below a program's output.
@MainActor
package final class PromptLine {
    /// What becomes of the line.
    package enum Change: Hashable, Sendable {
        /// It looks like this now, drawn over the row in which the cursor stands.
        case shown(String)
        /// It is finished and stays where it is as this text.
        case finished(String)
    }

    /// Called with each line that is finished; `nil` when there will be no more.
    package var onLine: ((String?) -> Void)?

    /// What may stand in place of what is before the cursor, for the Tab key.
    package var completion: ((String) -> LineCompletion)?
    /// Called with the candidates, in columns, where Tab leaves several.
    package var onCandidates: ((String) -> Void)?

    private let input: CInt
    private let output: CInt
    private let original: termios
    private let onChange: (Change) -> Void
    private let keys: KeyInput
    private var editor: LineEditor
    /// The answer to a question that a person is asked in the line's place; it is in no history.
    private var answer: LineEditor?
    private var prompt = ""
    private var sources: [any DispatchSourceProtocol] = []

    /// A line on standard input and standard output; `nil` where one of them is no terminal that can move its cursor, or
    /// where the program runs in the background.
    ///
    /// - Parameters:
    ///   - history: The lines that the arrow keys bring back.
    ///   - environment: Says what terminal it is.
    ///   - onChange: Writes to the terminal how the line looks.
    package init?(
        history: LineHistory = LineHistory(),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        onChange: @escaping (Change) -> Void
    ) {
        var settings = termios()
        guard Terminal(STDOUT_FILENO, environment: environment).hasCursor,
            tcgetattr(STDIN_FILENO, &settings) == 0, Terminal.input.isInForeground
        else { return nil }
        self.input = STDIN_FILENO
        self.output = STDOUT_FILENO
        self.original = settings
        self.onChange = onChange
        self.editor = LineEditor(history: history)
        self.keys = KeyInput(STDIN_FILENO)
    }

    /// Starts to read keys.
    package func open() {
        self.take()
        self.keys.open(
            onEnd: { [weak self] in self?.onLine?(nil) },
            onKey: { [weak self] key in self?.receive(key) }
        )
        self.sources = [
            signalSource(SIGWINCH) { [weak self] in self?.show() },
            signalSource(SIGCONT) { [weak self] in self?.take() },
        ]
    }

    /// Shows a prompt before the line; what was typed as an answer is gone.
    ///
    /// One that leaves no room for a line stands above it.
    package func ask(_ prompt: String) {
        self.answer = nil
        self.show(prompt)
    }

    /// Lets the next line be the answer to a question: the line that was being written is back behind it.
    package func ask(question: String) {
        self.answer = LineEditor()
        self.show(question)
    }

    private func show(_ prompt: String) {
        self.prompt = prompt
        if !Self.hasRoom(beside: prompt, columns: self.columns) {
            self.onChange(.finished(prompt))
            self.prompt = ""
        }
        self.show()
    }

    // MARK: The terminal

    private func take() {
        var settings = self.original
        // Keys come one by one and are not shown by the terminal. Ctrl-C stays a signal; Ctrl-Z is a key, since the
        // terminal has to be put back before the process stops.
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        settings.c_iflag &= ~tcflag_t(ICRNL | IXON)
        withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VSUSP)] = 0 }
        tcsetattr(self.input, TCSADRAIN, &settings)
        TerminalRestoration.arm(self.output, self.original, leaving: "", hasScreen: false)
        self.show()
    }

    private func suspend() {
        self.onChange(.shown(""))
        TerminalRestoration.restore()
        // The whole job stops, as the shell expects it; SIGCONT lets it go on.
        kill(0, SIGTSTP)
    }

    private var columns: Int { Terminal(self.output).size.columns }

    // MARK: Keys

    private func receive(_ key: Key) {
        if key == .control("z") { return self.suspend() }
        if key == .control("d"), self.present.text.isEmpty {
            self.onLine?(nil)
            return
        }
        if key == .tab, self.answer == nil, let completion {
            let candidates = self.editor.complete(completion(self.editor.before))
            self.show()
            if !candidates.isEmpty { self.onCandidates?(LineCompletion.table(candidates, columns: self.columns)) }
            return
        }
        switch self.present.receive(key) {
        case .edited: self.show()
        case .finished(let line):
            self.onChange(.finished(self.prompt + line))
            self.answer = nil
            self.prompt = ""
            self.onLine?(line)
        case .ignored: break
        }
    }

    /// What keys edit.
    private var present: LineEditor {
        get { self.answer ?? self.editor }
        set { if self.answer == nil { self.editor = newValue } else { self.answer = newValue } }
    }

    private func show() { self.onChange(.shown(Self.octets(self.prompt, self.present, columns: self.columns))) }

    /// What draws the line, from the first column of its row on; nothing where there is nothing to be seen.
    static func octets(_ prompt: String, _ editor: LineEditor, columns: Int) -> String {
        guard !prompt.isEmpty || !editor.text.isEmpty else { return "" }
        // In a terminal that has become narrower the line alone is shown.
        let prompt = self.hasRoom(beside: prompt, columns: columns) ? prompt : ""
        let place = ColumnWidth.columns(of: prompt)
        let (text, cursor) = editor.visible(columns: max(columns - place, 2))
        let column = place + cursor
        return prompt + text + "\r" + (column > 0 ? "\u{1B}[\(column)C" : "")
    }

    /// Whether at least ten columns are left for the line.
    private static func hasRoom(beside prompt: String, columns: Int) -> Bool {
        prompt.isEmpty || ColumnWidth.columns(of: prompt) <= columns - 10
    }
}
