// Where a person is asked something while the program does other things: at the terminal if standard input is one; else
// by the next line of standard input; and once that has ended, at the terminal from which the program was started, if
// the program is in the foreground there. The question goes to standard error or to the terminal, never to standard
// output.
//
// A thread reads the answer octet by octet, so everything after the line is left for the next reader. A question can be
// withdrawn: the thread ends, and the input so far is discarded.

import Dispatch
import Foundation
import TerminalScreen

/// Where a program that reads the terminal itself lets its user answer questions.
@MainActor
package protocol QuestionLine: AnyObject {
    /// Whether a person answers.
    var isInteractive: Bool { get }
    /// Whether the input has ended.
    var isAtEnd: Bool { get }
    /// Asks a question; `take` gets the answer, or `nil` without one.
    func ask(_ question: String, _ take: @escaping (String?) -> Void)
    /// Withdraws the question; `reason` says why.
    func takeBack(_ reason: String)
    /// Shows a line where questions are asked.
    func show(_ line: String)
}

/// Asks a person for lines.
@MainActor
final class TerminalInput {
    /// The descriptors of a question and its answer.
    private struct Place: Sendable {
        var input: CInt
        var output: CInt
        var isTerminal: Bool
        /// A descriptor that was opened for the question, to be closed after it.
        var opened: [CInt] = []
    }

    private enum State {
        case idle
        /// A thread reads until it has a line or `cancel` is closed.
        case reading(Place, number: Int, cancel: CInt)
        /// The program's own reader of standard input gets the next line.
        case awaitingLine(any QuestionLine)
    }

    /// The outcome of a thread's reading.
    enum Reading: Equatable, Sendable {
        case line(String)
        case end
        case cancelled
    }

    /// The most octets of a line.
    nonisolated private static let maximumLineLength = 1024

    /// The program's own reader of standard input; `nil` if the program reads none.
    var lines: (any QuestionLine)?

    private var state = State.idle {
        didSet { Console.reserveRow(forQuestion: isAsking) }
    }
    private var number = 0
    /// Whether standard input is not a terminal and has ended.
    private var hasEnded = false
    /// Whether a person may have typed a line for a question that was withdrawn.
    private var mayHoldOldInput = false

    nonisolated init() {}

    // MARK: Who can be asked

    /// Whether there is a terminal, or a standard input that may still have lines.
    nonisolated static var canAsk: Bool {
        if Terminal.input.isTerminal { return Terminal.input.isInForeground }
        if !isNull(STDIN_FILENO) { return true }
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return Terminal(terminal).isInForeground
    }

    /// Whether a descriptor is closed or `/dev/null`.
    private nonisolated static func isNull(_ descriptor: CInt) -> Bool {
        var status = stat()
        var null = stat()
        guard fstat(descriptor, &status) == 0 else { return true }
        guard status.st_mode & S_IFMT == S_IFCHR, stat("/dev/null", &null) == 0 else { return false }
        return status.st_rdev == null.st_rdev
    }

    private func place() -> Place? {
        if Terminal.input.isTerminal {
            guard Terminal.input.isInForeground else { return nil }
            if Terminal.error.isTerminal {
                return Place(input: STDIN_FILENO, output: STDERR_FILENO, isTerminal: true)
            }
            let own = ttyname(STDIN_FILENO).map { open($0, O_WRONLY | O_NOCTTY | O_CLOEXEC) } ?? -1
            guard own >= 0 else { return Place(input: STDIN_FILENO, output: STDERR_FILENO, isTerminal: true) }
            return Place(input: STDIN_FILENO, output: own, isTerminal: true, opened: [own])
        }
        if !hasEnded, !Self.isNull(STDIN_FILENO) {
            return Place(input: STDIN_FILENO, output: STDERR_FILENO, isTerminal: false)
        }
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        guard Terminal(terminal).isInForeground else {
            close(terminal)
            return nil
        }
        return Place(input: terminal, output: terminal, isTerminal: true, opened: [terminal])
    }

    // MARK: Asking

