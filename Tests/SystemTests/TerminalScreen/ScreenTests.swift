// The terminal of a full-screen program: when it is drawn, and how it is changed and restored. The stop signal goes to
// the processes of a session; a test that needs one leads its own session.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

/// A screen of 4 rows of 20 columns, which shows its number of rows.
@MainActor
private final class TerminalWithScreen {
    let terminal: TestTerminal
    let screen: Screen

    init(isControlling: Bool = false) throws {
        terminal = try TestTerminal(rows: 4, columns: 20, isControlling: isControlling)
        if isControlling {
            signal(SIGTSTP, countSignal)
            signal(SIGTTOU, SIG_IGN)
        }
        screen = try #require(Screen(input: terminal.slave, output: terminal.slave, hasColors: false))
        screen.onDraw = { canvas in canvas.write("rows\(canvas.size.rows)", row: 0, column: 0) }
    }

    /// Prints when it is asked to draw.
    func printDrawing(_ world: World) {
        screen.onDraw = { canvas in
            Console.print("draws at \(world.milliseconds)")
            canvas.write("text", row: 0, column: 0)
        }
    }

    /// The output to the terminal since the last call, with names for the sequences at the beginning and the end.
    func written() -> String {
        terminal.text()
            .replacing("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l", with: "<entering>")
            .replacing("\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l", with: "<leaving>")
            .replacing("\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[0mrows4\u{1B}[0m", with: "<picture>")
    }

    func tell(_ time: Int) { Console.print("\(time) \(terminal.isRaw) \(written().debugDescription)") }
}

