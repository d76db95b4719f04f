// The mesh messenger in process time: how long it takes in seconds of virtual and of real time, what a packet costs,
// and how much of that is the app's own work. The app is Tests/ClientSamples/MeshMessenger, unchanged.

import ArgumentParser
import BenchmarkSupport
import Foundation

struct MeshCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mesh",
        abstract: "Phones with the mesh messenger in virtual time: one table.",
        discussion: """
            Each case is a process of its own, and is run several times; its row is the run with the median of real \
            time.
            """
    )

    private static let names = Case.allCases.map(\.rawValue).joined(separator: ", ")

    @Option(help: ArgumentHelp("Run one case only: \(names).", valueName: "case"))
    var only: String?

    @Option(help: ArgumentHelp("The number of runs of each case.", valueName: "n"))
    var runs = 3

    @Option(help: ArgumentHelp("The seed of the world.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Run one case in this process, and print its figures as JSON.", visibility: .hidden))
    var here: String?

    @Option(help: ArgumentHelp("Write the trace of that run to this file.", visibility: .hidden))
    var trace: String?

    func validate() throws {
        for name in [self.only, self.here].compactMap({ $0 }) where Case(rawValue: name) == nil {
            throw ValidationError("There is no case \"\(name)\".")
        }
        guard (1...1000).contains(self.runs) else { throw ValidationError("Runs are 1 to 1000.") }
    }

    func run() throws {
        if let measured = self.here.flatMap(Case.init(rawValue:)) {
            var figures = try MainActor.assumeIsolated { try measured.run(seed: self.seed, trace: self.trace) }
            // Afterwards, since the clocks are real again.
            let costs = try OwnWork.measure()
            for (index, cost) in costs.enumerated() { figures.work[index].cost = cost }
            return print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
        }
        let cases = Case.allCases.filter { self.only == nil || self.only == $0.rawValue }
        let header = [
            "what", "prototype", "virtual", "real", "the app's own work", "without it", "packets",
            "processor time per packet", "aim",
        ]
        print("| " + header.joined(separator: " | ") + " |")
        print("|" + String(repeating: "---|", count: header.count))
        var last: Figures?
        for measured in cases {
            let all = try (0..<self.runs).map { _ in try self.child(measured) }
            let figures = all.sorted { $0.real < $1.real }[all.count / 2]
            last = figures
            let cells = [
                measured.title, measured.prototype, seconds(figures.virtual), seconds(figures.real),
                seconds(figures.ownWork), seconds(figures.real - figures.ownWork),
                "\(figures.packets) (\(figures.events) of HCI)",
                String(format: "%.0f µs", figures.processor / Double(max(1, figures.packets)) * 1e6), measured.aim,
            ]
            print("| " + cells.joined(separator: " | ") + " |")
        }
        guard let last else { return }
        let pieces = last.work.map { "\($0.name) \(String(format: "%.1f", $0.cost * 1e6)) µs, \($0.count) times" }
        print("\nThe app's own work of the last row: " + pieces.joined(separator: "; ") + ".")
    }

    /// Runs a case in a process of its own.
    private func child(_ measured: Case) throws -> Figures {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--here", measured.rawValue, "--seed", "\(self.seed)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        expect(process.terminationStatus == 0, "the case \(measured.rawValue) has failed")
        return try JSONDecoder().decode(Figures.self, from: data)
    }

    private func seconds(_ value: Double) -> String {
        value < 0.1 ? String(format: "%.1f ms", value * 1000) : String(format: "%.2f s", value)
    }
}

MeshCommand.main()
