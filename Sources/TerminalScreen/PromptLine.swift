// A line that a person edits below the output of a program: with a prompt, a movable cursor and a history. The terminal
// is restored on every way out. The owner of the terminal prints all octets, so that it can remove the line, print
// others, and show the line again.

import Dispatch
import Foundation

/// A line that is edited below a program's output.
@MainActor
package final class PromptLine {
    /// A change of the line.
    package enum Change: Hashable, Sendable {
        /// The line's new look, to be drawn over the cursor's row.
        case shown(String)
        /// The line is finished and stays on the screen as this text.
        case finished(String)
    }

    /// Called with each finished line; `nil` when there will be no more.
    package var onLine: ((String?) -> Void)?

    /// The completions of the Tab key.
    package var completion: ((String) -> LineCompletion)?
    /// Called with the candidates, in columns, if Tab leaves several.
    package var onCandidates: ((String) -> Void)?

    private let input: CInt
    private let output: CInt
    private let original: termios
    private let onChange: (Change) -> Void
    private let keys: KeyInput
    private var editor: LineEditor
    /// The editor of an answer to a question, which takes the line's place and has no history.
    private var answer: LineEditor?
    private var prompt = ""
    private var sources: [any DispatchSourceProtocol] = []

    /// A line on standard input and standard output; `nil` if one of them is not a terminal that can move its cursor,
    /// or if the program runs in the background.
    ///
    /// - Parameters:
    ///   - history: The lines that the arrow keys recall.
    ///   - environment: Describes the terminal.
    ///   - onChange: Writes the line's look to the terminal.
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

    /// Starts reading keys.
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

    /// Shows a prompt before the line; an unfinished answer is discarded.
    ///
    /// A prompt that leaves no room for a line is printed above it.
    package func ask(_ prompt: String) {
        self.answer = nil
        self.show(prompt)
    }

    /// Makes the next line the answer to a question; then the line being typed is shown again.
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
        // Keys arrive one by one and are not echoed. Ctrl-C stays a signal; Ctrl-Z is a key, because the terminal has
        // to be restored before the process stops.
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
        // Stops the whole job, as the shell expects it; SIGCONT continues it.
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

    /// The editor that gets the keys.
    private var present: LineEditor {
        get { self.answer ?? self.editor }
        set { if self.answer == nil { self.editor = newValue } else { self.answer = newValue } }
    }

    private func show() { self.onChange(.shown(Self.octets(self.prompt, self.present, columns: self.columns))) }

    /// Draws the line, from the first column of its row; empty if there is nothing to show.
    static func octets(_ prompt: String, _ editor: LineEditor, columns: Int) -> String {
        guard !prompt.isEmpty || !editor.text.isEmpty else { return "" }
        // A terminal that has become too narrow shows the line without its prompt.
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
