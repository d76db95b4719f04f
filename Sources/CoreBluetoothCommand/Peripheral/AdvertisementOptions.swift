// The options that say what `corebluetooth advertise` advertises, and how. They come before what a file says.

import ArgumentParser
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation

/// What is advertised, and how.
struct AdvertisementOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time between two advertising events, 20 to 10240 ms. (default: 100)", valueName: "ms")
    )
    var interval: Double?

    @Option(help: ArgumentHelp("What the device is: a name such as \"Heart Rate Belt\", or 4 hexadecimal digits."))
    var appearance: String?

    @Option(help: ArgumentHelp("Advertise data of a service. Can be given several times.", valueName: "uuid=hex"))
    var serviceData: [String] = []

    @Option(
        help: ArgumentHelp(
            "Advertise Manufacturer Specific Data: the company, little-endian, and its data.",
            valueName: "hex"
        )
    )
    var manufacturerData: String?

    @Flag(help: "Advertise the power with which the controller sends.")
    var txPower = false

    @Flag(help: "Let no central connect.")
    var notConnectable = false

    @Option(help: "Advertise in extended PDUs, with the data on this PHY: 1m, 2m or coded.")
    var phy: PHYName?

    @Option(
        name: .customLong("ibeacon"),
        help: ArgumentHelp(
            "Be an iBeacon, which no central can connect to. (default power at 1 m: \(Beacon.typicalPower) dBm)",
            valueName: "uuid,major,minor[,power]"
        )
    )
    var iBeacon: String?

    @Option(help: ArgumentHelp("Be an Eddystone beacon with a URL of up to 17 octets, compressed.", valueName: "url"))
    var eddystoneURL: String?

    @Option(
        name: .customLong("eddystone-uid"),
        help: ArgumentHelp(
            "Be an Eddystone beacon with 10 and 6 octets. (default power at 0 m: \(Beacon.typicalPowerAtOrigin) dBm)",
            valueName: "namespace,instance[,power]"
        )
    )
    var eddystoneUID: String?

    func validate() throws {
        var description = GATTDescription(services: [])
        try apply(to: &description)
        if let problem = description.advertisingProblem {
            throw ValidationError("Cannot advertise this: \(problem.text).")
        }
    }

    /// Adds the options to a description.
    func apply(to description: inout GATTDescription) throws {
        if let interval { description.interval = interval }
        if let appearance {
            guard let value = GATTDescription.DescribedAppearance(appearance) else {
                let hint = GATTDescription.DescribedAppearance.hint
                throw ValidationError("\"\(appearance)\" is no appearance: \(hint).")
            }
            description.appearance = value
        }
        if !serviceData.isEmpty { description.serviceData = try serviceData.map(Self.serviceData) }
        if let manufacturerData {
            guard let octets = HexadecimalText.octets(manufacturerData) else {
                throw ValidationError(
                    "\"\(manufacturerData)\" is not hexadecimal: write pairs of digits such as FFFF01."
                )
            }
            description.manufacturerData = .init(octets)
        }
        if txPower { description.txPower = true }
        if notConnectable { description.connectable = false }
        if let phy { description.phy = phy }
        if let beacon = try beacon() { description.beacon = beacon }
    }

    private static func serviceData(_ text: String) throws -> GATTDescription.ServiceData {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let octets = HexadecimalText.octets(parts[1]) else {
            throw ValidationError("\"\(text)\" is no service data: write a UUID, = and octets, such as 180F=57.")
        }
        return .init(uuid: .init(uuid: try Arguments.uuid(String(parts[0]))), value: .init(octets))
    }

    // MARK: Beacons

    /// The beacon that was asked for.
    private func beacon() throws -> Beacon? {
        let beacons = [
            try iBeacon.map(Self.iBeacon), try eddystoneURL.map(Self.eddystoneURL),
            try eddystoneUID.map(Self.eddystoneUID),
        ].compactMap { $0 }
        guard beacons.count < 2 else {
            throw ValidationError("A packet has space for one beacon: give --ibeacon or one --eddystone option.")
        }
        return beacons.first
    }

    private static func iBeacon(_ text: String) throws -> Beacon {
        let parts = text.components(separatedBy: ",")
        guard (3...4).contains(parts.count), let uuid = UUID(uuidString: parts[0]), let major = UInt16(parts[1]),
            let minor = UInt16(parts[2]), let power = power(parts, at: 3, Beacon.typicalPower)
        else {
            throw ValidationError(
                "\"\(text)\" is no iBeacon: write a UUID of 36 characters, two numbers from 0 to 65535, and perhaps "
                    + "the power at 1 m, such as 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6,1,2,-59."
            )
        }
        return .iBeacon(uuid: uuid, major: major, minor: minor, power: power)
    }

    private static func eddystoneUID(_ text: String) throws -> Beacon {
        let parts = text.components(separatedBy: ",")
        guard (2...3).contains(parts.count), let namespace = HexadecimalText.octets(parts[0]), namespace.count == 10,
            let instance = HexadecimalText.octets(parts[1]), instance.count == 6,
            let power = power(parts, at: 2, Beacon.typicalPowerAtOrigin)
        else {
            throw ValidationError(
                "\"\(text)\" is no Eddystone-UID: write 20 hexadecimal digits, 12 more, and perhaps the power at 0 m, "
                    + "such as 00112233445566778899,AABBCCDDEEFF,-18."
            )
        }
        return .eddystoneUID(namespace: Array(namespace), instance: Array(instance), power: power)
    }

    private static func eddystoneURL(_ url: String) throws -> Beacon {
        guard let octets = Beacon.compressed(url) else {
            throw ValidationError("\"\(url)\" is no URL for a beacon: write one with http or https, in ASCII.")
        }
        // The scheme is not one of the octets of the URL.
        guard octets.count - 1 <= Beacon.urlLimit else {
            throw ValidationError(
                "\"\(url)\" has \(octets.count - 1) octets, compressed, behind the scheme; \(Beacon.urlLimit) fit."
            )
        }
        return .eddystoneURL(url, power: Beacon.typicalPowerAtOrigin)
    }

    private static func power(_ parts: [String], at index: Int, _ usual: Int8) -> Int8? {
        parts.indices.contains(index) ? Int8(parts[index]) : usual
    }
}
