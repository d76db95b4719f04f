// `corebluetooth subscribe`: the values of several characteristics of several devices, for as long as somebody wants
// them. Lost connections are made again.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation

/// The command `corebluetooth subscribe`.
struct SubscribeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Print the values that characteristics notify or indicate, as they come.",
        discussion: """
            It goes on until it is interrupted, or ended by --count or --duration. When a connection or the adapter is \
            lost it says so, looks for the device, and subscribes again; with --no-reconnect it ends with status 7. Of \
            several devices each is asked for the characteristics that it has.
            """
    )

    @OptionGroup var device: DeviceOptions

    @Argument(help: "The characteristics: UUIDs, assigned names such as \"Battery Level\", or handles such as 0x0010.")
    var characteristics: [String]

    @Option(
        name: .customLong("device"),
        help: ArgumentHelp("Another device. Can be given several times.", valueName: "device"),
        completion: .knownDevices
    )
    var moreDevices: [String] = []

    @Option(help: ArgumentHelp("The service of the characteristics.", valueName: "uuid"))
    var service: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("End after this many values, of all together.", valueName: "n"))
    var count: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("End after this many seconds.", valueName: "s"))
    var duration: Double?

    @Flag(help: "End when a connection is lost.")
    var noReconnect = false

    @OptionGroup var value: ValueOptions
    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("The count is at least 1.") }
        if let duration { try Deadline.validateWait(duration) }
        guard !characteristics.isEmpty else { throw ValidationError("Name a characteristic.") }
        _ = try characteristics.map { try AttributeQuery($0) }
        if let service { _ = try Arguments.uuid(service) }
        if moreDevices.contains("") { throw ValidationError("The device is empty.") }
    }

    /// What to subscribe to, and for how long.
    var plan: Subscriptions.Plan {
        get throws {
            Subscriptions.Plan(
                devices: [device.device] + moreDevices,
                pick: device.pick,
                timeout: device.timeout,
                characteristics: try characteristics.map { try AttributeQuery($0) },
                service: try service.map(Arguments.uuid),
                type: value.type,
                count: count,
                duration: duration,
                reconnects: !noReconnect
            )
        }
    }

    func run() throws {
        let agent = TerminalPairingAgent()
        try radio.apply(agent: agent)
        let (pairing, plan, output) = (ProgramPairing(agent, radio), try plan, output.format)
        MainActor.assumeIsolated { () -> Never in
            Subscriptions(plan, output) { Central(pairing: pairing, output: output) }.start()
            Interrupts.runUntilExit()
        }
    }
}
