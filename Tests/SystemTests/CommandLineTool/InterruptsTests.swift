import Foundation
import Testing

@testable import CommandLineTool

@Suite("The signals that end a program")
struct InterruptsTests {
    @Test(
        "ends with 130 on SIGINT and SIGHUP, and with 0 on SIGTERM",
        arguments: [(SIGINT, 130), (SIGHUP, 130), (SIGTERM, 0)] as [(CInt, CInt)]
    )
    func first(number: CInt, status: CInt) async {
        await #expect(processExitsWith: .exitCode(status)) { @MainActor [number] in
            Interrupts.watch()
            kill(getpid(), number)
            Interrupts.runUntilExit()
        }
    }

    @Test("ends even if the main thread is blocked", arguments: [(SIGINT, 130)] as [(CInt, CInt)])
    func waiting(number: CInt, status: CInt) async {
        await #expect(processExitsWith: .exitCode(status)) { @MainActor [number] in
            Interrupts.watch()
            kill(getpid(), number)
            while true { pause() }
        }
    }

    @Test(
        "ends at once on a second SIGINT or SIGTERM, with 128 and its number, and not on a second SIGHUP",
        arguments: [(SIGTERM, SIGINT, 130), (SIGINT, SIGTERM, 143), (SIGTERM, SIGTERM, 143), (SIGTERM, SIGHUP, 0)]
            as [(CInt, CInt, CInt)]
    )
    func second(first: CInt, second: CInt, status: CInt) async {
        await #expect(processExitsWith: .exitCode(status)) { @MainActor [first, second] in
            signal(SIGUSR1, SIG_IGN)
            setenv("SECOND", "\(second)", 1)
            // The exit handlers take their time, for ever except with SIGHUP.
            atexit {
                let second = CInt(ProcessInfo.processInfo.environment["SECOND"] ?? "") ?? 0
                kill(getpid(), second)
                if second == SIGHUP {
                    // Two turns of another thread, so that a handler has had its turn.
                    for _ in 1...2 { DispatchQueue.global().sync {} }
                } else {
                    while true { pause() }
                }
            }
            Interrupts.watch()
            kill(getpid(), first)
            Interrupts.runUntilExit()
        }
    }
}
