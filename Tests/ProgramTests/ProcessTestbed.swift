// Where real processes of the built programs run: on an air, and with storage, that belong to one test alone.

import Foundation

/// A test's air: a folder of its own for sockets and another for what is kept, so that no other process takes part.
final class ProcessTestbed {
    /// The folder that holds everything.
    let folder: URL
    private var processes: [TestProcess] = []

    /// Makes the folders.
    init() throws {
        // Short: the path of a socket has at most 107 octets.
        let name = "e2e-" + String(UInt32.random(in: .min ... .max), radix: 36)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        for part in ["run", "state"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(part),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
    }

    /// Ends every process that is left, and removes the folders.
    func end() {
        processes.forEach { $0.terminate() }
        processes.removeAll()
        try? FileManager.default.removeItem(at: folder)
    }

    /// A path inside the test's folder.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The sockets of the test's air, as they are now.
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

    /// Starts an `eightball`.
    func eightball(_ arguments: String..., input: Bool = false) throws -> TestProcess {
        try eightball(arguments, input: input)
    }

    /// Starts an `eightball`.
    func eightball(_ arguments: [String], input: Bool = false) throws -> TestProcess {
        try start("eightball", arguments, input: input)
    }

    /// Starts a program whose lines are kept, and whose input is what the test writes, or nothing.
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
        try start(Self.executable(program), arguments, streams, environment)
    }

    /// Starts a shell with a script.
    func shell(_ script: String) throws -> TestProcess {
        try start(URL(fileURLWithPath: "/bin/sh"), ["-c", script], .lines(input: false), [:])
    }

    private func start(
        _ executable: URL,
        _ arguments: [String],
        _ streams: TestProcess.Streams,
        _ environment: [String: String]
    ) throws -> TestProcess {
        let process = try TestProcess(executable, arguments, in: self, streams: streams, environment: environment)
        processes.append(process)
        return process
    }

    /// The program that was built with these tests.
    static func executable(_ program: String) throws -> URL {
        let places: [String?] = [
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            CommandLine.arguments.first,
            Bundle.main.bundlePath,
        ]
        for case let place? in places {
            let candidate = URL(fileURLWithPath: place).deletingLastPathComponent().appendingPathComponent(program)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        throw Missing("the built \(program), next to the tests")
    }
}
