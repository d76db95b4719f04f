// `corebluetooth adapters`: the adapters, the programs that hold them, and the commands that free or permit them.

import ArgumentParser
import BluetoothAirService
import BluetoothTransport
import CommandLineTool
import Foundation

/// The command `corebluetooth adapters`.
struct AdaptersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters",
        abstract: "List the adapters, the programs that hold them, and the commands that free them.",
        discussion: """
            Nothing is opened or changed. Below each Linux adapter stands what is in the way of using it, and the \
            commands that take it away; with an adapter that is ready stands nothing. The last line is your own air, \
            the software radio that needs no adapter. Run it with sudo to see the programs of other users, too.
            """
    )

    @Option(
        help: ArgumentHelp("The program that is to use the adapter. (default: this one)", valueName: "file"),
        completion: .file()
    )
    var program: String?

    @Flag(help: "Also print a systemd unit and a udev rule that permit it permanently.")
    var setup = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    /// Prints the unit of our packages alone, for Packaging/build.
    @Flag(help: .hidden)
    var packagedUnit = false

    @Option(help: .hidden)
    var systemFolder = "/sys/class"

    @Option(help: .hidden)
    var processFolder = "/proc"

    func run() throws {
        let processes = ProcessListing(folder: processFolder)
        let report = AdapterReport(
            listing: AdapterListing(folder: systemFolder),
            holders: AdapterHolders(processes),
            program: program.map(Self.absolute) ?? processes.ownProgram,
            // What another program may do is written in its file, and only the kernel reads that for sure.
            mayUseAdapters: program == nil ? processes.mayUseAdapters : nil,
            usesLibraryPath: program == nil
                && processes.usesLibraries(in: ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? ""),
            air: try? UserAirStatus(processes: ProcessListing())
        )
        if packagedUnit {
            Console.print(SetupFiles(program: report.program, listing: report.listing).packagedUnit)
        } else if json {
            for object in report.objects { Console.print(object.text) }
        } else {
            for line in report.lines { Console.print(PrintableText.text(line)) }
            if setup { Console.print("\n" + SetupFiles(program: report.program, listing: report.listing).text) }
        }
    }

    private static func absolute(_ file: String) -> String {
        file.hasPrefix("/") ? file : FileManager.default.currentDirectoryPath + "/" + file
    }
}
