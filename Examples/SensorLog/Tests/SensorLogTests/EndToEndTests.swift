// The programs as processes, on an air of their own, killed again and again (`kill -9`) at moments that a seed decides.
// At the end the database has each number that the sensor has given, once, with the values that the sensor has kept.
// The processes meet on an air, which is one of Linux: elsewhere these tests are skipped.

import Foundation
import Sensor
import SensorLog
import SensorValues
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized, .enabled(if: hasAir, "processes meet on an air, which Linux has")) struct EndToEndTests {
    @Test(arguments: [1, 2] as [UInt64])
    func losesNothingWhenProcessesAreKilled(seed: UInt64) throws {
        let count = 1200
        let folder = try ProgramFolder()
        defer { folder.end() }
        var random = SeededGenerator(seed)
        let sensorArguments = [
            "--name", "Kitchen", "--memory", "ring", "--interval", "0.02", "--count", "\(count)", "--capacity", "5000",
        ]
        let loggerArguments = ["--database", "log.sqlite", "--listen", "0"]
        var sensor = try folder.start("sensor", sensorArguments)
        var logger = try folder.start("sensorlog", loggerArguments)
        for _ in 0..<16 {
            // A process may be killed before it has done anything, or in the middle of its work.
            let moment = Double(random.next() % 1500) / 1000
            switch random.next() % 3 {
            case 0:
                try sensor.kill(after: moment)
                sensor = try folder.start("sensor", sensorArguments)
            case 1:
                try logger.kill(after: moment)
                logger = try folder.start("sensorlog", loggerArguments)
            default:
                try sensor.kill(after: moment)
                try logger.kill(after: 0)
                logger = try folder.start("sensorlog", loggerArguments)
                sensor = try folder.start("sensor", sensorArguments)
            }
        }
        let store = try MeasurementStore(path: folder.file("log.sqlite"))
        try eventually("\(count) measurements", "\(sensor.output)\n\(logger.output)") {
            try store.sensors().first?.number == UInt32(count)
        }
        try sensor.kill(after: 0)
        try logger.kill(after: 0)
        let sensors = try store.sensors()
        #expect(sensors.map(\.name) == ["Kitchen"])
        #expect(sensors.map(\.missing) == [0])
        let stored = try store.measurements(of: sensors[0].id)
        #expect(stored.map(\.number) == Array(1...UInt32(count)))
        #expect(stored == (try MeasurementRing(path: folder.file("ring")).measurements(from: 1, limit: count)))
    }

    @Test func servesThePageAndForgetsASensorWhileItRuns() async throws {
        let folder = try ProgramFolder()
        defer { folder.end() }
        let sensor = try folder.start("sensor", ["--name", "Kitchen", "--memory", "ring", "--interval", "0.05"])
        let logger = try folder.start("sensorlog", ["--database", "log.sqlite", "--listen", "0"])
        let prefix = "the page is at "
        try eventually("the page", logger.output) { logger.output.contains(prefix) }
        let line = try #require(logger.output.split(separator: "\n").first { $0.hasPrefix(prefix) })
        let address = try #require(URL(string: String(line.dropFirst(prefix.count))))
        let (page, _) = try await URLSession.shared.data(from: address)
        #expect(String(decoding: page, as: UTF8.self).contains("<title>Sensor Log</title>"))
        let store = try MeasurementStore(path: folder.file("log.sqlite"))
        try eventually("values", logger.output) { (try store.sensors().first?.number ?? 0) > 5 }
        let (history, _) = try await URLSession.shared.data(
            from: #require(URL(string: "history.json?seconds=60", relativeTo: address))
        )
        #expect(try JSONDecoder().decode(History.self, from: history).values.isEmpty == false)
        let forget = try folder.start("sensorlog", ["forget", "Kitchen", "--database", "log.sqlite"])
        #expect(try forget.status() == 0)
        try eventually("the end of the link", sensor.output) { sensor.output.contains("the logger is gone") }
        let unknown = try folder.start("sensorlog", ["forget", "Cellar", "--database", "log.sqlite"])
        #expect(try unknown.status() != 0)
        let second = try folder.start("sensor", ["--memory", "ring"])
        #expect(try second.status() != 0)
        #expect(second.output.contains("in use by another process"))
    }

    @Test func measuresWithAChip() throws {
        let folder = try ProgramFolder()
        defer { folder.end() }
        try FileManager.default.createDirectory(atPath: folder.file("chip"), withIntermediateDirectories: true)
        try Data("21530\n".utf8).write(to: URL(fileURLWithPath: folder.file("chip/in_temp_input")))
        let sensor = try folder.start(
            "sensor",
            ["--memory", "ring", "--interval", "0.05", "--count", "3", "--chip", folder.file("chip")]
        )
        try eventually("the sensor", sensor.output) { sensor.output.contains("advertises") }
        try sensor.kill(after: 0.3)
        let samples = try MeasurementRing(path: folder.file("ring")).measurements(from: 1, limit: 10)
        #expect(samples.allSatisfy { $0.temperature == 2153 && $0.humidity == nil })
        #expect((1...3).contains(samples.count))
    }
}

