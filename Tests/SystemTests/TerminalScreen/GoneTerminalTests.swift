// A screen whose terminal has gone, and one whose terminal takes nothing for a while: nothing is tried for ever, and
// nothing is lost. Each test is a process of its own, which a timer of the system ends where it would not end.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A screen whose terminal has gone or takes nothing")
struct GoneTerminalTests {
    /// How often a screen was drawn.
    @MainActor
    private final class Frames {
        var count = 0
    }

    @Test("A terminal that has gone is drawn on and given back without an end of the program, and without waiting")
    func gone() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            let pair = try PseudoTerminalPair()
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            let screen = try #require(Screen(input: slave, output: slave, hasColors: false))
            let frames = Frames()
            screen.onDraw = { _ in frames.count += 1 }
            close(pair.descriptor)
            print(screen.size)
            screen.open()
            let deadline = ContinuousClock.now + .seconds(50)
            while frames.count == 0, ContinuousClock.now < deadline { await Task.yield() }
            print(frames.count > 0)
            screen.close()
            print("closed")
            exit(0)
        }
        #expect(try #require(result).lines == ["ScreenSize(rows: 24, columns: 80)", "true", "closed"])
    }

    /// Whether a thread of this process, by its folder in `/proc`, waits in the system.
    private static func isWaiting(_ folder: String) -> Bool {
        let file = open(folder + "/stat", O_RDONLY | O_CLOEXEC)
        var octets = [UInt8](repeating: 0, count: 1024)
        let count = read(file, &octets, octets.count)
        close(file)
        guard count > 0 else { return false }
        // The state follows the name, which is in brackets (proc_pid_stat(5)).
        return String(decoding: octets[..<count], as: UTF8.self).split(separator: ")").last?.hasPrefix(" S") ?? false
    }

    @Test("A signal while the terminal takes nothing takes nothing away of what is written, nor of what gives it back")
    func signals() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            let pair = try PseudoTerminalPair()
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            let screen = try #require(Screen(input: slave, output: slave, hasColors: false))
            // Unlike signal(3), the handler leaves it to the program to write once more.
            var action = sigaction()
            sigemptyset(&action.sa_mask)
            action.__sigaction_handler.sa_handler = countSignal
            sigaction(SIGUSR1, &action, nil)
            unblockSignal(SIGUSR1)
            let own = pthread_self()
            let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            let folder: String = "/proc/" + link
            for round in 1...2 {
                // As with Ctrl-S, until signals have come to a thread that waits.
                tcflow(slave, TCOOFF)
                let first = signalCount
                let thread = Thread {
                    for number in 1...20 {
                        while !GoneTerminalTests.isWaiting(folder) { sched_yield() }
                        pthread_kill(own, SIGUSR1)
                        while signalCount < first + number { sched_yield() }
                    }
                    tcflow(slave, TCOON)
                }
                thread.start()
                if round == 1 { screen.take() } else { screen.close() }
                print(signalCount - first)
                print(pair.text().debugDescription)
            }
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                "20", #""\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l""#,
                "20", #""\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l""#,
            ]
        )
    }
}
