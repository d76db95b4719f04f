// The commands.

import ArgumentParser
import CommandLineTool

/// `corebluetooth`.
struct CoreBluetoothTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corebluetooth",
        abstract: "Bluetooth Low Energy on the command line: look, read, write, be a peripheral, serve an air, learn.",
        discussion: """
            Every command works on the adapter that --adapter names: your own air, an air that is served somewhere, a \
            controller behind a socket or on a serial port, or a Linux adapter such as hci0. "corebluetooth adapters" \
            lists the Linux adapters and says what stands in the way.
            """,
        version: ProgramVersion.line("corebluetooth"),
        subcommands: [
            AdaptersCommand.self, ScanCommand.self, InspectCommand.self, ConnectCommand.self,
            DeviceCommand<ReadAction>.self, DeviceCommand<WriteAction>.self, SubscribeCommand.self,
            ChannelCommand.self, UARTCommand.self, PairCommand.self, BondsCommand.self, AdvertiseCommand.self,
            CloneCommand.self,
            AirCommand.self, CaptureCommand.self, TraceCommand.self, BenchmarkCommand.self,
            ControllerCommand.self, BridgeCommand.self, LearnCommand.self,
        ]
    )
}
