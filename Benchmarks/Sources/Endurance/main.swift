// Many operations in one process: reads, questions to a Magic 8-Ball, connections, power cycles. The memory must be the
// same after many of them as after some.

import ArgumentParser
import BenchmarkSupport
import Foundation

struct EnduranceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "endurance",
        abstract: "Many operations in one process, whose memory must stay the same.",
        discussion: """
            Each phase prints the memory at each tenth of it. From the end of the second tenth on, resident memory may \
            grow by \(Memory.residentBound) MB, and what is allocated by \(Memory.allocatedBound) KiB.
            """
    )

    @Option(help: ArgumentHelp("The number of reads of a characteristic.", valueName: "n"))
    var reads = 400_000

    @Option(help: ArgumentHelp("The number of questions, by the Magic 8-Ball SDK.", valueName: "n"))
    var questions = 1_000_000

    @Option(help: ArgumentHelp("The number of connections, with discovery, subscription and read.", valueName: "n"))
    var connections = 10_000

    @Option(help: ArgumentHelp("The number of times that both adapters are switched off and on.", valueName: "n"))
    var powerCycles = 1_000

    func validate() throws {
        for count in [self.reads, self.questions, self.connections, self.powerCycles] {
            guard (0...1_000_000_000).contains(count) else { throw ValidationError("A number is 0 to 1000000000.") }
        }
    }

    func run() throws {
        var isFlat = true
        isFlat = Phase("reads", self.reads).run(Visits.reads) && isFlat
        isFlat = Phase("connections", self.connections).run(Visits.connections) && isFlat
        isFlat = Phase("power cycles", self.powerCycles).run(Visits.powerCycles) && isFlat
        isFlat = Phase("questions", self.questions).run(Questions.run) && isFlat
        expect(isFlat, "the memory has grown")
        print("endurance: passed")
    }
}

EnduranceCommand.main()