    /// Asks a question; `take` gets the line, or `nil` if nobody can be asked or the input ends.
    ///
    /// - Parameters:
    ///   - question: The question. At a terminal the cursor stays after it.
    ///   - take: Gets the answer, unless the question is withdrawn.
    func ask(_ question: String, _ take: @escaping @MainActor (_ line: String?, _ isTerminal: Bool) -> Void) {
        precondition(!isAsking, "one question at a time")
        if let lines, lines.isInteractive || !lines.isAtEnd {
            state = .awaitingLine(lines)
            lines.ask(question) { [self] line in
                state = .idle
                take(line, lines.isInteractive)
            }
            return
        }
        guard let place = place() else { return take(nil, false) }
        var cancel: [CInt] = [-1, -1]
        guard pipe(&cancel) == 0 else {
            place.opened.forEach { close($0) }
            return take(nil, false)
        }
        if mayHoldOldInput {
            tcflush(place.input, TCIFLUSH)
            mayHoldOldInput = false
        }
        number += 1
        let (number, cancelled) = (number, cancel[0])
        state = .reading(place, number: number, cancel: cancel[1])
        Self.write(place.isTerminal ? question : question + "\n", to: place.output)
        let thread = Thread { [self] in
            let reading = Self.read(place.input, until: cancelled)
            for descriptor in place.opened + [cancelled] { close(descriptor) }
            DispatchQueue.main.async { MainActor.assumeIsolated { self.finish(number, reading, question, take) } }
        }
        thread.start()
    }

    /// Whether a question waits for an answer.
    var isAsking: Bool { if case .idle = state { false } else { true } }

    /// Withdraws the question; `reason` is a line that says why.
    func takeBack(_ reason: String) {
        switch state {
        case .idle:
            break
        case .awaitingLine(let lines):
            state = .idle
            lines.takeBack(reason)
        case .reading(let place, number: _, let cancel):
            state = .idle
            if place.isTerminal {
                tcflush(place.input, TCIFLUSH)
                mayHoldOldInput = true
            }
            Self.write((place.isTerminal ? "\n" : "") + reason + "\n", to: place.output)
            // The thread ends and closes the descriptor.
            close(cancel)
        }
    }

    /// Shows a line at the place where questions are asked.
    func show(_ line: String) {
        if let lines, lines.isInteractive { return lines.show(line) }
        guard let place = place() else { return Console.report(line) }
        Self.write(line + "\n", to: place.output)
        place.opened.forEach { close($0) }
    }

    private func finish(
        _ number: Int,
        _ reading: Reading,
        _ question: String,
        _ take: @escaping @MainActor (String?, Bool) -> Void
    ) {
        guard case .reading(let place, number: number, let cancel) = state else { return }
        state = .idle
        close(cancel)
        switch reading {
        case .cancelled:
            break
        case .line(let line):
            take(line, place.isTerminal)
        case .end where place.isTerminal:
            Self.write("\n", to: STDERR_FILENO)
            take(nil, true)
        case .end:
            hasEnded = true
            // Standard input has ended; there may still be a terminal.
            ask(question, take)
        }
    }

    // MARK: Octets

    /// Reads a line, until `cancel` is closed.
    nonisolated static func read(_ input: CInt, until cancel: CInt) -> Reading {
        var octets: [UInt8] = []
        while true {
            var events = [
                pollfd(fd: input, events: Int16(POLLIN), revents: 0),
                pollfd(fd: cancel, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&events, 2, -1) >= 0 else {
                if errno == EINTR { continue }
                return .end
            }
            if events[1].revents != 0 { return .cancelled }
            guard events[0].revents != 0 else { continue }
            var octet: UInt8 = 0
            let count = Foundation.read(input, &octet, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count == 1 else { return octets.isEmpty ? .end : .line(text(octets)) }
            if octet == UInt8(ascii: "\n") { return .line(text(octets)) }
            if octets.count < maximumLineLength { octets.append(octet) }
        }
    }

    private nonisolated static func text(_ octets: [UInt8]) -> String { String(decoding: octets, as: UTF8.self) }

    private nonisolated static func write(_ text: String, to output: CInt) {
        // If nobody reads the question, nobody answers it.
        try? FileHandle(fileDescriptor: output, closeOnDealloc: false).write(contentsOf: Data(text.utf8))
    }
}
