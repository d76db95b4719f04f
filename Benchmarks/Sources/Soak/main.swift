// Streams between two programs, while processes are stopped and continued: writes without response, notifications and
// an L2CAP channel in both directions, each alone and all at once, on the own air, whichever of the two serves it, and
// on an air over TCP. Received octets are compared with those sent; nothing may be lost, duplicated or swapped, no
// process may grow beyond 100 MB, and no stream may stall.
//
// The parent starts the programs, which are this program in a role, and stops them when a receiver reports a number of
// octets, so that each stop is within a stream, however short that is.

import ArgumentParser
import BenchmarkSupport
import BluetoothTypes
import Foundation

struct SoakCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Streams between processes that are stopped and continued, compared octet by octet.",
        discussion: """
            A case is one stream, or all four at once, on one air: write (writes without response), notify \
            (notifications), up and down (an L2CAP channel, from the central and from the peripheral). Each case has its \
            stops: two of three stop its receiver, the others its sender or the process that serves the air. Without \
            options this is the matrix with 64 MiB on each stream.
            """
    )

    @Option(help: ArgumentHelp("The MiB on each stream of a case.", valueName: "n"))
    var mib = 64

    @Option(help: ArgumentHelp("Repeat the cases for this number of minutes instead of once.", valueName: "n"))
    var minutes: Double?

    @Option(help: ArgumentHelp("The number of stops in each case.", valueName: "n"))
    var stops = 2

    @Option(help: ArgumentHelp("The longest stop in seconds.", valueName: "s"))
    var longest = 10.0

    @Option(help: ArgumentHelp("The seed of the stops: which process, when, and for how long.", valueName: "n"))
    var seed: UInt64?

    @Option(help: "Only this air, or these: the own one, served by the peripheral or by the central, or one over tcp.")
    var air: [SoakAir] = []

    @Option(help: "Only this case, or these: write, notify, up, down, all.")
    var `case`: [SoakCase] = []

    @Option(help: .hidden)
    var role: String?

    func validate() throws {
        guard (1...1_048_576).contains(self.mib) else { throw ValidationError("The MiB are 1 to 1048576.") }
        guard (0...1000).contains(self.stops) else { throw ValidationError("The stops are 0 to 1000.") }
        // The process that serves an air may be stopped for 15 s.
        guard (0...14).contains(self.longest) else { throw ValidationError("A stop lasts 0 to 14 seconds.") }
        if let minutes { guard minutes > 0 else { throw ValidationError("The minutes are more than 0.") } }
    }

    func run() throws {
        switch self.role {
        case "peripheral": SoakPeripheral().serve()
        case "central": SoakCentral().serve()
        default: self.runCases()
        }
    }

    private func runCases() {
        let seed = self.seed ?? UInt64.random(in: 0..<1_000_000)
        print("soak: \(self.mib) MiB on each stream, \(self.stops) stops of \(self.longest) s at most, seed \(seed)")
        atexit { Programs.endAll() }
        let airs = self.air.isEmpty ? SoakAir.allCases : self.air
        let cases = self.case.isEmpty ? SoakCase.allCases : self.case
        var generator = SeededGenerator(seed: seed)
        for (index, air) in airs.enumerated() {
            let programs = Programs(air)
            let matrix = CaseRunner(
                programs: programs,
                air: air,
                octets: self.mib * 1_048_576,
                stops: self.stops,
                longest: self.longest
            )
            // Each air has its share of the time.
            let end = self.minutes.map { Date(timeIntervalSinceNow: $0 * 60 / Double(airs.count)) }
            repeat {
                for `case` in cases { matrix.run(`case`, &generator) }
            } while end.map { Date() < $0 } ?? false
            print("\(air.text): everything arrived once and whole; largest memory: \(programs.checkMemory())")
            programs.end()
            if index == airs.count - 1 { print("soak: passed") }
        }
    }
}

extension SoakAir: ExpressibleByArgument {}
extension SoakCase: ExpressibleByArgument {}

SoakCommand.main()
