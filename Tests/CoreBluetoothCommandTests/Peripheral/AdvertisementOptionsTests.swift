// What the options of advertise put on the air, as a scanner in the same world receives it.

import ArgumentParser
import BluetoothHCI
import BluetoothHost
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The options of corebluetooth advertise for what is advertised")
@MainActor
struct AdvertisementOptionsTests {
    private nonisolated static let uuid = "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"

    /// What a scanner hears of a peripheral with these options, and the lines that the peripheral prints.
    private func heard(
        _ arguments: [String],
        _ json: String = #"{ "services": [] }"#,
        name: String
    ) throws -> (device: ScannedDevice, printed: [String]) {
        var description = try GATTDescription(json: Data(json.utf8), from: "t.json")
        try AdvertisementOptions.parse(arguments).apply(to: &description)
        let world = World(seed: 1)
        let printed = Watched<[String]>([])
        let output = OutputFormat(isJSON: false, isVerbose: false) { line in printed.update { $0.append(line) } }
        let session = world.addDevice("peripheral").run {
            let session = AdvertiseSession(
                name: name,
                advertised: [],
                description: description,
                benchmark: false,
                output: output
            )
            session.start()
            return session
        }
        let testbed = try ToolTestbed(world)
        var device: ScannedDevice?
        testbed.central.onDiscovery = { device = $1 }
        testbed.central.scan(services: [], duplicates: true)
        try world.run(until: device != nil)
        // The scan response follows.
        world.advance(by: .seconds(2))
        withExtendedLifetime(session) {}
        return (try #require(device), printed.value)
    }

    @Test("put service data, the appearance, the transmit power and manufacturer data into the advertisement")
    func content() throws {
        let json = """
            { "services": [], "appearance": "Heart Rate Belt", "txPower": true, "interval": 500,
              "serviceData": [ { "uuid": "Battery", "value": { "uint8": 87 } } ] }
            """
        let options = ["--service-data", "180F=57", "--appearance", "0341", "--tx-power", "--interval", "500"]
        for (arguments, json) in [([], json), (options, #"{ "services": [] }"#)] {
            let (device, _) = try heard(arguments + ["--manufacturer-data", "341201"], json, name: "Belt")
            #expect(device.line.hasSuffix(#""Belt"; company 0x1234 01; Battery: 57"#), "\(device.line)")
            #expect(device.txPower == 0 && device.isConnectable)
            var description = try GATTDescription(json: Data(json.utf8), from: "t.json")
            try AdvertisementOptions.parse(arguments).apply(to: &description)
            #expect(
                description.appearance?.value == 0x0341 && description.advertisingOptions.interval == .milliseconds(500)
            )
        }
    }

    @Test("make a beacon, which no central can connect to, and which has no name")
    func beacons() throws {
        let rows: [(option: [String], words: String)] = [
            (["--ibeacon", "\(Self.uuid),1,65535,-61"], "iBeacon \(Self.uuid), major 1, minor 65535, -61 dBm at 1 m"),
            (["--ibeacon", "\(Self.uuid),0,0"], "iBeacon \(Self.uuid), major 0, minor 0, -59 dBm at 1 m"),
            (["--eddystone-url", "https://example.com/"], "Eddystone-URL https://example.com/, -18 dBm at 0 m"),
            (
                ["--eddystone-uid", "00112233445566778899,AABBCCDDEEFF,-5"],
                "Eddystone-UID 00112233445566778899 AABBCCDDEEFF, -5 dBm at 0 m"
            ),
        ]
        for (option, words) in rows {
            let (device, printed) = try heard(option, name: "")
            #expect(device.beacon?.words == words && !device.isConnectable && device.name == nil)
            #expect(printed == ["advertising \(words); Ctrl-C ends it."])
        }
    }

    @Test("let no central connect, in legacy or extended PDUs", arguments: [[], ["--phy", "2m"], ["--phy", "coded"]])
    func notConnectable(phy: [String]) throws {
        let device = try heard(phy + ["--not-connectable"], name: "A name of many more octets than 28").device
        #expect(!device.isConnectable)
        // Extended PDUs have space for the whole name.
        #expect(device.isNameShortened == phy.isEmpty)
    }

    @Test(
        "are refused in one line that says what fits",
        arguments: [
            (["--interval", "19"], "interval is a number of milliseconds from 20 to 10240"),
            (["--appearance", "Sofa"], "\"Sofa\" is no appearance: write 4 hexadecimal digits such as 0341"),
            (["--manufacturer-data", "1"], "\"1\" is not hexadecimal"),
            (["--manufacturer-data", "01"], "manufacturerData has 1 octets; 2, for the company, to 26 fit"),
            (["--service-data", "180F"], "\"180F\" is no service data: write a UUID, = and octets, such as 180F=57"),
            (
                ["--service-data", "180F=" + String(repeating: "00", count: 25)],
                "the advertisement has 29 octets beside flags, name and services; 28 fit"
            ), (["--ibeacon", "1,2,3"], "\"1,2,3\" is no iBeacon"),
            (["--ibeacon", "\(uuid),1,65536"], "is no iBeacon"),
            (["--eddystone-uid", "00,11"], "\"00,11\" is no Eddystone-UID"),
            (["--eddystone-url", "ftp://a"], "\"ftp://a\" is no URL for a beacon"),
            (
                ["--eddystone-url", "https://a-longer-host-name.com"],
                "has 19 octets, compressed, behind the scheme; 17 fit"
            ),
            (["--ibeacon", "\(uuid),1,2", "--eddystone-url", "https://a.com"], "A packet has space for one beacon"),
            (["--ibeacon", "\(uuid),1,2", "--tx-power"], "the advertisement has 30 octets"),
        ] as [([String], String)]
    )
    func refusals(arguments: [String], line: String) throws {
        let error = #expect(throws: (any Error).self) { try AdvertisementOptions.parse(arguments) }
        let message = AdvertisementOptions.message(for: try #require(error))
        #expect(message.contains(line), "\(message)")
    }
}
