// `eightball web` as a service: the real process at the socket of a service manager.

import Fixtures
import Foundation
import Testing

@Suite("eightball web as a service")
struct PageServiceTests {
    @Test("It is ready when its page is served, without its address, alive as long as it serves, and ended")
    func life() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let receiver = try NotificationReceiver(testbed.path("notify"))
        let process = try testbed.start(
            "eightball",
            ["web"],
            streams: .lines(input: false),
            environment: ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "200000"]
        )
        let messages = try receiver.messages(until: "STATUS=serves its page")
        #expect(messages.contains("READY=1") && !messages.contains { $0.contains("http") })
        for _ in 1...3 { _ = try receiver.messages(until: "WATCHDOG=1") }
        try process.line(with: "http://127.0.0.1:")
        process.send(SIGTERM)
        _ = try receiver.messages(until: "STOPPING=1")
        #expect(try process.end() == 0)
    }
}
