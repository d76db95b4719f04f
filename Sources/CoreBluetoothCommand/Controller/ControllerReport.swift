// What a controller reported, as lines and as JSON. What it did not report is left out.

import AssignedNumbers
import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CommandLineTool

/// A controller's abilities, as far as it reported them.
struct ControllerReport {
    var version: ReadLocalVersionInformation.ReturnParameters?
    var address: DeviceAddress?
    var commands: SupportedCommands?
    /// The features of both radios together.
    var linkManagerFeatures: LMPFeatures?
    var features: LEFeatures?
    /// ACL data packets to the controller: their number, the octets of each, and whether BR/EDR takes them from the
    /// same.
    var buffers: (count: Int, length: Int, isShared: Bool)?
    /// Octets of payload of a packet on the air.
    var dataLength: Int?
    var states: LEStates?
    var acceptListSize: Int?
    var resolvingListSize: Int?
    var advertisingSets: Int?
    var advertisingDataLength: Int?
    /// In dBm.
    var transmitPower: (minimum: Int, maximum: Int)?
    /// The commands that it did not answer in time.
    var unanswered: [String] = []
    /// The times in which it answered, in ms, sorted.
    var roundTrips = Latency(milliseconds: [])

    /// The PHYs (Vol 6, Part B, 4.6): LE 1M is everybody's.
    var phys: PHYSet? {
        features.map { features in
            var phys = PHYSet.le1M
            if features.contains(.phy2M) { phys.insert(.le2M) }
            if features.contains(.phyCoded) { phys.insert(.leCoded) }
            return phys
        }
    }

    /// The chip, if it is one of the known models.
    var chip: ControllerModel? {
        version.flatMap {
            ControllerModel.preset(
                version: $0.linkLayerVersion,
                company: $0.company,
                subversion: $0.linkLayerSubversion
            )
        }
    }

    /// The information that a host would have.
    private var information: ControllerInformation {
        var information = ControllerInformation()
        information.version = version
        information.linkManagerFeatures = linkManagerFeatures
        information.supportedCommands = commands
        information.address = address
        return information
    }

    /// Whether it has Bluetooth LE; `nil` if that is not known.
    var hasLE: Bool? { features != nil ? true : information.hasLE }

    /// Whether it runs from its ROM, or waits in its boot loader and tells nothing but its version.
    var lacksFirmware: Bool? {
        version.map { $0.runsFromROM || features == nil && information.tellsNothing }
    }

    /// Features that it claims without supporting their commands.
    var claimedOnly: [String]? {
        guard let features, let commands else { return nil }
        var claimed = features.commandsOfFeatures.filter { $0.commands.contains { !commands.contains($0) } }.map(\.name)
        if features.contains(.privacy), resolvingListSize == 0 { claimed.append("LL Privacy") }
        return claimed
    }

    /// The supported commands that have a name here.
    var commandNames: [String] {
        guard let commands else { return [] }
        return HCICommandTable.entries.filter { $0.bit.map(commands.contains) ?? false }.map { $0.command.name }
    }

    // MARK: Words

    /// The report's fields, as names and values.
    ///
    /// - Parameter listsCommands: Whether supported commands are listed, and not only counted.
    func fields(listsCommands: Bool) -> [(name: String, value: String)] {
        var fields: [(String, String)] = []
        func add(_ name: String, _ value: String?) { if let value { fields.append((name, value)) } }
        add("version", version.map { Self.words($0.linkLayerVersion, $0.linkLayerSubversion) })
        add("HCI", version.map { Self.words($0.hciVersion, $0.hciSubversion) })
        add("chip", chip?.name)
        add("known faults", chip.flatMap { $0.faults.isEmpty ? nil : $0.faults.joined(separator: ", ") })
        if lacksFirmware == true { add("firmware", "missing; \(ControllerInformation.firmwareAdvice(for: version))") }
        if hasLE == false { add("Bluetooth LE", "none; use another adapter") }
        add("manufacturer", version.map { CompanyNames[$0.company] ?? "company \(HexadecimalText.number($0.company))" })
        add(
            "address",
            address.map {
                guard $0.isPlaceholder else { return $0.description }
                let own = "; programs here make one and keep it"
                return ($0.value == 0 ? "none of its own" : "\($0), a placeholder that all of its kind have") + own
            }
        )
        add("PHYs", phys.map { $0.phys.map(\.description).joined(separator: ", ") })
        add("LE features", features.map { Self.counted($0.names) })
        add(
            "lacks",
            features.map { $0.missing.isEmpty ? "nothing that matters here" : $0.missing.joined(separator: ", ") }
        )
        add(
            "claims only",
            claimedOnly.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") + ", without the commands or the list" }
        )
        add("states", states.map { Self.counted($0.names) })
        add(
            "not at once",
            states?.excludedPairs.map { $0.isEmpty ? "nothing" : $0.joined(separator: ", ") }
        )
        add(
            "commands",
            commands.map { commands in
                guard listsCommands else { return "\(commands.count)" }
                return "\(commands.count): \(commandNames.joined(separator: ", "))"
            }
        )
        add(
            "buffers",
            buffers.map {
                "\($0.count) of \($0.length) octets, " + ($0.isShared ? "shared with BR/EDR" : "for LE alone")
            }
        )
        add("data length", dataLength.map { "\($0) octets" })
        add("accept list", acceptListSize.map { "\($0) devices" })
        add("resolving list", resolvingListSize.map { "\($0) devices" })
        add(
            "advertising sets",
            advertisingSets.map { sets in
                "\(sets)" + (advertisingDataLength.map { ", up to \($0) octets each" } ?? "")
            }
        )
        add("transmit power", transmitPower.map { "\($0.minimum) to \($0.maximum) dBm" })
        if !unanswered.isEmpty { add("not answered", unanswered.joined(separator: ", ")) }
        if !roundTrips.isEmpty {
            let median = LatencyText.number(roundTrips.percentile(0.5))
            add(
                "round trip",
                "median \(median) ms, 99 % within \(LatencyText.number(roundTrips.percentile(0.99))) ms, at most "
                    + "\(LatencyText.number(roundTrips.maximum)) ms (\(roundTrips.count) times Read BD_ADDR)"
            )
        }
        return fields
    }

