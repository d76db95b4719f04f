// One run: the program, the source of its flood, the reader of its output, and its end.

import BenchmarkSupport
import Foundation

/// How the program's output is read.
enum Reading: String {
    /// Not at all.
    case nothing
    /// A little, a few times a second.
    case slowly
}

/// A program under a flood, from its start to its end.
final class FloodRun {
    private let floodCase: FloodCase
    private let reading: Reading
    private let signal: Int32
    private let folder: URL

    /// The limit of a program's memory, in MB.
    private static let memoryLimit = 100.0
    /// The time limit for a program's end, in seconds.
    private static let endLimit = 1.0
    /// The time limit for every start, in seconds.
    private static let startLimit = 30.0

    /// F_SETPIPE_SZ, which Swift's view of fcntl.h lacks.
    private static let setPipeSize: Int32 = 1031

    private static var processes: [Process] = []
    private static var folders: [URL] = []

    init(_ floodCase: FloodCase, _ reading: Reading, _ signal: Int32) {
        self.floodCase = floodCase
        self.reading = reading
        self.signal = signal
        // Short: a socket's path has at most 107 octets.
        self.folder = FileManager.default.temporaryDirectory.appendingPathComponent("flood-\(getpid())")
        Self.folders.append(self.folder)
        try? FileManager.default.createDirectory(
            at: self.folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try? Data(FloodCase.description.utf8).write(to: self.folder.appendingPathComponent("gatt.json"))
    }

    private func argument(_ text: String) -> String {
        text.replacingOccurrences(of: "GATT", with: self.folder.appendingPathComponent("gatt.json").path)
            .replacingOccurrences(of: "AIR", with: self.folder.appendingPathComponent("a").path)
            .replacingOccurrences(of: "PROGRAM", with: ChildProcess.program(self.floodCase.program).path)
    }

    private func start(_ program: URL, _ arguments: [String], input: Any?, output: Any) -> Process {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments.map(self.argument)
        process.environment = ProcessInfo.processInfo.environment.merging([
            "XDG_RUNTIME_DIR": self.folder.path, "XDG_STATE_HOME": self.folder.appendingPathComponent("state").path,
            "COREBLUETOOTH_ADAPTER": "air",
        ]) { $1 }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = output
        // Misuse is reported there, and does not matter here.
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { expect(false, "\(program.path): \(error)") }
        Self.processes.append(process)
        return process
    }

    private func startSource(_ output: Pipe) -> Process {
        switch self.floodCase.source {
        case .role(let role, let arguments):
            return self.start(
                ChildProcess.program(),
                ["--role", role] + arguments,
                input: Pipe(),
                output: output
            )
        case .program(let program, let arguments, let input):
            let lines = Pipe()
            let process = self.start(ChildProcess.program(program), arguments, input: lines, output: output)
            let text = Data(String(repeating: input + "\n", count: 100).utf8)
            Thread.detachNewThread {
                while (try? lines.fileHandleForWriting.write(contentsOf: text)) != nil {}
            }
            return process
        }
    }

    /// Waits for a condition.
    private func wait(for what: String, _ isSo: () -> Bool) {
        let deadline = Date(timeIntervalSinceNow: Self.startLimit)
        while !isSo() {
            expect(Date() < deadline, "\(self.floodCase.name): no \(what) in \(Int(Self.startLimit)) s")
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Floods for this long, then ends the program, and prints a line about it.
    func run(seconds: Double) {
        let sourceOutput = Pipe()
        let sourceReader = OutputReader(sourceOutput, slowly: false)
        let output = Pipe()
        // As small as possible, so that it is full soon.
        _ = fcntl(output.fileHandleForWriting.fileDescriptor, Self.setPipeSize, 4096)
        var source: Process?
        if self.floodCase.isSourceFirst {
            source = self.startSource(sourceOutput)
            self.wait(for: "advertising") { sourceReader.octets > 0 }
        }
        let victim = self.start(
            ChildProcess.program(self.floodCase.program),
            self.floodCase.arguments,
            input: Pipe(),
            output: output
        )
        let reader = self.reading == .slowly ? OutputReader(output, slowly: true) : nil
        let flood = source ?? self.startSource(sourceOutput)
        if self.floodCase.hasOutput {
            // A slow reader leaves it full as well.
            self.wait(for: "flood of output") { Self.unreadOctets(output) >= 3000 }
        } else {
            self.wait(for: "flood") { sourceReader.octets > 0 }
        }
        Thread.sleep(forTimeInterval: seconds)
        let memory = [victim, flood].map { self.memory(of: $0) }
        let began = DispatchTime.now().uptimeNanoseconds
        let ended = DispatchSemaphore(value: 0)
        victim.terminationHandler = { _ in ended.signal() }
        kill(victim.processIdentifier, self.signal)
        if victim.isRunning {
            expect(
                ended.wait(timeout: .now() + 10) == .success,
                "\(self.floodCase.name): does not end with signal \(self.signal)"
            )
        }
        let time = Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9
        let expected: Int32 = self.signal == SIGTERM ? 0 : 130
        expect(
            victim.terminationReason == .exit && victim.terminationStatus == expected,
            "\(self.floodCase.name): ended with \(victim.terminationStatus), not with \(expected)"
        )
        expect(time < Self.endLimit, "\(self.floodCase.name): took \(time) s to end")
        print(
            "\(self.floodCase.name): output read \(self.reading == .nothing ? "by nobody" : "slowly"), "
                + "\(memory[0]) MB, the other side \(memory[1]) MB, "
                + "ended with \(expected) in \(Int(time * 1000)) ms"
        )
        fflush(stdout)
        withExtendedLifetime((reader, sourceReader)) {}
        Self.endAll()
    }

    private func memory(of process: Process) -> Int {
        guard let memory = Meter.peakMemory(of: process.processIdentifier) else {
            expect(false, "\(self.floodCase.name): \(process.arguments ?? []) has ended")
            return 0
        }
        expect(memory < Self.memoryLimit, "\(self.floodCase.name): \(process.arguments ?? []) has \(Int(memory)) MB")
        return Int(memory.rounded(.up))
    }

    private static func unreadOctets(_ pipe: Pipe) -> Int32 {
        var count: Int32 = 0
        _ = ioctl(pipe.fileHandleForReading.fileDescriptor, UInt(FIONREAD), &count)
        return count
    }

    /// Ends every remaining process, with those that it has started, and removes the folders.
    static func endAll() {
        for process in self.processes where process.isRunning {
            kill(-process.processIdentifier, SIGKILL)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        for folder in self.folders { try? FileManager.default.removeItem(at: folder) }
        self.processes = []
        self.folders = []
    }
}

/// Reads a pipe on a thread of its own.
final class OutputReader {
    private let lock = NSLock()
    private var count = 0

    /// The number of octets that were read.
    var octets: Int { self.lock.withLock { self.count } }

    init(_ pipe: Pipe, slowly: Bool) {
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: slowly ? 256 : 65_536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { return }
                self.lock.withLock { self.count += count }
                if slowly { Thread.sleep(forTimeInterval: 0.1) }
            }
            withExtendedLifetime(pipe) {}
        }
    }
}
