// ATT PDUs as text: long UUIDs, declarations that are none, and PDUs of which the octets are shown.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("PacketFormatter: ATT")
struct PacketFormatterATTTests {
    private static let handle = ConnectionHandle(rawValue: 0x40)
    private static let long = "00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11"
    private static let longText = "11223344-5566-7788-99AA-BBCCDDEEFF00"

    /// A formatter that has seen the beginning of a link.
    private static func formatter() -> PacketFormatter {
        var formatter = PacketFormatter()
        let event = LEConnectionComplete(
            handle: Self.handle,
            role: .central,
            peer: DeviceAddress(0xC011_2233_4455, kind: .random),
            interval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        _ = formatter.describe(event.packet(), .toHost)
        return formatter
    }

    @Test(
        "UUIDs of 128 bits are shown as such, and octets of other numbers as octets",
        arguments: [
            (
                "06 01 00 FF FF 00 28 \(Self.long)",
                "Find By Type Value Request 0x0001-0xFFFF, type 2800, \(Self.longText)"
            ),
            ("06 01 00 FF FF 00 28", "Find By Type Value Request 0x0001-0xFFFF, type 2800, nothing"),
            ("06 01 00 FF FF 00 28 01 02 03", "Find By Type Value Request 0x0001-0xFFFF, type 2800, 010203"),
            ("08 01 00 FF FF \(Self.long)", "Read By Type Request 0x0001-0xFFFF, type \(Self.longText)"),
            ("11 14 01 00 03 00 \(Self.long)", "Read By Group Type Response 0x0001-0x0003 \(Self.longText)"),
            ("11 07 01 00 03 00 01 02 03", "Read By Group Type Response 0x0001-0x0003 010203"),
            ("05 02 04 00 \(Self.long)", "Find Information Response 0x0004 is \(Self.longText)"),
        ]
    )
    func longUUIDs(octets: String, text: String) {
        var formatter = Self.formatter()
        #expect(formatter.describe(att: hex(octets), on: Self.handle, .toHost) == text)
    }

    @Test(
        "Of other PDUs the octets behind the opcode are shown",
        arguments: [
            ("21 01 00 AA", "Read Multiple Variable Response 0100AA"),
            ("23 03 00 01 00 AA", "Multiple Notification 03000100AA"),
            ("D2 03 00 AA", "Signed Write Command 0300AA"), ("0F", "Read Multiple Response nothing"),
            ("13 01", "Write Response"), ("1E 00", "Confirmation"), ("19 00", "Execute Write Response"),
            ("18 02", "Execute Write Request, malformed: 1802"), ("1B 03", "Notification, malformed: 1B03"),
        ]
    )
    func others(octets: String, text: String) {
        var formatter = Self.formatter()
        #expect(formatter.describe(att: hex(octets), on: Self.handle, .toHost) == text)
    }

    @Test(
        "A declaration has its properties, a handle and a UUID; what has less or more is shown as it is",
        arguments: [
            ("09 02 02 00", "0x0002 = nothing"), ("09 03 02 00 0A", "0x0002 = 0A"),
            ("09 04 02 00 0A 03", "0x0002 = 0A03"), ("09 06 02 00 0A 03 00 37", "0x0002 = 0A030037"),
            ("09 08 02 00 0A 03 00 37 2A 00", "0x0002 = 0A0300372A00"),
            ("09 07 02 00 0A 03 00 37 2A", "characteristic 2A37 at 0x0003"),
            ("09 15 02 00 0A 03 00 \(Self.long)", "characteristic \(Self.longText) at 0x0003"),
        ]
    )
    func declarations(octets: String, text: String) {
        var formatter = Self.formatter()
        _ = formatter.describe(att: hex("08 01 00 FF FF 03 28"), on: Self.handle, .toController)
        #expect(
            formatter.describe(att: hex(octets), on: Self.handle, .toHost) == "Read By Type Response " + text
        )
    }

    @Test("Declarations are those of the side that was asked, and only while they are what was asked for last")
    func asked() {
        var formatter = Self.formatter()
        func text(_ octets: String, _ direction: PacketFormatter.Direction) -> String {
            formatter.describe(att: hex(octets), on: Self.handle, direction)
        }
        let answer = "09 07 02 00 0A 03 00 37 2A"
        let values = "Read By Type Response 0x0002 = 0A0300372A"
        let declarations = "Read By Type Response characteristic 2A37 at 0x0003"
        _ = text("08 01 00 FF FF 03 28", .toController)
        #expect(text(answer, .toController) == values, "the peer has asked for nothing")
        #expect(text(answer, .toHost) == declarations)
        _ = text("08 01 00 FF FF 00 2A", .toController)
        #expect(text(answer, .toHost) == values)
        _ = text("08 01 00 FF FF 03 28", .toHost)
        #expect(text(answer, .toHost) == values)
        #expect(text(answer, .toController) == declarations)
    }

    @Test("Each PDU that names an attribute shows what is known of it")
    func names() {
        var formatter = Self.formatter()
        func text(_ octets: String, _ direction: PacketFormatter.Direction) -> String {
            formatter.describe(att: hex(octets), on: Self.handle, direction)
        }
        _ = text("05 01 03 00 37 2A 05 00 38 2A", .toHost)
        let requests = [
            ("0A 03 00", "Read Request 0x0003 (2A37)"),
            ("0C 03 00 01 00", "Read Blob Request 0x0003 (2A37) from octet 1"),
            ("0E 03 00 05 00", "Read Multiple Request 0x0003 (2A37), 0x0005 (2A38)"),
            ("20 03 00 05 00", "Read Multiple Variable Request 0x0003 (2A37), 0x0005 (2A38)"),
            ("12 03 00 AA", "Write Request 0x0003 (2A37) = AA"), ("52 03 00 AA", "Write Command 0x0003 (2A37) = AA"),
            ("16 03 00 02 00 AA", "Prepare Write Request 0x0003 (2A37) at octet 2 = AA"),
        ]
        for (octets, expected) in requests { #expect(text(octets, .toController) == expected) }
        let answers = [
            ("01 0A 03 00 02", "Error Response: Read Request of 0x0003 (2A37): Read Not Permitted (0x02)"),
            ("09 03 03 00 AA", "Read By Type Response 0x0003 (2A37) = AA"),
            ("17 03 00 02 00 AA", "Prepare Write Response 0x0003 (2A37) at octet 2 = AA"),
            ("1B 03 00 AA", "Notification 0x0003 (2A37) = AA"), ("1D 03 00 AA", "Indication 0x0003 (2A37) = AA"),
        ]
        for (octets, expected) in answers { #expect(text(octets, .toHost) == expected) }
        #expect(text("0A 03 00", .toHost) == "Read Request 0x0003")
        #expect(text("1B 03 00 AA", .toController) == "Notification 0x0003 = AA")
    }
}