    /// The same for a JSON object.
    func details(adapter: String) -> [(key: String, value: JSONValue)] {
        func list(_ names: [String]?) -> JSONValue { names.map { .array($0.map { .string($0) }) } ?? .null }
        return [
            ("adapter", .string(adapter)),
            ("version", JSONValue(version.map { Self.name($0.linkLayerVersion) })),
            ("hciVersion", JSONValue(version.map { Self.name($0.hciVersion) })),
            ("company", JSONValue(version.map { Int($0.company) })),
            ("manufacturer", JSONValue(version.flatMap { CompanyNames[$0.company] })),
            ("revision", JSONValue(version.map { Int($0.hciSubversion) })),
            ("subversion", JSONValue(version.map { Int($0.linkLayerSubversion) })),
            ("chip", JSONValue(chip?.name)), ("knownFaults", list(chip?.faults)),
            ("hasLE", hasLE.map { .bool($0) } ?? .null), ("lacksFirmware", lacksFirmware.map { .bool($0) } ?? .null),
            ("firmwareFiles", JSONValue(lacksFirmware == true ? version?.firmwareFiles : nil)),
            ("address", JSONValue(address.flatMap { $0.value == 0 ? nil : $0.description })),
            ("hasPlaceholderAddress", address.map { .bool($0.isPlaceholder) } ?? .null),
            ("phys", list(phys?.phys.map(\.description))), ("features", list(features?.names)),
            ("missingFeatures", list(features?.missing)), ("claimedOnly", list(claimedOnly)),
            ("states", list(states?.names)),
            ("notAtOnce", list(states?.excludedPairs)), ("commands", list(commands.map { _ in commandNames })),
            ("bufferCount", JSONValue(buffers?.count)), ("bufferLength", JSONValue(buffers?.length)),
            ("sharesBuffers", buffers.map { .bool($0.isShared) } ?? .null),
            ("dataLength", JSONValue(dataLength)), ("acceptListSize", JSONValue(acceptListSize)),
            ("resolvingListSize", JSONValue(resolvingListSize)), ("advertisingSets", JSONValue(advertisingSets)),
            ("advertisingDataLength", JSONValue(advertisingDataLength)),
            ("minimumTransmitPower", JSONValue(transmitPower?.minimum)),
            ("maximumTransmitPower", JSONValue(transmitPower?.maximum)), ("unanswered", list(unanswered)),
            ("roundTrip", roundTrips.isEmpty ? .null : roundTrips.json),
        ]
    }

    private static func counted(_ names: [String]) -> String {
        names.isEmpty ? "none" : "\(names.count): \(names.joined(separator: ", "))"
    }

    private static func words(_ version: CoreVersion, _ revision: UInt16) -> String {
        "\(name(version)), revision \(HexadecimalText.number(revision))"
    }

    /// A version's name, as the Assigned Numbers (2.1) have it.
    static func name(_ version: CoreVersion) -> String {
        let names = [
            "1.0b", "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4", "6.0",
            "6.1", "6.2",
        ]
        let number = Int(version.rawValue)
        return names.indices.contains(number) ? "Bluetooth \(names[number])" : "version \(number)"
    }
}

extension LEStates {
    /// The names of the states that have a bit of their own (Vol 4, Part E, 7.8.27).
    var names: [String] {
        let all: [(LEStates, String)] = [
            (.nonConnectableAdvertising, "non-connectable advertising"),
            (.scannableAdvertising, "scannable advertising"),
            (.connectableAdvertising, "connectable advertising"),
            (.highDutyCycleDirectedAdvertising, "high duty cycle directed advertising"),
            (.passiveScanning, "passive scanning"), (.activeScanning, "active scanning"),
            (.initiating, "initiating and central"), (.peripheral, "peripheral"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }

    /// The pairs of roles that the controller says it does not have at once (Vol 4, Part E, 7.8.27); `nil` if it says
    /// nothing. Advertising is connectable.
    var excludedPairs: [String]? {
        guard !isEmpty else { return nil }
        let pairs: [(bits: [UInt64], words: String)] = [
            ([10, 14], "advertising and scanning"), ([32], "advertising and connecting"),
            ([35], "advertising and links as a central"), ([38], "advertising and links as a peripheral"),
            ([22, 23], "scanning and connecting"), ([24, 25], "scanning and links as a central"),
            ([26, 27], "scanning and links as a peripheral"), ([28], "connecting and links as a central"),
            ([41], "connecting and links as a peripheral"),
        ]
        return pairs.filter { !$0.bits.allSatisfy { rawValue & 1 << $0 != 0 } }.map(\.words)
    }
}
