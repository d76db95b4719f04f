// Finds the device for a command.

import CommandLineTool
import CoreBluetooth
import Foundation

extension Central {
    /// Finds a device. A device whose whole identifier is given need not be heard, unless `isHeard`.
    ///
    /// - Parameter timeout: The limit in seconds; `nil` for none.
    /// - Throws: ``Failure`` if no device fits, or several do and `pick` chooses none of them; it names them.
    func find(
        _ query: DeviceQuery,
        _ pick: DevicePick = .only,
        timeout: TimeInterval?,
        isHeard: Bool = false
    ) async throws -> CBPeripheral {
        if !isHeard, let identifier = query.identifier,
            let known = manager?.retrievePeripherals(withIdentifiers: [identifier]).first
        {
            return known
        }
        var search = DeviceSearch(query, pick, listeningTime.heard)
        var limit: Deadline?
        onDiscovery = { [self] peripheral, discovery in
            if search.receive(discovery, of: peripheral) { return end(.discovery, nil) }
            if search.hasFound, limit == nil {
                limit = Deadline(after: listeningTime.limit) { [weak self] in self?.end(.discovery, nil) }
            }
        }
        defer {
            limit?.cancel()
            onDiscovery = nil
            manager?.stopScan()
        }
        let doing = "looking for \(PrintableText.quoted(query.text))"
        try await wait(.discovery, timeout, search.absence(within: timeout ?? .infinity), doing: doing) {
            scan(services: [], duplicates: true)
        }
        return try search.result()
    }
}

/// The devices heard during a search that fit the query.
private struct DeviceSearch {
    private let query: DeviceQuery
    private let pick: DevicePick
    private let listeningTime: TimeInterval
    private var found: [(peripheral: CBPeripheral, discovery: ScannedDevice)] = []
    private var others: [String] = []

    init(_ query: DeviceQuery, _ pick: DevicePick, _ listeningTime: TimeInterval) {
        (self.query, self.pick, self.listeningTime) = (query, pick, listeningTime)
    }

    var hasFound: Bool { !found.isEmpty }

    /// Takes in a report; returns whether enough was heard.
    mutating func receive(_ discovery: ScannedDevice, of peripheral: CBPeripheral) -> Bool {
        if let index = found.firstIndex(where: { $0.peripheral === peripheral }) {
            found[index].discovery.rssi = discovery.rssi ?? found[index].discovery.rssi
        } else if query.matches(name: discovery.name, identifier: discovery.identifier) {
            found.append((peripheral, discovery))
        } else {
            let name = discovery.name.map(PrintableText.quoted) ?? discovery.identifier.uuidString
            if !others.contains(name), others.count < 20 { others.append(name) }
        }
        guard let first = found.first else { return false }
        guard pick != .first, query.identifier == nil else { return true }
        guard let start = first.discovery.time, let now = discovery.time else { return false }
        return now.timeIntervalSince(start) >= listeningTime
    }

    /// The device.
    func result() throws -> CBPeripheral {
        let ordered = found.sorted { ($0.discovery.rssi ?? Int.min) > ($1.discovery.rssi ?? Int.min) }
        guard let device = pick == .first ? found.first : ordered.first else {
            throw Failure("\(PrintableText.quoted(query.text)) was not found", .notFound)
        }
        guard pick == .only, found.count > 1 else { return device.peripheral }
        let all = ordered.map { "\($0.discovery.identifier) (\($0.discovery.rssi.map { "\($0)" } ?? "?") dBm)" }
        throw Failure(
            "\(found.count) devices are \(PrintableText.quoted(query.text)): \(all.joined(separator: ", ")); "
                + "name one by its identifier, or take the one that is heard best with --pick strongest",
            .notFound,
            details: [("devices", .array(ordered.map(\.discovery.object)))]
        )
    }

    /// The failure if the device was not found in time.
    func absence(within timeout: TimeInterval) -> Failure {
        let words = others.isEmpty ? "nobody is there" : "there is " + others.joined(separator: ", ")
        return Failure(
            "\(PrintableText.quoted(query.text)) was not found within \(SecondsText.text(timeout)): \(words)",
            .notFound
        )
    }
}
