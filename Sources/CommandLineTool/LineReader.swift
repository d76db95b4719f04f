// Lines of standard input. At a terminal a person edits them; from a pipe or a file a thread reads them and passes them
// to the main thread one by one.

import Dispatch
import Foundation
package import TerminalScreen

/// The lines of standard input.
@MainActor
package final class LineReader: QuestionLine {
    /// Called with each line, and with `nil` at the end of the input.
    package var onLine: ((String?) -> Void)? {
        didSet { deliver() }
    }

    /// Whether the input is a terminal, where a person can be prompted.
    package let isInteractive: Bool

    /// Whether the input has ended.
    package private(set) var isAtEnd = false

    /// The completions of the Tab key.
    package var completion: ((String) -> LineCompletion)? {
        get { line?.completion }
        set { line?.completion = newValue }
    }

    /// Gets one line instead of ``onLine``.
    private var onNextLine: ((String?) -> Void)?
    private var waiting: [String?] = []
    private var isDelivering = false
    /// Signalled after each line that was handled.
    private nonisolated let taken = DispatchSemaphore(value: 0)
    /// The line that a person edits; `nil` if the input is not a terminal.
    private let line: PromptLine?
    /// The history of the lines that a person types.
    private let history: HistoryFile?
    /// The prompt of ``prompt(_:)``, while a question takes its place.
    private var prompted = ""

    /// Starts reading.
    ///
    /// - Parameter history: Keeps the lines that a person types, except answers to questions.
    package init(history: HistoryFile? = nil) {
        self.history = history
        isInteractive = Terminal.input.isTerminal
        line = PromptLine(history: history?.history ?? LineHistory()) { Console.show($0) }
        if let line {
            line.onCandidates = { Console.print($0) }
            line.onLine = { [self] in
                if onNextLine == nil, let line = $0 { self.history?.add(line) }
                receive($0)
            }
            line.open()
            atexit { Console.endDraft() }
            return
        }
        let thread = Thread { [self] in
            let input = fdopen(STDIN_FILENO, "r")
            while let input, let line = Self.nextLine(of: input) {
                // A line is handled before the next one is read, so a large file does not fill the memory.
                DispatchQueue.main.async { self.receive(line) }
                self.taken.wait()
            }
            DispatchQueue.main.async { self.receive(nil) }
        }
        thread.start()
    }

    /// Reads lines from a source other than standard input.
    ///
    /// - Parameter start: Gets a function that takes each line, and `nil` at their end.
    package init(_ start: (_ take: @escaping @MainActor (String?) -> Void) -> Void) {
        history = nil
        isInteractive = false
        line = nil
        start { self.receive($0) }
    }

    /// The next line, without its end; `nil` at the end of the input.
    private nonisolated static func nextLine(of input: UnsafeMutablePointer<FILE>) -> String? {
        var octets: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(octets) }
        let count = getline(&octets, &capacity, input)
        guard count >= 0, let octets else { return nil }
        var line = UnsafeRawBufferPointer(start: octets, count: count)[...]
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if String(validating: line, as: UTF8.self) == nil {
            Console.warn("a line of standard input is not UTF-8: invalid octets became U+FFFD")
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Prompts a person for a line; does nothing if the input is not a terminal.
    package func prompt(_ text: String) {
        guard isInteractive else { return }
        prompted = text
        show(prompt: text)
    }

    private func show(prompt: String) {
        if let line { line.ask(prompt) } else { Console.prompt(prompt) }
    }

    /// Whether a line asks the program to end: "quit", "exit" or "q".
    package nonisolated static func isQuit(_ line: String) -> Bool {
        ["quit", "exit", "q"].contains(line.trimmingCharacters(in: .whitespaces).lowercased())
    }

    /// Makes the next line the answer to a question, which ``onLine`` does not get.
    ///
    /// The end of the input is reported to both.
    package func ask(_ question: String, _ take: @escaping (String?) -> Void) {
        if let line {
            line.ask(question: question)
        } else if isInteractive {
            Console.report(prompt: "\r\u{1B}[K" + question)
        } else {
            Console.report(question)
        }
        onNextLine = take
        deliver()
    }

    /// Withdraws the question; `reason` says why.
    package func takeBack(_ reason: String) {
        onNextLine = nil
        if let line {
            line.ask(prompted)
        } else if isInteractive {
            Console.report("")
        }
        Console.report(reason)
    }

    /// Shows a line above the one that is typed.
    package func show(_ line: String) { Console.report(line) }

    private func removeFirst() {
        waiting.removeFirst()
        taken.signal()
    }

    /// Prompts a person for a line and waits for the next one; `nil` at the end of the input.
    package func next(_ prompt: String = "") async -> String? {
        if !prompt.isEmpty { self.prompt(prompt) }
        return await withCheckedContinuation { continuation in
            onLine = { [self] line in
                onLine = nil
                continuation.resume(returning: line)
            }
        }
    }

    private func receive(_ line: String?) {
        if line == nil { isAtEnd = true }
        if onNextLine == nil { prompted = "" }
        waiting.append(line)
        deliver()
    }

    private func deliver() {
        // A handler may install another one, which gets the remaining lines.
        guard !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        while let line = waiting.first {
            if let take = onNextLine {
                onNextLine = nil
                if line != nil { removeFirst() }
                if !prompted.isEmpty { show(prompt: prompted) }
                take(line)
            } else if let onLine {
                removeFirst()
                onLine(line)
            } else {
                break
            }
        }
    }
}
