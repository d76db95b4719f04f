// The processes of one air, which the soak's parent starts, gives orders, stops and continues.

import BenchmarkSupport
import Foundation

/// The air of the two programs, and the program that serves it.
enum SoakAir: String, CaseIterable {
    /// The user's own air, which the peripheral serves.
    case peripheral
    /// The user's own air, which the central serves.
    case central
    /// An air over TCP, which a third process serves.
    case tcp

    var text: String {
        switch self {
        case .peripheral: "own air, served by the peripheral"
        case .central: "own air, served by the central"
        case .tcp: "air over TCP"
        }
    }
}

/// The processes of one air.
final class Programs {
    let peripheral: ChildProcess
    let central: ChildProcess
    let server: ChildProcess?
    private let folder: URL

    /// The longest time without a line, in seconds, besides the time for which a process is stopped.
    static let silenceLimit = 60
    /// The limit of a process's memory, in MB.
    static let memoryLimit = 100.0

    init(_ air: SoakAir) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("soak-\(getpid())-\(air)")
        self.folder = folder
        try? FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        func start(_ program: URL, _ arguments: [String], adapter: String) -> ChildProcess {
            let environment = [
                "XDG_RUNTIME_DIR": folder.path, "XDG_STATE_HOME": folder.appendingPathComponent("state").path,
                "COREBLUETOOTH_ADAPTER": adapter,
            ]
            let process = ChildProcess(program, arguments, environment: environment)
            Self.running.append(process)
            return process
        }
        Self.folders.append(folder)
        var adapter = "air"
        var server: ChildProcess?
        if air == .tcp {
            let process = start(
                ChildProcess.program("corebluetooth"),
                ["air", "--listen", "tcp:127.0.0.1:0"],
                adapter: adapter
            )
            let line = process.wait(for: "listening")
            let address = line.split(separator: " ").first { $0.hasPrefix("tcp:") }
            adapter = "air:\(address ?? "")"
            server = process
        }
        func role(_ role: String, until word: String) -> ChildProcess {
            let process = start(ChildProcess.program(), ["--role", role], adapter: adapter)
            process.wait(for: word)
            return process
        }
        if air == .central {
            self.central = role("central", until: "scanning")
            self.peripheral = role("peripheral", until: "advertising")
        } else {
            self.peripheral = role("peripheral", until: "advertising")
            self.central = role("central", until: "scanning")
        }
        self.server = server
        for process in [self.peripheral, self.central] { process.wait(for: "ready") }
    }

    var all: [ChildProcess] { [self.peripheral, self.central] + (self.server.map { [$0] } ?? []) }

    func name(_ process: ChildProcess) -> String {
        process === self.peripheral ? "peripheral" : process === self.central ? "central" : "air"
    }

    /// The next line of either program. A line that reports a failure ends the soak.
    func nextLine() -> (ChildProcess, String) {
        let programs = [self.peripheral, self.central]
        guard let (process, line) = ChildProcess.nextLine(of: programs, within: Self.silenceLimit * 1000) else {
            expect(false, "nothing moves any more for \(Self.silenceLimit) s")
            preconditionFailure()
        }
        expect(!line.hasPrefix("failed"), "the \(self.name(process)): \(line)")
        return (process, line)
    }

    /// Writes an order, and waits for the line that says it is done.
    func order(_ process: ChildProcess, _ line: String, answer: String) {
        process.send(line)
        while true {
            let (sender, line) = self.nextLine()
            if sender === process, line == answer { return }
            expect(line == "progress", "\(line) of the \(self.name(sender)), where \(answer) was awaited")
        }
    }

    /// The largest resident memory that each process has had so far, as text; it has to be less than the limit.
    func checkMemory() -> String {
        self.all.map { process in
            let memory = Meter.peakMemory(of: process.number)
            guard let memory else {
                expect(false, "the \(self.name(process)) has ended")
                return ""
            }
            expect(memory < Self.memoryLimit, "the \(self.name(process)) has had \(Int(memory)) MB of memory")
            return "\(self.name(process)) \(Int(memory.rounded(.up))) MB"
        }.joined(separator: ", ")
    }

    /// Ends the processes.
    func end() { Self.endAll() }

    // MARK: The end

    private static var running: [ChildProcess] = []
    private static var folders: [URL] = []

    /// Ends every remaining process, and removes the folders.
    static func endAll() {
        // The program that serves an air was started first.
        for process in self.running.reversed() { process.end() }
        for folder in self.folders { try? FileManager.default.removeItem(at: folder) }
        self.running = []
        self.folders = []
    }
}
