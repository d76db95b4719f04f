// Who is asked for a sign of life, and when: nobody again before all have answered, and everybody then; and which names
// are those of a service manager's socket.

import Dispatch
import Fixtures
import Testing

@testable import CommandLineTool

@Suite("A watchdog, and the names of a notification socket")
struct WatchdogTests {
    private typealias Answer = @Sendable () -> Void

    @Test("Who has not answered is not asked again, nor anybody beside; all are asked anew when all have answered")
    func answers() async {
        let asked = Watched<[Int]>([0, 0])
        let answers = Watched<[Answer]>([])
        let signs = Watched(0)
        let isOver = Watched(false)
        let watchdog = Watchdog([
            { answer in
                if isOver.value { return answer() }
                answers.update { $0.append(answer) }
                asked.update { $0[0] += 1 }
            },
            { answer in
                asked.update { $0[1] += 1 }
                answer()
            },
        ]) { signs.update { $0 += 1 } }
        watchdog.start(every: .milliseconds(1))
        for round in 1...3 {
            let areAsked = await asked.wait { $0 == [round, round] }
            #expect(areAsked)
            // Another one, whose questions are answered at once, tells how time passes.
            let ticks = Watched(0)
            let clock = Watchdog([{ answer in answer() }]) { ticks.update { $0 += 1 } }
            clock.start(every: .milliseconds(1))
            let hasPassed = await ticks.wait { $0 >= 20 }
            #expect(hasPassed)
            #expect(asked.value == [round, round])
            #expect(signs.value == round - 1)
            withExtendedLifetime(clock) {}
            // No question is left without its answer.
            if round == 3 { isOver.update { $0 = true } }
            answers.value.last?()
            let isAlive = await signs.wait { $0 >= round }
            #expect(isAlive)
        }
        withExtendedLifetime(watchdog) {}
    }

    @Test("Without anybody to ask there is a sign of life each time")
    func nobody() async {
        let signs = Watched(0)
        let watchdog = Watchdog([]) { signs.update { $0 += 1 } }
        watchdog.start(every: .milliseconds(1))
        let isAlive = await signs.wait { $0 >= 5 }
        #expect(isAlive)
        withExtendedLifetime(watchdog) {}
    }

    @Test(
        "A socket's name begins with a slash or an at sign, and fits into an address with its end",
        arguments: [
            ("", 0, false), ("/", 0, false), ("@", 0, false), ("/", 1, true), ("@", 1, true), ("a", 5, false),
            ("/", 106, true), ("@", 106, true), ("/", 107, false), ("@", 107, false), ("", 107, false),
        ] as [(String, Int, Bool)]
    )
    func names(first: String, more: Int, isName: Bool) {
        #expect((NotificationSocket(first + String(repeating: "a", count: more)) != nil) == isName)
    }
}
