// `corebluetooth learn`: runs the course, which is a program of its own: it links a world of devices with the clocks
// and queues of tests, which nothing else here needs.

import ArgumentParser
import CommandLineTool
import Foundation

/// `corebluetooth learn`.
struct LearnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learn",
        abstract: "Learn Core Bluetooth in lessons that run.",
        discussion: "Runs the program \(program), which has the lessons; corebluetooth learn --help is its help."
    )

    /// The course's program, in the folder of this one.
    static let program = "corebluetooth-learn"

    @Argument(parsing: .captureForPassthrough, help: "A lesson, and its options.")
    var arguments: [String] = []

    func run() throws { try run(in: Self.folder) }

    /// Replaces this process with the program in a folder.
    func run(in folder: String) throws {
        let words = ["\(folder)/\(Self.program)"] + arguments
        var pointers = words.map { strdup($0) } + [nil]
        defer { pointers.forEach { free($0) } }
        execv(words[0], &pointers)
        throw Failure(
            "the course is a program of its own, \(Self.program), which is not in \(folder); "
                + "in a clone of OpenCoreBluetooth, swift run \(Self.program) builds and runs it"
        )
    }

    /// The folder of this program, by whatever name it was started.
    private static var folder: String {
        let path = Bundle.main.executablePath ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
    }
}