#if os(Linux)
private let hasAir = true
#else
private let hasAir = false
#endif

/// A folder with all that the processes of a test share.
private final class ProgramFolder {
    private let path: String
    private var programs: [Program] = []

    init() throws {
        // A socket's address is short, so the folder has a short name.
        self.path = "/tmp/sl-\(UInt32.random(in: 0...UInt32.max))"
        for name in ["run", "state"] {
            try FileManager.default.createDirectory(
                atPath: self.file(name),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
    }

    func file(_ name: String) -> String { self.path + "/" + name }

    func start(_ name: String, _ arguments: [String]) throws -> Program {
        let program = try Program(name, arguments, folder: self.path)
        self.programs.append(program)
        return program
    }

    func end() {
        for program in self.programs { program.end() }
        try? FileManager.default.removeItem(atPath: self.path)
    }
}

/// One process.
private final class Program {
    private let process = Process()
    private let outputFile: String

    init(_ name: String, _ arguments: [String], folder: String) throws {
        // Beside the tests, where SwiftPM puts the package's programs.
        let products =
            Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
            .deletingLastPathComponent() ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        self.process.executableURL = products.appendingPathComponent(name)
        self.process.arguments = arguments
        self.process.currentDirectoryURL = URL(fileURLWithPath: folder)
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("COREBLUETOOTH_") }
        environment["XDG_RUNTIME_DIR"] = folder + "/run"
        environment["XDG_STATE_HOME"] = folder + "/state"
        environment["COREBLUETOOTH_ADAPTER"] = "air"
        // The same device, whatever else is on the air.
        environment["COREBLUETOOTH_IDENTITY"] = name
        self.process.environment = environment
        self.outputFile = folder + "/output-\(UInt32.random(in: 0...UInt32.max))"
        try Data().write(to: URL(fileURLWithPath: self.outputFile))
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: self.outputFile))
        self.process.standardOutput = output
        self.process.standardError = output
        try self.process.run()
    }

    /// Both of its outputs so far.
    var output: String { (try? String(contentsOfFile: self.outputFile, encoding: .utf8)) ?? "" }

    /// Kills it after a while in which it must make progress.
    func kill(after moment: TimeInterval) throws {
        let end = Date(timeIntervalSinceNow: moment)
        let pause = NSCondition()
        pause.withLock { while pause.wait(until: end) {} }
        #expect(self.process.isRunning, "\(self.output)")
        self.end()
        #expect(self.process.terminationReason == .uncaughtSignal)
    }

    func end() {
        if self.process.isRunning { Foundation.kill(self.process.processIdentifier, SIGKILL) }
        self.process.waitUntilExit()
    }

    /// Its exit status, once it has ended.
    func status() throws -> Int32 {
        try eventually("the end", self.output) { !self.process.isRunning }
        return self.process.terminationStatus
    }
}

/// Waits for a condition, two minutes at most.
private func eventually(
    _ what: String,
    _ state: @autoclosure () -> String,
    _ condition: () throws -> Bool
) throws {
    let deadline = Date(timeIntervalSinceNow: 120)
    let pause = NSCondition()
    while try !condition() {
        guard Date() < deadline else { throw Missing(description: "missing: \(what)\n\(state())") }
        pause.withLock { _ = pause.wait(until: Date(timeIntervalSinceNow: 0.02)) }
    }
}

private struct Missing: Error, CustomStringConvertible {
    let description: String
}

/// A generator of random numbers that a seed decides (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { self.state = seed }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
