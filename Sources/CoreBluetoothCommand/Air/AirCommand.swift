// `corebluetooth air`: an air for any HCI host that connects.

import ArgumentParser
import BluetoothAir
import BluetoothTransport
import CommandLineTool
import Foundation

/// The command `corebluetooth air`.
struct AirCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "air",
        abstract: "Serve an air until interrupted.",
        discussion: """
            Each connection is a fresh Bluetooth controller that speaks H4; any HCI host may connect. Our own programs \
            do it with --adapter air:PATH or --adapter air:tcp:HOST:PORT. Without --listen it is your own air, which \
            programs join that are given no adapter. Who joins and who leaves is printed.
            """
    )

    /// How the air treats time.
    enum Model: String, ExpressibleByArgument, CaseIterable {
        case instant
        case realistic
    }

    @Option(
        help: ArgumentHelp(
            "Listen at unix:PATH or tcp:HOST:PORT; port 0 is any free one. Can be given several times.",
            valueName: "address"
        )
    )
    var listen: [String] = []

    @Option(help: "instant: as fast as the machine; realistic: with air time and connection events.")
    var model = Model.instant

    @Option(help: ArgumentHelp("The share of packets that are lost, from 0 to 1.", valueName: "share"))
    var loss = 0.0

    @Option(help: ArgumentHelp("The seed of all chance and of the controllers' addresses.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp("Write each host's HCI packets to a btsnoop file of its own.", valueName: "file"),
        completion: .file()
    )
    var capture: String?

    @Option(help: ArgumentHelp("The most hosts that are connected at a time, at each address.", valueName: "n"))
    var hosts = H4Server.Limits().connections

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard hosts > 0 else {
            throw ValidationError("The number of hosts is 1 or more, such as \(H4Server.Limits().connections).")
        }
        guard loss >= 0, loss <= 1 else { throw ValidationError("The loss is a share from 0 to 1, such as 0.1.") }
        for text in listen { _ = try Arguments.listeningAddress(text) }
    }

    func run() throws {
        if let capture { try RadioOptions.checkCapture(capture) }
        try OpenFilesLimit.require(connections: hosts, listeners: max(1, listen.count), isCapturing: capture != nil)
        let (plan, words) = (try plan(), words)
        MainActor.assumeIsolated {
            AirSession(plan: plan, words: words, output: output.format).run()
        }
    }

    /// What the options ask for.
    func plan() throws -> AirService.Plan {
        AirService.Plan(
            addresses: try listen.map(Arguments.listeningAddress),
            settings: AirSettings(hasAirTime: model == .realistic, loss: LossProbability(loss)),
            seed: seed,
            captureFile: capture,
            hostLimit: hosts
        )
    }

    /// The same for a person.
    var words: String { "\(model.rawValue), seed \(seed)" + (loss > 0 ? ", loss \(SecondsText.number(loss))" : "") }
}

/// Serves an air and prints the hosts that join and leave.
@MainActor
final class AirSession {
    private let plan: AirService.Plan
    private let words: String
    private let output: OutputFormat
    /// The number of addresses that are not listened at yet.
    private var awaited: Int

    /// Creates the session.
    init(plan: AirService.Plan, words: String, output: OutputFormat) {
        self.plan = plan
        self.words = words
        self.output = output
        awaited = max(1, plan.addresses.count)
    }

    /// Serves; never returns.
    func run() -> Never {
        Interrupts.watch()
        let waiting = WaitingEvents()
        let service = AirService(plan) { event in
            guard waiting.add(event) else { return }
            DispatchQueue.main.async { MainActor.assumeIsolated { self.report(waiting) } }
        }
        ServiceManager.current.watch { service.whenTurning($0) }
        Interrupts.runUntilExit()
    }

    func report(_ waiting: WaitingEvents) {
        let (events, dropped) = waiting.take()
        for event in events { report(event) }
        guard dropped > 0 else { return }
        output.print(
            "dropped",
            [("count", .integer(dropped))],
            line: "\(dropped) more hosts that came or went are not shown: this output was not read"
        )
    }

    func report(_ event: AirService.Event) {
        switch event {
        case .listening(let address, let isOwnAir):
            let adapter = isOwnAir ? "air" : AdapterName.air(address).description
            output.print(
                "listening",
                [("address", .string(address.description)), ("adapter", .string(adapter))],
                line: "listening at \(address) (\(words)); join with --adapter \(adapter)"
            )
            awaited -= 1
            if awaited == 0 { ServiceManager.current.ready(Self.onTheAir(0)) }
        case .joined(let number, let peer, let count):
            output.print(
                "joined",
                [("number", .integer(number)), ("peer", .string(peer)), ("count", .integer(count))],
                line: "\(number) joined: \(PrintableText.text(peer)); \(Self.onTheAir(count))"
            )
            ServiceManager.current.status(Self.onTheAir(count))
        case .addressed(let number, let address):
            output.print(
                "addressed",
                [("number", .integer(number)), ("address", .string(address))],
                line: "\(number) is \(address)"
            )
        case .left(let number, let reason, let count):
            output.print(
                "left",
                [("number", .integer(number)), ("reason", .string(reason)), ("count", .integer(count))],
                line: "\(number) left: \(reason); \(Self.onTheAir(count))"
            )
            ServiceManager.current.status(Self.onTheAir(count))
        case .failed(let reason):
            Ending.fail(Failure(reason))
        }
    }

    private static func onTheAir(_ count: Int) -> String {
        switch count {
        case 0: "nobody is on the air"
        case 1: "1 is on the air"
        default: "\(count) are on the air"
        }
    }
}
