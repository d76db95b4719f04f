import Dispatch
import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("C5: what a program reports to a service manager")
struct ServiceManagerTests {
    private static func name() -> String { "corebluetooth-" + UUID().uuidString }

    @Test("To a path and to an abstract name: readiness once, what is done now, and the end")
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

    @Test(
        "Without a service manager, or with a name that is none, nothing happens",
        arguments: [
            nil, "", "/", "@", "relative", "vsock:2:1", "/nowhere/at/all", "/" + String(repeating: "a", count: 200),
        ]
    )
    func nobody(name: String?) {
        let manager = ServiceManager(name.map { ["NOTIFY_SOCKET": $0, "WATCHDOG_USEC": "1000"] } ?? [:], process: 1)
        manager.ready("is there")
        manager.begin()
        manager.stopping()
    }

    @Test("A manager that reads nothing does not hold the program up")
    func unread() throws {
        let receiver = try NotificationReceiver("@" + Self.name())
        let manager = ServiceManager(["NOTIFY_SOCKET": receiver.name], process: 1)
        for number in 1...100_000 { manager.status("\(number)") }
        #expect(receiver.message() == ["STATUS=1"])
    }

    @Test("Signs of life come as long as every loop answers, and none while one of them stands still")
    func watchdog() throws {
        let receiver = try NotificationReceiver("@" + Self.name(), limit: 1)
        let process = getpid()
        let manager = ServiceManager(
            ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "\(process)"],
            process: process
        )
        let loop = DispatchQueue(label: "loop")
        loop.suspend()
        manager.watch { loop.async(execute: $0) }
        manager.begin(main: DispatchQueue(label: "main"))
        #expect(receiver.message() == nil)
        loop.resume()
        for _ in 1...3 { #expect(receiver.message() == ["WATCHDOG=1"]) }
    }

    @Test(
        "No signs of life where none are awaited, or those of another process",
        arguments: [
            ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "-5"],
            ["WATCHDOG_USEC": "soon"], [:],
        ]
    )
    func unwatched(environment: [String: String]) throws {
        let receiver = try NotificationReceiver("@" + Self.name(), limit: 1)
        let environment = environment.merging(["NOTIFY_SOCKET": receiver.name]) { $1 }
        let manager = ServiceManager(environment, process: 2)
        manager.begin(main: DispatchQueue(label: "main"))
        #expect(receiver.message() == nil)
        manager.stopping()
        #expect(receiver.message() == ["STOPPING=1"])
    }
}
