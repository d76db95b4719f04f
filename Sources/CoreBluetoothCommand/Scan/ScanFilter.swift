// The devices that a scan shows. A name, a list of services and data may be in different packets of a device, so a
// packet meets some criteria, and a device passes once it has met all.

import ArgumentParser
import AssignedNumbers
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation

/// Data that a scan looks for: whose it is, and its first octets.
struct DataFilter<Source: Hashable> {
    var sources: Set<Source>
    var prefix: Data

    /// Parses `SOURCE`, or `SOURCE=HEX` with the first octets.
    init(parsing text: String, _ parse: (String) throws -> Set<Source>) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let prefix = HexadecimalText.octets(parts.count == 2 ? parts[1] : "") else {
            throw ValidationError("\"\(parts[1])\" is not hexadecimal: write pairs of digits such as 0215.")
        }
        self.sources = try parse(parts[0])
        self.prefix = prefix
    }

    func passes(_ source: Source, _ data: some Sequence<UInt8>) -> Bool {
        sources.contains(source) && data.starts(with: prefix)
    }
}

extension ScanSession {
    /// The devices to show.
    struct Filter {
        /// One of these services; empty for any.
        var services: [CBUUID] = []
        /// Part of the name.
        var name: String?
        /// At least this strength, in dBm.
        var rssi: Int?
        /// Manufacturer data of one of these; empty for any.
        var manufacturers: [DataFilter<UInt16>] = []
        /// Data of one of these services; empty for any.
        var serviceData: [DataFilter<CBUUID>] = []

        /// What a device has to have.
        struct Criteria: OptionSet {
            let rawValue: Int
            static let services = Criteria(rawValue: 1 << 0)
            static let name = Criteria(rawValue: 1 << 1)
            static let manufacturer = Criteria(rawValue: 1 << 2)
            static let serviceData = Criteria(rawValue: 1 << 3)
        }

        /// The criteria that exclude devices.
        var criteria: Criteria {
            var criteria: Criteria = []
            if !services.isEmpty { criteria.insert(.services) }
            if name != nil { criteria.insert(.name) }
            if !manufacturers.isEmpty { criteria.insert(.manufacturer) }
            if !serviceData.isEmpty { criteria.insert(.serviceData) }
            return criteria
        }

        /// Whether a report may pass after one with the same parts did not.
        var mayPassLater: Bool {
            rssi != nil || manufacturers.contains { !$0.prefix.isEmpty } || serviceData.contains { !$0.prefix.isEmpty }
        }

        /// Whether a device passes; the scan itself filters services.
        func passes(_ discovery: ScannedDevice) -> Bool {
            if let rssi, discovery.rssi ?? .min < rssi { return false }
            let met = self.met(discovery.name, [], discovery.manufacturerData, discovery.serviceData)
            return met.isSuperset(of: criteria.subtracting(.services))
        }

        /// The criteria that a packet meets.
        func met(by data: AdvertisingData) -> Criteria {
            met(
                data.localName,
                data.serviceUUIDs.map { CBUUID($0) },
                data.manufacturerSpecificData.map { Data($0.readableBytesView) },
                data.serviceData.map { (CBUUID($0.uuid), Data($0.data.readableBytesView)) }
            )
        }

        private func met(
            _ name: String?,
            _ services: [CBUUID],
            _ manufacturerData: Data?,
            _ serviceData: [(service: CBUUID, data: Data)]
        ) -> Criteria {
            var met: Criteria = []
            if self.services.contains(where: services.contains) { met.insert(.services) }
            if let wanted = self.name, name?.range(of: wanted, options: .caseInsensitive) != nil { met.insert(.name) }
            if let data = manufacturerData, let company = ScannedDevice.company(data),
                manufacturers.contains(where: { $0.passes(company, data.dropFirst(2)) })
            {
                met.insert(.manufacturer)
            }
            let isWanted = serviceData.contains { service, data in
                self.serviceData.contains { $0.passes(service, data) }
            }
            if isWanted { met.insert(.serviceData) }
            return met
        }
    }
}

extension Arguments {
    /// The companies of a name, in any case, or the one of a number such as 76 or 0x004C.
    static func companies(_ text: String) throws -> Set<UInt16> {
        let number = text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
        if let number { return [number] }
        let companies = CompanyNames.identifiers(named: text)
        guard companies.isEmpty else { return companies }
        let question = CommandSuggestion.suffix(for: text, among: CompanyNames.all)
        throw ValidationError("\"\(text)\" is no company's name and no number such as 0x004C\(question)")
    }
}
