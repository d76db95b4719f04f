// The program of the page "Decode a capture", which is BluetoothHCI.docc/DecodeACapture.md.

import BluetoothHCI
import BluetoothTransport
import BluetoothTypes
import Foundation
import NIOCore

/// A line for each packet of a capture, and for each advertiser, strongest first.
func decodeCapture(at path: String) throws -> [String] {
    let octets = try Data(contentsOf: URL(fileURLWithPath: path))
    var reader = try BTSnoopReader(ByteBuffer(bytes: octets))
    var lines: [String] = []
    var strongest: [DeviceAddress: RSSI] = [:]
    while let record = try reader.next() {
        lines.append("\(record.direction == .toHost ? "<" : ">") \(record.packet)")
        guard let event = try? HCIEvent(record.packet) else { continue }
        switch event {
        case .leAdvertisingReports(let reports):
            for report in reports {
                guard let rssi = report.rssi else { continue }
                strongest[report.address] = max(rssi, strongest[report.address] ?? rssi)
            }
        case .leConnectionComplete(let event) where event.status == .success:
            lines.append("  \(event.peer) is link \(event.handle), interval \(event.interval)")
        default:
            break
        }
    }
    for (address, rssi) in strongest.sorted(by: { $0.value > $1.value }) {
        lines.append("\(address) at \(rssi)")
    }
    return lines
}
