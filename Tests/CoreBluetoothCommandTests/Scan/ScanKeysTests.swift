// `corebluetooth scan --watch` at a pseudo-terminal in virtual time: the order with which it begins, what a key draws
// anew, and which keys end the program.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand
@testable import TerminalScreen

@Suite("Keys of corebluetooth scan on the whole screen")
struct ScanKeysTests {
    /// The session in a terminal of 8 rows of 60 columns.
    @MainActor
    private final class App {
        /// Keeps the session.
        private(set) var run = SessionRun()
        private let screen: Screen
        private let pair: PseudoTerminalPair
        private let terminal = VirtualTerminal(rows: 8, columns: 60) { ColumnWidth.columns(of: $0) }
        private let device: Device

        init(_ order: ScanOrder?) throws {
            pair = try PseudoTerminalPair()
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            var size = winsize(ws_row: 8, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
            device = run.world.addDevice("tool")
            let screen = try #require(Screen(input: slave, output: slave, hasColors: false))
            self.screen = screen
            run.start(on: device) {
                let session = ScanSession(
                    filter: ScanSession.Filter(services: [], name: nil, rssi: nil),
                    presentation: .screen(screen),
                    order: order,
                    duplicates: false,
                    timeout: nil,
                    output: OutputFormat(isJSON: false, isVerbose: false)
                )
                session.start()
                return session
            }
        }

        /// Does something on the main thread at a time of the world, in milliseconds.
        private func at(_ milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
            run.world.after(.milliseconds(milliseconds)) {
                DispatchQueue.main.async { MainActor.assumeIsolated(body) }
            }
        }

        func press(_ key: Key, at milliseconds: Int) {
            at(milliseconds) { self.device.run { _ = self.screen.onKey?(key) } }
        }

        /// Prints the last row of the screen.
        func show(at milliseconds: Int) {
            at(milliseconds) {
                self.terminal.receive(self.pair.text())
                Console.print("\(milliseconds) \(self.terminal.text.last ?? "")")
            }
        }
    }

    @Test("It begins with the strongest, or the order that was given; a key changes that at once, and q ends it with 0")
    func orders() async throws {
        for (order, word) in [(nil, "rssi"), ("time", "time")] as [(String?, String)] {
            let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
                [order = order as String?] in
                let run = try await MainActor.run {
                    let app = try App(order.flatMap(ScanOrder.init))
                    app.show(at: 900)
                    // The table is drawn anew each 250 ms anyway, such as at 1000 ms.
                    for (number, key) in ["n", "x", "t", "r"].enumerated() {
                        app.press(.character(Character(key)), at: 1010 + 250 * number)
                        app.show(at: 1150 + 250 * number)
                    }
                    app.press(.character("q"), at: 3000)
                    app.show(at: 3500)
                    return app.run
                }
                run.passMinute()
            }
            let lines = try #require(result).lines
            let keys = "; r n t sort, q ends"
            #expect(
                lines == [
                    "900 0 devices, by \(word)" + keys, "1150 0 devices, by name" + keys,
                    "1400 0 devices, by name" + keys,
                    "1650 0 devices, by time" + keys, "1900 0 devices, by rssi" + keys,
                ]
            )
        }
    }

    @Test("Ctrl-C ends it as an interrupt does")
    func interrupt() async throws {
        let result = await #expect(processExitsWith: .exitCode(130), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let app = try App(nil)
                app.press(.control("c"), at: 1000)
                app.show(at: 2000)
                return app.run
            }
            run.passMinute()
        }
        #expect(try #require(result).lines.isEmpty)
    }
}
