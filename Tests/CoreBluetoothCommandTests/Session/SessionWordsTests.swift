// What a session says beside its values: the help that is asked for, and on standard error, of values that are no text,
// of services that have changed, and of what `clone` has subscribed to and was refused.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("What a session says beside its values", .timeLimit(.minutes(2)))
struct SessionWordsTests {
    private static func thermo() -> ScriptedPeripheral {
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("FFF1", properties: .read, value: Data([0xC3, 0x28])),
            .init("FFF2", properties: .read, value: Data("Hi".utf8)),
            .init("FFF3", properties: [.read, .notify], onRead: { _ in .error(.insufficientAuthorization) }),
        ]
        return ScriptedPeripheral(name: "Thermo", services: [.init("FFF0", characteristics: characteristics)])
    }

    /// Something that is done with "Thermo", which changes its services at a time, where one is given.
    @MainActor
    private static func session(
        _ lines: [(seconds: Double, text: String?)] = [],
        isVerbose: Bool,
        changesAt seconds: Double? = nil,
        _ body: @escaping @MainActor (Central, CBPeripheral, OutputFormat, LineReader) async throws -> Void
    ) throws -> SessionRun {
        var run = SessionRun()
        let device = run.world.addPeripheral(thermo())
        if let seconds {
            run.world.after(.seconds(seconds)) {
                device.publish([ScriptedPeripheral.Service("180D", characteristics: [])])
            }
        }
        let reader = run.lines(lines)
        let output = OutputFormat(isJSON: false, isVerbose: isVerbose)
        try run.start(on: run.world.addDevice("tool")) {
            let central = Central(output: output)
            try DeviceOptions.parse(["Thermo"]).start(central) { central, peripheral in
                try await body(central, peripheral, output, reader)
            }
            return central
        }
        return run
    }

    /// The commands of a session.
    @MainActor
    private static func commands(
        _ lines: [(seconds: Double, text: String?)],
        isVerbose: Bool,
        changesAt seconds: Double? = nil
    ) throws -> SessionRun {
        try session(lines, isVerbose: isVerbose, changesAt: seconds) { central, peripheral, output, reader in
            let connection = DeviceConnection(central, peripheral, output: output, isSession: true)
            try await DeviceSession(connection, device: "Thermo", keepsGoing: true, lines: reader).run()
        }
    }

    @Test("A value that is printed as text and is not UTF-8 is marked, which is said; one in another form is not")
    func text() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let lines: [(Double, String?)] = [
                (1, "read FFF1"), (2, "read FFF1 --hex"), (3, "read FFF2 --text"), (4, "read FFF1 --text"), (5, nil),
            ]
            let run = try await SessionWordsTests.commands(lines, isVerbose: false)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines == ["C3 28", "C328", "Hi", "\u{FFFD}("])
        #expect(process.errorLines.count == 1, "\(process.errorLines)")
        let words = "the value is not UTF-8: U+FFFD stands for what is not"
        #expect(process.errorLines.first?.contains(words) == true)
    }

    @Test("Help that a line asks for is printed as by the command help; an empty line and a comment are nothing")
    func help() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let lines: [(Double, String?)] = [
                (1, ""), (2, "# a comment"), (3, "phy --help"), (4, "read FFF2 --text"), (5, "help phy"), (6, nil),
            ]
            let run = try await SessionWordsTests.commands(lines, isVerbose: false)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let parts = process.lines.split(separator: "Hi", omittingEmptySubsequences: false)
        #expect(parts.count == 2)
        for part in parts {
            #expect(part.first == "OVERVIEW: Show the PHYs of the connection, or ask for others.")
            #expect(part.count { $0.hasPrefix("USAGE: phy ") } == 1)
        }
    }

    @Test("Of a device that changes its services that is said, where it is asked for", arguments: [false, true])
    func changedServices(isVerbose: Bool) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [isVerbose = isVerbose as Bool] in
            let lines: [(Double, String?)] = [(1, "read FFF2 --text"), (2, "subscribe FFF3"), (3, "wait 8"), (12, nil)]
            let run = try await SessionWordsTests.commands(lines, isVerbose: isVerbose, changesAt: 5)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines == ["Hi"])
        // Its old services go, and then there are new ones.
        for (words, times) in [("\"Thermo\" has changed its services", 2), ("subscribed to FFF3", 1)] {
            let count = process.errorLines.count { $0.contains(words) }
            #expect(count == (isVerbose ? times : 0), "\(words): \(process.errorLines)")
        }
    }

    @Test("A recording says what was refused, and for how long it listens to how many", arguments: [false, true])
    func recording(isVerbose: Bool) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [isVerbose = isVerbose as Bool] in
            let run = try await SessionWordsTests.session(isVerbose: isVerbose) { central, peripheral, output, _ in
                let recording = DeviceRecording(central: central, output: output)
                try await recording.explore(peripheral)
                Console.print("explored")
                try await recording.listen(10)
                Console.print("heard")
            }
            for seconds in [9.9, 14] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines == ["explored", "- 9.9", "heard"])
        for words in ["subscribed to 1 characteristics for 10 s", "FFF3: "] {
            let count = process.errorLines.count { $0.contains(words) }
            #expect(count == (isVerbose ? 1 : 0), "\(words): \(process.errorLines)")
        }
    }
}
