import Dispatch
import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("C5: reports to a service manager")
struct ServiceManagerTests {
    private typealias Answer = @Sendable () -> Void

    private static func name() -> String { "corebluetooth-" + UUID().uuidString }

    @Test("reports readiness once, the status, and the end, to a path and to an abstract name")
    func reports() throws {
        let folder = try TemporaryFolder()
        for name in ["@" + Self.name(), folder("notify")] {
            let receiver = try NotificationReceiver(name)
            let manager = ServiceManager(["NOTIFY_SOCKET": name], process: 1)
            manager.status("begins")
            manager.ready("advertises as \"Crystal\nREADY=1\"")
            manager.waitsForAdapter()
            manager.ready("again")
            manager.stopping()
            let messages = (1...5).map { _ in receiver.message() }
            #expect(
                messages == [
                    ["STATUS=begins"],
                    ["READY=1", "STATUS=advertises as \"Crystal\u{FFFD}READY=1\""],
                    ["STATUS=waits for the adapter"],
                    ["STATUS=again"],
                    ["STOPPING=1"],
                ]
            )
        }
    }

    @Test("does nothing without a service manager", arguments: [nil, "", "vsock:2:1", "/nowhere/at/all"])
    func nobody(name: String?) {
        let manager = ServiceManager(name.map { ["NOTIFY_SOCKET": $0, "WATCHDOG_USEC": "1000"] } ?? [:], process: 1)
        manager.ready("is there")
        manager.begin()
        manager.stopping()
    }

    @Test("does not wait for a manager that reads nothing")
    func unread() throws {
        let receiver = try NotificationReceiver("@" + Self.name())
        let manager = ServiceManager(["NOTIFY_SOCKET": receiver.name], process: 1)
        for number in 1...100_000 { manager.status("\(number)") }
        #expect(receiver.message() == ["STATUS=1"])
    }

    /// Waits for a number of questions of another watchdog, which are answered at once.
    private func pass(_ questions: Int, every interval: DispatchTimeInterval) async {
        let ticks = Watched(0)
        let clock = Watchdog([{ answer in answer() }]) { ticks.update { $0 += 1 } }
        clock.start(every: interval)
        #expect(await ticks.wait { $0 >= questions })
        withExtendedLifetime(clock) {}
    }

    @Test("sends heartbeats while every loop answers, and none while one is blocked")
    func watchdog() async throws {
        let receiver = try NotificationReceiver("@" + Self.name())
        let process = getpid()
        let manager = ServiceManager(
            ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "\(process)"],
            process: process
        )
        let loop = DispatchQueue(label: "loop")
        loop.suspend()
        manager.watch { loop.async(execute: $0) }
        manager.begin(main: DispatchQueue(label: "main"))
        await self.pass(20, every: .milliseconds(20))
        #expect(receiver.isEmpty)
        loop.resume()
        for _ in 1...3 { #expect(receiver.message() == ["WATCHDOG=1"]) }
    }

    @Test(
        "sends no heartbeats unless this process is asked for them",
        arguments: [
            ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "-5"],
            ["WATCHDOG_USEC": "soon"], [:],
        ]
    )
    func unwatched(environment: [String: String]) async throws {
        let receiver = try NotificationReceiver("@" + Self.name())
        let environment = environment.merging(["NOTIFY_SOCKET": receiver.name]) { $1 }
        let manager = ServiceManager(environment, process: 2)
        manager.begin(main: DispatchQueue(label: "main"))
        await self.pass(20, every: .milliseconds(1))
        manager.stopping()
        #expect(receiver.message() == ["STOPPING=1"])
    }

    @Test("asks all again only once all have answered")
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
            await self.pass(20, every: .milliseconds(1))
            #expect(asked.value == [round, round])
            #expect(signs.value == round - 1)
            // Answers all pending questions.
            if round == 3 { isOver.update { $0 = true } }
            answers.value.last?()
            let isAlive = await signs.wait { $0 >= round }
            #expect(isAlive)
        }
        withExtendedLifetime(watchdog) {}
    }

    @Test(
        "accepts names of sockets that begin with a slash or an at sign and fit into an address",
        arguments: [
            ("", 0, false), ("/", 0, false), ("@", 0, false), ("/", 1, true), ("@", 1, true), ("a", 5, false),
            ("/", 106, true), ("@", 106, true), ("/", 107, false), ("@", 107, false), ("", 107, false),
        ] as [(String, Int, Bool)]
    )
    func names(first: String, more: Int, isName: Bool) {
        #expect((NotificationSocket(first + String(repeating: "a", count: more)) != nil) == isName)
    }
}
