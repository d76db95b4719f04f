// What a command of `corebluetooth` does where an option is not given: each default, beside the option given.

import CommandLineTool
import Fixtures
import Testing

@testable import CoreBluetoothCommand

@Suite("Options of corebluetooth that are not given")
struct OptionDefaultsTests {
    @Test("Nothing is left out, added or repeated that nobody has asked for")
    func flags() throws {
        let scan = try ScanCommand.parse([])
        #expect(!scan.watch && !scan.duplicates && scan.service.isEmpty && scan.sort == nil)
        #expect(scan.timeout == nil && scan.rssi == nil)
        let controller = try ControllerCommand.parse([])
        #expect(controller.count == 200)
        #expect(!controller.commands && !controller.json && controller.adapter == nil)
        let adapters = try AdaptersCommand.parse([])
        #expect(!adapters.setup && !adapters.json && !adapters.packagedUnit && adapters.program == nil)
        #expect(adapters.systemFolder == "/sys/class" && adapters.processFolder == "/proc")
        let capture = try CaptureCommand.parse([])
        #expect(!capture.follow && !capture.json && capture.program.isEmpty && capture.layer.isEmpty)
        #expect(capture.read == nil && capture.write == nil)
        let advertise = try AdvertiseCommand.parse([])
        #expect(!advertise.benchmark && advertise.service.isEmpty && advertise.name == nil && advertise.gatt == nil)
        let bridge = try BridgeCommand.parse(["--listen", "unix:/run/a"])
        #expect(!bridge.json && bridge.adapter == nil)
        let learn = try LearnCommand.parse([])
        #expect(!learn.json && learn.lesson == nil && learn.experiment == nil && learn.answer == nil)
        let connect = try ConnectCommand.parse(["Peer"])
        #expect(!connect.keepGoing)
        let inspect = try InspectCommand.parse(["Peer"])
        #expect(!inspect.noValues && !inspect.noPairing)
        let clone = try CloneCommand.parse(["Peer"])
        #expect(clone.seconds == 5)
        let device = try DeviceOptions.parse(["Peer"])
        #expect(device.device == "Peer")
        #expect(device.timeout == 10)
    }

    @Test("Each flag changes what it names, and nothing else")
    func given() throws {
        let values = try InspectCommand.parse(["Peer", "--no-values"])
        #expect(values.noValues && !values.noPairing)
        let pairing = try InspectCommand.parse(["Peer", "--no-pairing"])
        #expect(!pairing.noValues && pairing.noPairing)
        let watch = try ScanCommand.parse(["--watch"])
        #expect(watch.watch && !watch.duplicates)
        let duplicates = try ScanCommand.parse(["--duplicates"])
        #expect(!duplicates.watch && duplicates.duplicates)
        let setup = try AdaptersCommand.parse(["--setup"])
        #expect(setup.setup && !setup.json && !setup.packagedUnit)
        let commands = try ControllerCommand.parse(["--commands"])
        #expect(commands.commands && !commands.json)
        let keepGoing = try ConnectCommand.parse(["Peer", "--keep-going"])
        #expect(keepGoing.keepGoing)
        let follow = try CaptureCommand.parse(["--read", "a", "--follow", "--layer", "gatt"])
        #expect(follow.follow && follow.read == "a" && follow.layer == [.gatt])
        let program = try CaptureCommand.parse(["--json", "--", "eightball", "--json"])
        #expect(program.json && program.program == ["eightball", "--json"])
    }

    @Test("What is done on a connection")
    func actions() throws {
        let connect = try ReconnectAction.parse([])
        #expect(connect.timeout == 10)
        #expect(try !DiscoverAction.parse([]).values)
        #expect(try DiscoverAction.parse(["--values"]).values)
        #expect(try !PairAction.parse([]).code)
        #expect(try PairAction.parse(["--code"]).code)
        #expect(try PHYAction.parse([]).phys.isEmpty)
        #expect(try HelpAction.parse([]).command == nil)
        let values = try ValueOptions.parse([])
        #expect(!values.hex && !values.text)
        for (arguments, hasText, isConfirmed) in [
            ([], false, true), (["--text"], true, true), (["--without-response"], false, false),
        ] as [([String], Bool, Bool)] {
            let write = try WriteAction.parse(["FFF1", "0A"] + arguments)
            #expect(write.text == hasText && write.withoutResponse == !isConfirmed)
            #expect(write.value == "0A" && write.characteristic.service == nil)
        }
    }
}
