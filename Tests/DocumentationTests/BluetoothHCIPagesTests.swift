// The programs of the pages of BluetoothHCI at work.

import BluetoothHCI
import BluetoothTransport
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testing

@Suite("Pages of BluetoothHCI")
struct BluetoothHCIPagesTests {
    private static let advertiser = DeviceAddress(0xC011_2233_4455, kind: .random)

    private static func report(_ address: DeviceAddress, _ rssi: RSSI?) -> HCIPacket {
        LEAdvertisingReports.packet(
            LEAdvertisingReport(eventType: .connectableUndirected, address: address, data: ByteBuffer(), rssi: rssi)
        )
    }

    @Test("decodes a capture")
    func decodesACapture() throws {
        let other = DeviceAddress(0xC0FF_EE12_3456, kind: .random)
        let packets: [(HCIPacket, BTSnoop.Direction)] = [
            (LESetScanEnable(isEnabled: true).packet(), .toController),
            (CommandComplete.packet(LESetScanEnable.self, .init()), .toHost),
            (Self.report(Self.advertiser, -70), .toHost),
            (Self.report(other, -50), .toHost),
            (Self.report(Self.advertiser, -45), .toHost),
            (Self.report(Self.advertiser, nil), .toHost),
            (HCIPacket(h4: ByteBuffer(hex: "04 3E 01")), .toHost),
            (
                LEConnectionComplete(
                    handle: ConnectionHandle(rawValue: 0x40),
                    role: .central,
                    peer: Self.advertiser,
                    interval: ConnectionInterval(.milliseconds(30)),
                    latency: 0,
                    supervisionTimeout: SupervisionTimeout(.seconds(1))
                ).packet(), .toHost
            ),
        ]
        var capture = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &capture)
        for (packet, direction) in packets {
            BTSnoopWriter.write(packet, direction, at: .now(), into: &capture)
        }
        let folder = try TemporaryFolder()
        try Data(capture.readableBytesView).write(to: URL(fileURLWithPath: folder("capture.btsnoop")))

        let lines = try decodeCapture(at: folder("capture.btsnoop"))
        #expect(lines.count == packets.count + 3)
        #expect(lines.first == "> LE Set Scan Enable LE_Scan_Enable=true Filter_Duplicates=0x00")
        #expect(lines[1] == "< Command Complete LE Set Scan Enable Status=Success (0x00)")
        #expect(lines[6] == "< malformed event 043E01")
        #expect(
            lines.suffix(3) == [
                "  C0:11:22:33:44:55 is link 0x40, interval 30 ms", "C0:11:22:33:44:55 at -45 dBm",
                "C0:FF:EE:12:34:56 at -50 dBm",
            ]
        )
    }

    @Test("declares a command")
    func declaresACommand() throws {
        let command = WriteLampPower(lamp: 1, milliwatts: 500)
        #expect(command.packet().bytes == ByteBuffer(hex: "01 42 FC 03 01 F4 01"))
        #expect(command.description == "Write Lamp Power Lamp=1 Power=500")
        #expect(try HCICommandPacket(command.packet()).parsed(as: WriteLampPower.self) == command)
        let answer = CommandComplete(WriteLampPower.self, .init(status: .commandDisallowed))
        #expect(try answer.returned(by: WriteLampPower.self).status == .commandDisallowed)
    }
}
