// `corebluetooth advertise`: be a peripheral.

import ArgumentParser
import BluetoothHost
import CommandLineTool
import CoreBluetooth
import Foundation

/// The command `corebluetooth advertise`.
struct AdvertiseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advertise",
        abstract: "Be a peripheral until interrupted.",
        discussion: """
            With --gatt FILE it offers the services that a JSON file describes, answers reads, takes writes and prints \
            them, and notifies subscribers; "security" says what needs pairing. With --from-capture FILE it is like \
            the peripheral of a recorded conversation: its services, values, notifications and answers. With \
            --benchmark it serves "corebluetooth benchmark".

            A file, whose values are hex, text, base64, uint8 to uint64, int8 to int64, float32, float64, or the \
            medical devices' medfloat16 and medfloat32:

            \(GATTDescription.example)

            Lines of standard input are commands while it runs: "set 2A19 5F" changes a value, "notify 2A19 5F" also \
            sends it to subscribers, "notify 2A19" sends the present one, and "help" lists all.

            What is advertised beside name and services, how, and beacons are for tools: Core Bluetooth has no calls \
            for them.

            The package has a JSON Schema of such files for editors, which a file may name as "$schema":

            file:///usr/share/opencorebluetooth/gatt-description.schema.json
            """
    )

    @Option(help: ArgumentHelp("The name. (default: that of the file, else of this computer)", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("Advertise this service. Can be given several times.", valueName: "uuid"))
    var service: [String] = []

    @Option(
        help: ArgumentHelp("Offer the services that this JSON file describes.", valueName: "file"),
        completion: .file()
    )
    var gatt: String?

    @Option(
        help: ArgumentHelp("Be like the peripheral in this capture (btsnoop, PacketLogger, pcap).", valueName: "file"),
        completion: .file()
    )
    var fromCapture: String?

    @Option(help: ArgumentHelp("The peripheral in the capture, if there are several.", valueName: "address"))
    var device: String?

    @Flag(help: "Serve the other side of corebluetooth benchmark.")
    var benchmark = false

    @OptionGroup var advertisement: AdvertisementOptions
    @OptionGroup var pairing: PairingOptions
    @OptionGroup var method: PairingMethodOptions

    @Flag(help: "Print out-of-band data, with which one device can pair: corebluetooth pair --oob.")
    var oob = false

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        for text in service { _ = try Arguments.uuid(text) }
        if let name, name.isEmpty { throw ValidationError("The name is empty.") }
        guard gatt == nil || fromCapture == nil else {
            throw ValidationError("A peripheral is described by --gatt or by --from-capture, not by both.")
        }
        guard pairing.requirePairing == nil || method.io == nil else {
            throw ValidationError("--require-pairing implies the input and output; leave --io out.")
        }
        try method.check(radio, usesOutOfBandData: oob)
        guard device == nil || fromCapture != nil else {
            throw ValidationError("--device chooses a peripheral of --from-capture.")
        }
    }

    func run() throws {
        var description =
            try gatt.map(GATTDescription.read) ?? fromCapture.map(described) ?? GATTDescription(services: [])
        try advertisement.apply(to: &description)
        if let problem = description.advertisingProblem { throw Failure(problem.text) }
        let isChosen = name != nil || description.name != nil
        let usual = description.beacon == nil ? RadioOptions.computerName ?? "corebluetooth" : ""
        let name = name ?? description.name ?? usual
        let local = oob ? LocalPairingOutOfBandData(method.noSecureConnections ? .legacy : .secureConnections) : nil
        let outOfBand = local.map { PairingOutOfBandExchange(local: $0) }
        let agent = pairing.agent(output.format, chosen: method.io?.capabilities, outOfBand: outOfBand)
        try radio.apply(
            deviceName: name.isEmpty ? nil : name,
            reportsShortening: isChosen,
            agent: agent,
            requiresPairing: pairing.requirePairing != nil,
            permitsSystemServices: fromCapture != nil,
            permitsWholeName: true
        ) { configuration in
            configuration.appearance = description.appearance?.value ?? 0
            method.apply(to: &configuration)
        }
        let services = try service.map(Arguments.uuid)
        MainActor.assumeIsolated {
            let session = AdvertiseSession(
                name: name,
                advertised: services,
                description: description,
                benchmark: benchmark,
                output: output.format
            )
            session.outOfBand = local
            session.run(agent.conversation)
        }
    }

    /// The peripheral of a capture; reports what it advertised and this program cannot.
    private func described(_ path: String) throws -> GATTDescription {
        let recorded = try RecordedPeripheral.read(path, device: device)
        for service in recorded.services where !service.wasDiscovered {
            Console.warn("the capture has no discovery of the characteristics of \(service.uuid)")
        }
        return GATTDescription(recorded)
    }
}
