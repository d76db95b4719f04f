// `corebluetooth capture`: HCI packets as btsnoop and in words.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation

/// The command `corebluetooth capture`.
struct CaptureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Show the HCI packets of a program, of this one, or of a file; keep them as btsnoop.",
        discussion: """
            "capture -- PROGRAM ARGUMENTS" runs a program that uses Core Bluetooth and shows its packets as they pass; \
            "capture FILE" shows a file of btsnoop (also btmon's), PacketLogger, pcap or pcapng, "--follow" also \
            what is added to it. With neither, this program scans on the adapter and shows its own packets. ">" goes \
            to the controller, "<" comes from it.
            """
    )

    @Argument(help: "Show the packets in this file.", completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp("Show the packets in this file, as FILE alone does.", valueName: "file"),
        completion: .file()
    )
    var read: String?

    @Flag(help: "Wait for what is added to the file.")
    var follow = false

    @Option(
        help: ArgumentHelp(
            "Show only the packets of this layer: hci, gap, l2cap, att or gatt, smp. Can be given several times; a "
                + "file that is written has all packets.",
            valueName: "layer"
        )
    )
    var layer: [LayerName] = []

    @Option(
        help: ArgumentHelp("Also keep the packets in this btsnoop file.", valueName: "file"),
        completion: .file()
    )
    var write: String?

    @Argument(parsing: .postTerminator, help: "The program to run and its arguments, behind --.")
    var program: [String] = []

    @Option(
        help: ArgumentHelp(
            "The adapter, for this program's own packets and those of the program it runs.",
            valueName: "string"
        )
    )
    var adapter: String?

    @Option(help: ArgumentHelp("Be this device on the air.", valueName: "name"))
    var identity: String?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        guard read == nil || file == nil else {
            throw ValidationError("One file is read: FILE or --read FILE, not both.")
        }
        let read = read ?? file
        guard read == nil || program.isEmpty else {
            throw ValidationError("Either a file is read or a program is run, not both.")
        }
        guard read != nil || !follow else { throw ValidationError("--follow goes with a file.") }
        guard read == nil || write == nil else {
            throw ValidationError("--write goes with packets that pass, not with a file.")
        }
    }

    func run() throws {
        if let write { try RadioOptions.checkCapture(write) }
        let output = OutputFormat(isJSON: json, isVerbose: false)
        let layers = Set(layer.map(\.layer))
        if let read = read ?? file {
            let follow = follow
            return try MainActor.assumeIsolated {
                try CaptureReading(path: read, printer: CapturePrinter(output: output, layers: layers)).run(
                    follows: follow
                )
            }
        }
        if let adapter { setenv("COREBLUETOOTH_ADAPTER", adapter, 1) }
        if let identity { setenv("COREBLUETOOTH_IDENTITY", identity, 1) }
        let pipe = try CapturePipe()
        setenv("COREBLUETOOTH_CAPTURE", pipe.path, 1)
        let printer = CapturePrinter(output: output, layers: layers, file: try write.map(CaptureCopy.init))
        if program.isEmpty {
            if let adapter { try RadioOptions.select(adapter) }
            MainActor.assumeIsolated { OwnCapture(pipe: pipe, printer: printer).run() }
        }
        MainActor.assumeIsolated { ProgramCapture(program, pipe: pipe, printer: printer).run() }
    }
}