@Suite("A full screen")
struct ScreenTests {
    @Test("draws when it is opened, and then at most every 33 ms, once for all changes")
    func frames() async throws {
        let result = try await #require(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            try await SessionRun.minute { run in
                let stage = try TerminalWithScreen()
                stage.printDrawing(run.world)
                // Opening it twice has no further effect.
                for time in [50, 51] { run.at(time) { stage.screen.open() } }
                for time in [49, 60, 70, 100, 110, 200, 233, 300, 401] {
                    run.at(time) { stage.screen.setNeedsDraw() }
                }
                run.at(400) { stage.screen.close() }
                // It does not draw while it is closed; opened again, it draws at once.
                run.at(510) { stage.screen.open() }
                run.at(520) { stage.screen.setNeedsDraw() }
                run.at(530) { stage.screen.close() }
                run.at(560) { stage.screen.open() }
                run.at(570) { stage.screen.close() }
            }
        }
        let lines = result.lines
        #expect(lines == [50, 83, 116, 200, 233, 300, 510, 560].map { "draws at \($0)" })
    }

    @Test("writes only changes, and everything once it is redrawn")
    func drawing() async throws {
        let result = try await #require(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            try await SessionRun.minute { run in
                let stage = try TerminalWithScreen()
                stage.screen.open()
                run.at(110) { stage.screen.setNeedsDraw() }
                run.at(210) { stage.screen.redraw() }
                for time in [310, 320] { run.at(time) { stage.screen.close() } }
                for time in [100, 200, 300, 315, 400] { run.at(time) { stage.tell(time) } }
            }
        }
        #expect(
            result.lines == [
                #"100 true "<entering><picture>""#, #"200 true "\u{1B}[?25l""#, #"300 true "<picture>""#,
                #"315 false "<leaving>""#, #"400 false """#,
            ]
        )
    }

    @Test("tries again every 33 ms until a stopped terminal takes the picture")
    func later() async throws {
        let result = try await #require(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            try await SessionRun.minute { run in
                let stage = try TerminalWithScreen()
                stage.printDrawing(run.world)
                stage.screen.open()
                run.at(50) {
                    // As with Ctrl-S, and then with Ctrl-Q.
                    tcflow(stage.terminal.slave, TCOOFF)
                    stage.screen.setNeedsDraw()
                }
                run.at(150) { _ = tcflow(stage.terminal.slave, TCOON) }
                run.at(900) { stage.screen.close() }
            }
        }
        // At 50, 83, 116 and 149 ms the terminal accepts nothing.
        #expect(result.lines == ["draws at 0", "draws at 182"])
    }

    @Test("has the size of its terminal, with 24 rows or 80 columns if the terminal does not report one of them")
    func size() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let stage = try TerminalWithScreen()
            for (rows, columns) in [(4, 20), (0, 60), (20, 0)] {
                stage.terminal.resize(rows: rows, columns: columns)
                Console.print("\(stage.screen.size.rows) \(stage.screen.size.columns)")
            }
            exit(0)
        }
        #expect(result.lines == ["4 20", "24 60", "20 80"])
    }

    @Test("draws on a terminal that is gone, and restores it, without blocking")
    func gone() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor in
            endProcess(after: 60)
            let stage = try TerminalWithScreen()
            var count = 0
            stage.screen.onDraw = { _ in count += 1 }
            close(stage.terminal.master)
            stage.screen.open()
            await terminalWait(for: "a picture") { count != 0 }
            stage.screen.close()
            Console.print("closed")
            exit(0)
        }
        #expect(result.lines == ["closed"])
    }

    @Test("has colours unless NO_COLOR is set")
    func colors() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let terminal = try TestTerminal(at: [STDIN_FILENO, STDOUT_FILENO])
            for noColor in [nil, "", "0"] as [String?] {
                var environment = ["TERM": "xterm"]
                environment["NO_COLOR"] = noColor
                let screen = try #require(Screen(environment: environment))
                screen.onDraw = { canvas in canvas.write("text", row: 0, column: 0, .plain.colored(.red)) }
                screen.open()
                terminal.tell(await terminal.wait(for: "text\u{1B}[0m").contains("\u{1B}[0;31mtext") ? "red" : "plain")
                screen.close()
            }
            exit(0)
        }
        #expect(result.lines == ["red", "red", "plain"])
    }

    @Test("reads every key while it is open, even Ctrl-C, and restores the settings at its end")
    func settings() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let stage = try TerminalWithScreen()
            for _ in 1...2 {
                Console.print(stage.terminal.settings)
                stage.screen.open()
                Console.print(stage.terminal.settings)
                stage.screen.close()
            }
            stage.screen.open()
            Screen.restoreTerminal()
            Console.print(stage.terminal.settings)
            exit(0)
        }
        let (original, raw) = ("1111 11 26 3 true", "0000 00 26 3 false")
        #expect(result.lines == [original, raw, original, raw, original])
    }

    // MARK: Stopping

    @Test("takes the terminal again and redraws it if nothing stops the process within 100 ms")
    func suspended() async throws {
        let result = try await #require(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            try await SessionRun.minute { run in
                let stage = try TerminalWithScreen(isControlling: true)
                stage.screen.open()
                run.at(100) { stage.screen.suspend() }
                // Nothing is drawn on a terminal that was restored.
                run.at(110) { stage.screen.setNeedsDraw() }
                // As after a SIGCONT that comes before the time is up; then there is nothing left to do.
                run.at(300) { stage.screen.suspend() }
                run.at(350) { stage.screen.take() }
                // A closed screen does not stop the process; one that is closed while the process is stopped stays
                // closed.
                run.at(500) { stage.screen.close() }
                run.at(510) { stage.screen.suspend() }
                run.at(700) { stage.screen.open() }
                run.at(710) { stage.screen.suspend() }
                run.at(720) { stage.screen.close() }
                for time in [90, 120, 199, 250, 390, 450, 650, 900] { run.at(time) { stage.tell(time) } }
            }
        }
        #expect(
            result.lines == [
                #"90 true "<entering><picture>""#, #"120 false "<leaving>""#, #"199 false """#,
                #"250 true "<entering><picture>""#, #"390 true "<leaving><entering><picture>""#, #"450 true """#,
                #"650 false "<leaving>""#, #"900 false "<entering><picture><leaving>""#,
            ]
        )
    }

    @Test("stops once, and takes the terminal again afterwards")
    func stop() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let stage = try TerminalWithScreen(isControlling: true)
            stage.screen.open()
            stage.screen.suspend()
            await terminalWait(for: "a signal") { signalCount > 0 }
            await terminalWait(for: "the terminal") { stage.terminal.isRaw }
            Console.print("\(signalCount)")
            exit(0)
        }
        #expect(result.lines == ["1"])
    }

    @Test("draws after a change of size and when continued while it is open, and after neither once it is closed")
    func signals() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let stage = try TerminalWithScreen(isControlling: true)
            let terminal = stage.terminal
            stage.screen.open()
            await terminal.wait(for: "rows4")
            terminal.resize(rows: 5, columns: 20)
            // It is not known when the program starts to handle the signal.
            await terminal.wait(for: "rows5") { kill(getpid(), SIGWINCH) }
            await terminal.wait(for: "\u{1B}[?1049h") { kill(getpid(), SIGCONT) }
            stage.screen.close()
            _ = stage.written()
            var count = 0
            let source = signalSource(SIGCONT) { count += 1 }
            await terminalWait(for: "signals") {
                kill(getpid(), SIGCONT)
                return count >= 3
            }
            source.cancel()
            Console.print("\(terminal.isRaw) \(stage.written().debugDescription)")
            exit(0)
        }
        #expect(result.lines == [#"false """#])
    }

    /// Whether a thread of this process, by its folder in `/proc`, is blocked in the system.
    private static func isWaiting(_ folder: String) -> Bool {
        let file = open(folder + "/stat", O_RDONLY | O_CLOEXEC)
        var octets = [UInt8](repeating: 0, count: 1024)
        let count = read(file, &octets, octets.count)
        close(file)
        guard count > 0 else { return false }
        // The state follows the name, which is in brackets (proc_pid_stat(5)).
        return String(decoding: octets[..<count], as: UTF8.self).split(separator: ")").last?.hasPrefix(" S") ?? false
    }

    @Test("writes everything even if signals arrive while the terminal accepts nothing")
    func blocked() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor in
            endProcess(after: 60)
            let stage = try TerminalWithScreen()
            let slave = stage.terminal.slave
            // Unlike signal(3), this handler does not restart the write; the program has to.
            var action = sigaction()
            sigemptyset(&action.sa_mask)
            action.__sigaction_handler.sa_handler = countSignal
            sigaction(SIGUSR1, &action, nil)
            unblockSignal(SIGUSR1)
            let own = pthread_self()
            let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            let folder: String = "/proc/" + link
            for round in 1...2 {
                // As with Ctrl-S, until signals have reached a blocked thread.
                tcflow(slave, TCOOFF)
                let first = signalCount
                let thread = Thread {
                    for number in 1...20 {
                        while !ScreenTests.isWaiting(folder) { sched_yield() }
                        pthread_kill(own, SIGUSR1)
                        while signalCount < first + number { sched_yield() }
                    }
                    tcflow(slave, TCOON)
                }
                thread.start()
                if round == 1 { stage.screen.take() } else { stage.screen.close() }
                Console.print("\(signalCount - first) \(stage.written())")
            }
            exit(0)
        }
        #expect(result.lines == ["20 <entering>", "20 <leaving>"])
    }
}
