// Tests in process time that run in a process of their own: what a failure there says here.

import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Foundation
import Testing

/// Tests that fail, started by others in a process of their own.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["PROCESS_TESTS_PLANTED"] != nil))
struct PlantedProcessTests {
    @Test func throwsAnError() throws {
        try withProcessTime(seed: 3) { world in
            world.addPeripheral(ScriptedPeripheral(name: "Beacon", services: []))
            try world.run(until: false, within: .seconds(1))
        }
    }

    @Test @MainActor func expectsInVain() async throws {
        try await withProcessTime { world in
            world.addPeripheral(ScriptedPeripheral(name: "Beacon", services: []))
            try await Task.sleep(for: .seconds(1))
            #expect(world.now == .seconds(77))
        }
    }

    @Test func waitsForEver() throws {
        try withProcessTime { _ in TestThreadTests.waitForEver() }
    }
}

@Suite("Tests in process time")
struct ProcessTestTests {
    /// What a planted test writes.
    private static func output(of name: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let filter = "^CoreBluetoothProcessTimeTests\\.PlantedProcessTests/\(name)\\("
        process.arguments = ["--testing-library", "swift-testing", "--filter", filter]
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SWT_") }
            .merging(["PROCESS_TESTS_PLANTED": "1"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus != 0)
        return text
    }

    @Test(
        "say what failed in a process of their own, where, and the last lines of the trace",
        arguments: [
            ("throwsAnError", ["ProcessTestTests.swift:14: ", "did not become true within 1 s", "Capture: "]),
            ("expectsInVain", ["ProcessTestTests.swift:22:13", "Expectation failed: ", "77.0 seconds"]),
            ("waitsForEver", ["TestThreadTests.waitForEver()", "The process was ended by signal "]),
        ]
    )
    func failure(name: String, texts: [String]) throws {
        let text = try Self.output(of: name)
        for expected in texts { #expect(text.contains(expected), "\(text)") }
        if name != "waitsForEver" { #expect(text.contains("The last lines of the trace:\n"), "\(text)") }
    }

    @Test("pass, each in a process of its own", arguments: 1...2)
    func passes(hours: Int) throws {
        try withProcessTime { world in
            let start = Date()
            world.advance(by: .seconds(3_600 * hours))
            #expect(Date().timeIntervalSince(start) == 3_600 * Double(hours))
        }
    }

    @Test("pass while they await")
    @MainActor
    func passesAwaiting() async throws {
        try await withProcessTime { world in
            let start = Date()
            try await Task.sleep(for: .seconds(60))
            #expect(Int(Date().timeIntervalSince(start).rounded()) == 60)
        }
    }
}
