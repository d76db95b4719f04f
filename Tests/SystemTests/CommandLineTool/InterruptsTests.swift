// The signals that end a program, each in a process of its own: the exit status, also where the main thread has no turn
// and where a second signal comes meanwhile.

import Foundation
import Testing

@testable import CommandLineTool

@Suite("The signals that end a program")
struct InterruptsTests {
    @Test(
        "SIGINT and SIGHUP end it with 130, SIGTERM with 0",
        arguments: [(SIGINT, 130), (SIGHUP, 130), (SIGTERM, 0)] as [(CInt, CInt)]
    )
    func first(number: CInt, status: CInt) async {
        await #expect(processExitsWith: .exitCode(status)) { @MainActor [number] in
            Interrupts.watch()
            kill(getpid(), number)
            Interrupts.runUntilExit()
        }
    }

    @Test("A main thread that waits does not keep it", arguments: [(SIGINT, 130), (SIGTERM, 0)] as [(CInt, CInt)])
    func waiting(number: CInt, status: CInt) async {
        await #expect(processExitsWith: .exitCode(status)) { @MainActor [number] in
            Interrupts.watch()
            kill(getpid(), number)
            while true { pause() }
        }
    }

    @Test(
        "While it ends, a second SIGINT or SIGTERM ends it at once with 128 and its number, and a second SIGHUP does not",
        arguments: [(SIGTERM, SIGINT, 130), (SIGINT, SIGTERM, 143), (SIGTERM, SIGTERM, 143), (SIGTERM, SIGHUP, 0)]
            as [(CInt, CInt, CInt)]
    )
    func second(first: CInt, second: CInt, status: CInt) async {
        await #expect(processExitsWith: .exitCode(status)) { @MainActor [first, second] in
            signal(SIGUSR1, SIG_IGN)
            setenv("SECOND", "\(second)", 1)
            // What is registered for the end takes its time, for ever but with SIGHUP.
            atexit {
                let second = CInt(ProcessInfo.processInfo.environment["SECOND"] ?? "") ?? 0
                kill(getpid(), second)
                if second == SIGHUP {
                    // The signal has been taken when another thread has had its turn behind it.
                    _ = DispatchQueue.global().sync { usleep(50_000) }
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
