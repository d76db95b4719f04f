// Our programs while a peer floods them and nobody, or only a slow reader, takes their output: they stay under 100 MB, and
// end within a second of Ctrl-C and of SIGTERM, with the documented status. What floods is this program in a role, or
// another of our programs with endless input, which has to stay under 100 MB as well.

import ArgumentParser
import BenchmarkSupport
import Foundation

struct FloodCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flood",
        abstract: "Our programs under a flood, with output that nobody reads or that is read slowly."
    )

    @Option(help: ArgumentHelp("Flood each program for so long.", valueName: "s"))
    var seconds = 5.0

    @Option(help: ArgumentHelp("Only the cases whose name contains this.", valueName: "text"))
    var only: String?

    @Option(help: .hidden)
    var role: String?

    @Argument(help: .hidden)
    var roleArguments: [String] = []

    func validate() throws {
        guard (0.1...86_400).contains(self.seconds) else { throw ValidationError("The seconds are 0.1 to 86400.") }
    }

    func run() throws {
        if let role { Flooder.run(role, self.roleArguments) }
        atexit { FloodRun.endAll() }
        // A program that ends closes the input that it is flooded with.
        signal(SIGPIPE, SIG_IGN)
        for `case` in FloodCase.all where self.only.map({ `case`.name.contains($0) }) ?? true {
            for (reading, signal) in [(Reading.nothing, SIGINT), (.slowly, SIGTERM)] {
                FloodRun(`case`, reading, signal).run(seconds: self.seconds)
            }
        }
        print("flood: passed")
    }
}

FloodCommand.main()
