// The Magic 8-Ball on the whole screen, as a process in a terminal of its own, while many balls come and go fast around
// it and a person asks them. Its memory must stay the same.

import ArgumentParser
import BenchmarkSupport
import Foundation

struct ScreenSoak: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "eightball on the whole screen, with many balls that come and go; its memory must stay the same.",
        discussion: """
            Prints the program's memory at each tenth of the time. From the end of the second tenth on it may grow by \
            \(Int(memoryBound)) MB.
            """
    )

    /// The limit of the program's growth, in MB: less than a few octets for each ball that came.
    private static let memoryBound = 4.0

    @Option(help: ArgumentHelp("The duration in minutes.", valueName: "minutes"))
    var minutes = 20.0

    @Option(help: ArgumentHelp("The number of balls that come and go.", valueName: "n"))
    var balls = 100

    @Option(help: ArgumentHelp("The seed that determines when balls come and go.", valueName: "number"))
    var seed: UInt64 = 1

    func validate() throws {
        guard (0.1...1_440).contains(self.minutes) else { throw ValidationError("The time is 0.1 to 1440 minutes.") }
        guard (1...1_000).contains(self.balls) else { throw ValidationError("1 to 1000 balls can come and go.") }
    }

    func run() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("screen-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // An air of this run's own, also for the program.
        for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME"] { setenv(name, folder.path, 1) }
        setenv("COREBLUETOOTH_ADAPTER", "air", 1)
        setenv("TERM", "xterm-256color", 1)
        let crowd = BallCrowd(count: self.balls, seed: self.seed)
        let program = try ScreenProgram(ChildProcess.program("eightball"), ["--identity", "asker"])
        program.type("1")

        var samples: [Double] = []
        let start = Date()
        let length = self.minutes * 60
        for tenth in 1...10 {
            let end = start.addingTimeInterval(length * Double(tenth) / 10)
            while Date() < end {
                RunLoop.main.run(until: min(end, Date(timeIntervalSinceNow: 1)))
                expect(program.isRunning, "the program has ended; on its screen:\n\(program.lastOctets)")
                program.type(crowd.keys())
            }
            let memory = program.residentMemory
            samples.append(memory)
            print(
                String(
                    format: "after %.0f s: %d balls have come, %d answers given, %.1f MB drawn, %.1f MB resident",
                    Date().timeIntervalSince(start),
                    crowd.arrivals,
                    crowd.answers,
                    Double(program.drawnOctets) / 1e6,
                    memory
                )
            )
            fflush(stdout)
        }
        let growth = samples[9] - samples[1]
        expect(crowd.answers > 0, "no question was answered")
        program.type("\u{3}")
        expect(program.end() == 130, "the program did not end with Ctrl-C")
        expect(growth <= Self.memoryBound, String(format: "the memory has grown by %.1f MB", growth))
        print(String(format: "screen: passed, grown by %.1f MB", growth))
    }
}

ScreenSoak.main()
