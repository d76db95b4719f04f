// A busy room as a scanning host sees it: advertising reports from the octets of the HCI event down to the name and the
// services that an advertiser gives.

import BenchmarkSupport
import BluetoothHCI
import BluetoothTypes
import NIOCore

struct AdvertisingReports {
    private let packets: [HCIPacket]

    /// Reports of a hundred advertisers, each with flags, a service, manufacturer data and a name.
    init() {
        var reports: [LEAdvertisingReport] = []
        for number in 0..<100 {
            var data = ByteBuffer(bytes: [
                2, 0x01, 0x06, 3, 0x03, 0x0D, 0x18, 7, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 10, 0x09,
            ])
            data.writeString("Sensor \(10 + number % 90)")
            reports.append(
                LEAdvertisingReport(
                    eventType: .connectableUndirected,
                    address: DeviceAddress(0xC000_0000_0001 + UInt64(number), kind: .random),
                    data: data,
                    rssi: RSSI(dBm: Int8(-40 - number % 50))
                )
            )
        }
        // Four in an event, as many as fit into its 255 octets.
        self.packets = stride(from: 0, to: reports.count, by: 4).map { start in
            Self.packet(LEAdvertisingReports(Array(reports[start..<start + 4])))
        }
    }

    /// An event packet: the H4 type, the event code, the length of the parameters, the subevent, and the reports.
    private static func packet(_ reports: LEAdvertisingReports) -> HCIPacket {
        var bytes = ByteBuffer(bytes: [0x04, 0x3E, 0, 0x02])
        reports.encode(into: &bytes)
        bytes.setInteger(UInt8(bytes.readableBytes - 3), at: 2)
        return HCIPacket(h4: bytes)
    }

    /// Reads `count` reports element by element.
    func decode(count: Int) {
        var names = 0
        var services = 0
        var strength = 0
        var decoded = 0
        while decoded < count {
            for packet in self.packets {
                guard case .leAdvertisingReports(let reports)? = try? HCIEvent(packet) else { continue }
                for report in reports {
                    decoded += 1
                    strength += report.rssi?.dBm ?? 0
                    for element in AdvertisingDataReader(report.data) {
                        switch element.type {
                        case .completeLocalName: names += 1
                        case .complete16BitServiceUUIDs:
                            var value = element.value
                            if (try? BluetoothUUID(parsing: &value, length: 2)) == 0x180D { services += 1 }
                        default: break
                        }
                    }
                }
            }
        }
        expect(names == decoded && services == decoded && strength < 0, "reports were not read as they were written")
    }
}
