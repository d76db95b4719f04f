// How a command finds the device that it is to use.

import CommandLineTool
import CoreBluetooth
import Foundation

extension Central {
    /// Finds a device; one that is known need not be heard, unless that is asked for.
    func find(_ query: DeviceQuery, timeout: TimeInterval, isHeard: Bool = false) async throws -> CBPeripheral {
        if !isHeard, let identifier = query.identifier,
            let known = manager?.retrievePeripherals(withIdentifiers: [identifier]).first
        {
            return known
        }
        var found: CBPeripheral?
        var heard: [String] = []
        onDiscovery = { [self] peripheral, discovery in
            guard found == nil else { return }
            if query.matches(name: discovery.name, identifier: discovery.identifier) {
                found = peripheral
                end(.discovery, nil)
            } else {
                let name = discovery.name.map(PrintableText.quoted) ?? discovery.identifier.uuidString
                if !heard.contains(name), heard.count < 20 { heard.append(name) }
            }
        }
        defer {
            onDiscovery = nil
            manager?.stopScan()
        }
        func failure() -> String {
            let others = heard.isEmpty ? "nobody is there" : "there is " + heard.joined(separator: ", ")
            let device = PrintableText.quoted(query.text)
            return "\(device) was not found within \(SecondsText.text(timeout)): \(others)"
        }
        let doing = "looking for \(PrintableText.quoted(query.text))"
        try await wait(.discovery, timeout, failure(), doing: doing) { scan(services: [], duplicates: true) }
        guard let found else { throw Failure("\(PrintableText.quoted(query.text)) was not found") }
        return found
    }
}
