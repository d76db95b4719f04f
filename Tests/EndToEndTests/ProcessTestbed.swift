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

    /// Starts a program that was built with these tests.
    ///
    /// With a terminal, that is where its standard output goes; with one for typing, where its standard input is.
    func start(
        _ program: String,
        _ arguments: [String],
        input: Bool = false,
        terminal: PseudoTerminal? = nil,
        typing: PseudoTerminal? = nil
    ) throws -> TestProcess {
        let process = try TestProcess(
            Self.executable(program),
            arguments,
            in: self,
            hasInput: input,
            terminal: terminal,
            typing: typing
        )
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
