// The help of each command of `corebluetooth`, and of each command of a session, on record: names, their order, and all
// that is said of options.

import Fixtures
import Testing

@testable import CoreBluetoothCommand

@Suite("The help of corebluetooth")
struct CommandHelpTests {
    @Test("The commands stand in their order, each with its help")
    func commands() {
        let names = CoreBluetoothTool.configuration.subcommands.map { $0.configuration.commandName ?? "-" }
        #expect(
            names == [
                "adapters", "scan", "inspect", "connect", "read", "write", "subscribe", "pair", "bonds", "advertise",
                "clone", "air", "capture", "trace", "benchmark", "controller", "bridge", "learn",
            ]
        )
        RunRecord.note(CoreBluetoothTool.helpMessage(for: CoreBluetoothTool.self, includeHidden: true, columns: 120))
        for command in CoreBluetoothTool.configuration.subcommands {
            let text = CoreBluetoothTool.helpMessage(for: command, includeHidden: true, columns: 1000)
            #expect(text.hasPrefix("OVERVIEW: \(command.configuration.abstract)\n"))
            RunRecord.note(text)
        }
        for command in BondsCommand.configuration.subcommands {
            RunRecord.note(CoreBluetoothTool.helpMessage(for: command, includeHidden: true, columns: 1000))
        }
        #expect(CoreBluetoothTool.configuration.version.hasPrefix("corebluetooth "))
    }

    @Test("So do the commands of a session")
    func sessionCommands() {
        let names = SessionCommands.all.map(SessionCommands.name)
        #expect(
            names == [
                "discover", "read", "write", "subscribe", "unsubscribe", "wait", "mtu", "phy", "parameters", "rssi",
                "pair", "connect", "help", "quit",
            ]
        )
        for (number, command) in SessionCommands.all.enumerated() {
            let configuration = command.configuration
            RunRecord.note("\(number) \(names[number]) \(configuration.abstract) \(configuration.discussion)")
        }
    }
}
