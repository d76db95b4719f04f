// `eightball` in a terminal, without a command: the full-screen app, first the choice of the role, then its page. It
// passes keys to the page, the page's actions to the SDK, and the SDK's events to the page.

import CommandLineTool
import CoreBluetooth
import Dispatch
import Foundation
@_spi(Steps) @preconcurrency import ITCB
import TerminalScreen

/// A part of the app that fills the screen.
@MainActor
protocol ScreenPart: AnyObject {
    /// Whether an animation runs.
    var isAnimated: Bool { get }
    /// Handles a key.
    func receive(_ key: Key)
    /// A tenth of a second has passed.
    func tick()
    /// Draws the part.
    func draw(on canvas: inout Canvas)
}

/// The full-screen app.
@MainActor
final class FullScreenSession {
    /// How long, in ticks, a line of standard error is shown.
    private static let lineTicks = 50

    private let screen: Screen
    private let texts: Texts
    private var rolePage = RolePage()
    private var part: (any ScreenPart)?
    private var ticks: Ticks?
    /// The last line of standard error.
    private var lastLine: String?
    /// The message in the last row.
    private var line = TimedText<String>()
    private let agent: ScreenPairingAgent
    private var pairing: PairingPage?

    /// Creates the session on a screen; `agent` is that of the app's device.
    init(screen: Screen, agent: ScreenPairingAgent, texts: Texts) {
        self.screen = screen
        self.agent = agent
        self.texts = texts
    }

    /// Runs the app; never returns.
    func run() -> Never {
        start()
        Interrupts.runUntilExit()
    }

    /// Starts the app.
    func start() {
        screen.onKey = { [unowned self] key in receive(key) }
        screen.onDraw = { [unowned self] canvas in draw(on: &canvas) }
        agent.receiver = self
        screen.open()
        ticks = Ticks { [unowned self] in tick() }
    }

    // MARK: Keys

    private func receive(_ key: Key) {
        switch key {
        case .control("c"): kill(getpid(), SIGINT)
        case .control("\\"): kill(getpid(), SIGQUIT)
        case .control("z"): screen.suspend()
        case .control("l"): screen.redraw()
        default:
            if pairing != nil {
                if pairing?.receive(key) == true { pairing = nil }
            } else if let part {
                part.receive(key)
            } else {
                choose(key)
            }
            screen.setNeedsDraw()
        }
    }

    private func choose(_ key: Key) {
        switch rolePage.receive(key) {
        case .central: part = CentralPart(texts: texts, onChange: { [screen] in screen.setNeedsDraw() })
        case .peripheral: part = PeripheralPart(texts: texts, onChange: { [screen] in screen.setNeedsDraw() })
        case .quit: Ending.succeed()
        case nil: break
        }
    }

    // MARK: Time and drawing

    private func tick() {
        part?.tick()
        var isChanged = line.tick()
        if let text = screen.lastLine, text != lastLine {
            lastLine = text
            line.show(text, for: Self.lineTicks)
            isChanged = true
        }
        if isChanged || part?.isAnimated ?? false { screen.setNeedsDraw() }
    }

    private func draw(on canvas: inout Canvas) {
        if let part { part.draw(on: &canvas) } else { rolePage.draw(on: &canvas, texts) }
        pairing?.draw(on: &canvas, texts)
        if let text = line.text { Self.draw(line: text, on: &canvas) }
    }

    /// Shows a message in the last row, instead of the keys.
    nonisolated static func draw(line text: String, on canvas: inout Canvas) {
        guard canvas.size.rows > 1 else { return }
        canvas.fill(row: canvas.size.rows - 1)
        canvas.write(
            ColumnWidth.truncated(text, to: canvas.size.columns - 2),
            row: canvas.size.rows - 1,
            column: 1,
            .plain.colored(.yellow)
        )
    }
}

extension FullScreenSession: ScreenPairingAgent.Receiver {
    func show(_ prompt: PairingPrompt) {
        pairing = PairingPage(prompt)
        screen.setNeedsDraw()
    }

    func ended(_ peer: PairingPeer, _ outcome: PairingOutcome) {
        if pairing?.prompt.peer.identifier == peer.identifier { pairing = nil }
        if case .failed(let reason) = outcome {
            let name = peer.name ?? String(peer.identifier.uuidString.prefix(8))
            line.show(texts(.pairFailed, name, reason), for: Self.lineTicks)
        }
        screen.setNeedsDraw()
    }
}
