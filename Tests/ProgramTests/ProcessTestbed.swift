// The folder of one test's processes: their air and what they keep belong to that test alone.

import Foundation
import Testing

/// All tests of built programs, one at a time.
@Suite("Programs", .serialized)
enum Programs {}

/// A folder for the sockets and another for the state of a test's processes, which end with the object.
final class ProcessTestbed {
    /// The folder that holds everything.
    let folder: URL
    private var processes: [TestProcess] = []

    init() throws {
        // Short: the path of a socket has at most 107 octets.
        let name = "ocb-" + String(UInt32.random(in: .min ... .max), radix: 36)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        for part in ["run", "state"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(part),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
    }

    deinit {
        for process in processes { process.terminate() }
        try? FileManager.default.removeItem(at: folder)
    }

    /// A path inside the test's folder.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Writes a file of the test's folder and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    /// The sockets of the test's air.
    var sockets: [String] {
        let place = folder.appendingPathComponent("run/corebluetooth")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
        return names.map { place.appendingPathComponent($0).path }
            .filter { path in
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                return attributes?[.type] as? FileAttributeType == .typeSocket
            }
            .sorted()
    }

    /// The files that the processes keep whose names begin with a prefix.
    func stored(_ prefix: String) -> [URL] {
        let files = FileManager.default.enumerator(
            at: folder.appendingPathComponent("state"),
            includingPropertiesForKeys: nil
        )
        return (files?.allObjects ?? []).compactMap { $0 as? URL }
            .filter { $0.lastPathComponent.hasPrefix(prefix) && $0.pathExtension == "json" }
    }

    // MARK: Starting

    /// Starts an `eightball`.
    func eightball(_ arguments: String..., input: Bool = false) throws -> TestProcess {
        try start("eightball", arguments, input: input)
    }

    /// Starts a `blueear`.
    func blueear(_ arguments: String..., input: Bool = false) throws -> TestProcess {
        try start("blueear", arguments, input: input)
    }

    /// Starts a `corebluetooth`.
    func tool(_ arguments: String..., input: Bool = false) throws -> TestProcess {
        try start("corebluetooth", arguments, input: input)
    }

    /// Starts a ball that advertises.
    func ball(_ name: String = "Crystal", _ options: String...) throws -> TestProcess {
        let ball = try start("eightball", ["peripheral", "--name", name] + options)
        try ball.line(with: "is a Magic 8-Ball now")
        return ball
    }

    /// Serves the air by a process that no test kills.
    func serveAir() throws { try tool("air").line(with: "listening") }

    /// Starts a program whose lines are kept, and whose input is what the test writes, or empty.
    func start(_ program: String, _ arguments: [String], input: Bool = false) throws -> TestProcess {
        try start(program, arguments, streams: .lines(input: input))
    }

    /// Starts a program that was built with these tests.
    func start(
        _ program: String,
        _ arguments: [String],
        streams: TestProcess.Streams,
        environment: [String: String] = [:]
    ) throws -> TestProcess {
        try start(path: Self.executable(program), arguments, streams, environment)
    }

    /// Starts a shell with a script.
    func shell(_ script: String) throws -> TestProcess {
        try start(path: "/bin/sh", ["-c", script], .lines(input: false), [:])
    }

    private func start(
        path: String,
        _ arguments: [String],
        _ streams: TestProcess.Streams,
        _ environment: [String: String]
    ) throws -> TestProcess {
        let process = try TestProcess(path, arguments, in: self, streams: streams, environment: environment)
        processes.append(process)
        return process
    }

    /// The path of a program that was built with these tests.
    static func executable(_ program: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        for place in [tests, CommandLine.arguments[0], Bundle.main.bundlePath] {
            let candidate = URL(fileURLWithPath: place).deletingLastPathComponent().appendingPathComponent(program)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate.path }
        }
        throw Missing("the built \(program), next to the tests")
    }
}

extension TestProcess {
    /// The JSON objects of the lines so far.
    func objects() throws -> [[String: Any]] {
        try lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    }

    /// The six digits that the process shows for the `count`th time.
    func code(number count: Int = 1) throws -> String { String(try line(number: count, with: "Code for ").suffix(6)) }
}

/// A reader of btsnoop files that shares no code with the writer.
enum Btsnoop {
    /// The packets of a file; throws if it is not well formed.
    static func records(of path: String) throws -> [Data] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        guard data.prefix(8) == Data("btsnoop\0".utf8), number(data, at: 8) == 1,
            [1001, 1002].contains(number(data, at: 12))
        else { throw Missing("a btsnoop header of version 1") }
        var records: [Data] = []
        var offset = 16
        while offset < data.count {
            guard offset + 24 <= data.count else { throw Missing("a whole record header at \(offset)") }
            let included = number(data, at: offset + 4)
            guard included <= number(data, at: offset), offset + 24 + included <= data.count else {
                throw Missing("a whole record at \(offset)")
            }
            records.append(data.subdata(in: offset + 24..<offset + 24 + included))
            offset += 24 + included
        }
        return records
    }

    private static func number(_ data: Data, at offset: Int) -> Int {
        data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
