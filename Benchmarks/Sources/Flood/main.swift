// Our programs while a peer floods them and their output is read slowly or not at all: they stay under 100 MB, and
// end within a second of Ctrl-C and of SIGTERM, with the documented status. The source is this program in a role, or
// another of our programs with endless input, which must stay under 100 MB as well.

import ArgumentParser
import BenchmarkSupport
import Foundation

struct FloodCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flood",
        abstract: "Our programs under a flood, with output that is read slowly or not at all."
    )

    @Option(help: ArgumentHelp("Flood each program for this number of seconds.", valueName: "s"))
    var seconds = 5.0

    @Option(help: ArgumentHelp("Run only the cases whose name contains this text.", valueName: "text"))
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
