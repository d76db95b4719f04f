// A terminal that one program has to itself: the alternate screen, single keys, changes of size. Everything runs on the
// main thread.
//
//     closed ── open ──▶ open ── close, exit, a signal, a trap ──▶ closed: the terminal is restored
//                         │ ▲
//              Ctrl-Z     ▼ │ SIGCONT: everything is redrawn
//                       suspended

import Dispatch
import Foundation

/// A program's screen in a terminal.
@MainActor
package final class Screen {
    /// Called with each key.
    package var onKey: ((Key) -> Void)?
    /// Draws the screen; called after ``setNeedsDisplay()`` and when the size has changed.
    package var onDraw: ((inout Canvas) -> Void)?

    /// Selects the alternate screen, disables automatic wrapping, and enables bracketed paste.
    private static let entering = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l"
    /// Restores the screen, the cursor and the colours.
    private static let leaving = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    /// The time, in milliseconds, that a process may take to stop.
    private static let stopTime = 100
    /// The least time between two frames, in milliseconds.
    private static let frameTime = 33

    private enum State {
        case closed
        case open
        /// Opened, but the shell uses the terminal for a while.
        case suspended
    }

    private let input: CInt
    private let output: CInt
    private let original: termios
    private var renderer: ScreenRenderer
    private var state = State.closed
    private var isDrawScheduled = false
    private var lastFrame = DispatchTime(uptimeNanoseconds: 1)
    private var sources: [any DispatchSourceProtocol] = []
    private let keys: KeyInput

    /// A screen on standard input and standard output; `nil` if one of them is not a terminal, or cannot move its
    /// cursor.
    package convenience init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let terminal = Terminal(STDOUT_FILENO, environment: environment)
        guard terminal.hasCursor else { return nil }
        self.init(input: STDIN_FILENO, output: STDOUT_FILENO, hasColors: terminal.hasColors)
    }

    /// A screen on a terminal; `nil` if a descriptor is not one.
    package init?(input: CInt, output: CInt, hasColors: Bool) {
        var settings = termios()
        guard isatty(output) == 1, tcgetattr(input, &settings) == 0 else { return nil }
        self.input = input
        self.output = output
        self.original = settings
        self.renderer = ScreenRenderer(hasColors: hasColors)
        self.keys = KeyInput(input)
    }

    /// The size of the terminal.
    package var size: ScreenSize { Terminal(self.output).size }

    /// The last line that was written to standard error since the screen was opened.
    package var lastLine: String? { TerminalRestoration.lastLine }

    /// Restores the terminal for a program that ends without `exit`; does nothing if it is unchanged.
    package nonisolated static func restoreTerminal() { TerminalRestoration.restore() }

    // MARK: Life

    /// Takes the terminal.
    package func open() {
        guard case .closed = self.state else { return }
        self.take()
        self.keys.open { [weak self] key in self?.onKey?(key) }
        self.sources = [
            signalSource(SIGWINCH) { [weak self] in self?.setNeedsDraw() },
            // Others may have used the terminal meanwhile.
            signalSource(SIGCONT) { [weak self] in self?.take() },
        ]
        self.setNeedsDraw()
    }

    /// Gives the terminal back.
    package func close() {
        if case .closed = self.state { return }
        self.keys.close()
        for source in self.sources { source.cancel() }
        self.sources = []
        self.leave(.closed)
    }

    /// Redraws everything, whatever the terminal shows.
    package func redraw() {
        self.renderer.invalidate()
        self.setNeedsDraw()
    }

    /// Stops the process, as Ctrl-Z does in a shell; SIGCONT continues it.
    package func suspend() {
        guard case .open = self.state else { return }
        self.leave(.suspended)
        // Stops the whole job, as the shell expects it.
        kill(0, SIGTSTP)
        // The system does not stop a process that no shell could continue.
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(Self.stopTime)) { [weak self] in
            MainActor.assumeIsolated {
                if let self, case .suspended = self.state { self.take() }
            }
        }
    }

    func take() {
        // If it is already open, as after a SIGCONT from outside, it is closed first.
        TerminalRestoration.arm(self.output, self.original, leaving: Self.leaving, hasScreen: true)
        var settings = self.original
        cfmakeraw(&settings)
        tcsetattr(self.input, TCSADRAIN, &settings)
        self.state = .open
        self.write(Self.entering)
        self.renderer.invalidate()
        self.setNeedsDraw()
    }

    private func leave(_ state: State) {
        self.state = state
        TerminalRestoration.restore()
    }

    // MARK: Drawing

    /// Draws the screen soon; several calls make one frame.
    package func setNeedsDraw() {
        guard case .open = self.state, !self.isDrawScheduled else { return }
        self.isDrawScheduled = true
        DispatchQueue.main.asyncAfter(deadline: self.lastFrame + .milliseconds(Self.frameTime)) { [weak self] in
            MainActor.assumeIsolated { self?.draw() }
        }
    }

    private func draw() {
        self.isDrawScheduled = false
        guard case .open = self.state else { return }
        self.lastFrame = .now()
        // A terminal that accepts no output now gets a later frame instead.
        var poll = pollfd(fd: self.output, events: Int16(POLLOUT), revents: 0)
        guard Foundation.poll(&poll, 1, 0) == 1 else { return self.setNeedsDraw() }
        var canvas = Canvas(size: self.size)
        self.onDraw?(&canvas)
        self.write(self.renderer.render(canvas))
    }

    private func write(_ text: String) {
        var octets = Array(text.utf8)[...]
        while !octets.isEmpty {
            let count = octets.withUnsafeBytes { Foundation.write(self.output, $0.baseAddress, $0.count) }
            if count > 0 { octets = octets.dropFirst(count) } else if errno != EINTR { return }
        }
    }
}
