// ATT PDUs as text, and the names of attributes that a formatter learns.

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
        _ = formatter.describe(Captured.connection(0x40, Captured.pulse)[0].0, .toHost)
        return formatter
    }

    @Test(
        "shows each ATT PDU with its parameters and the known UUIDs of its attributes (Vol 3, Part F, 3.4)",
        arguments: [
            ("", "Empty PDU"), ("0A 03", "Read Request, malformed: 0A03"),
            ("01 02 00 00 06", "Error Response: Exchange MTU Request: Request Not Supported (0x06)"),
            ("02 F7 00", "Exchange MTU Request 247"), ("03 17 00", "Exchange MTU Response 23"),
            ("04 01 00 FF FF", "Find Information Request 0x0001-0xFFFF"),
            ("05 01 04 00 02 29 05 00 01 29", "Find Information Response 0x0004 is 2902, 0x0005 is 2901"),
            ("06 01 00 FF FF 00 28 0D 18", "Find By Type Value Request 0x0001-0xFFFF, type 2800, 180D"),
            ("06 01 00 FF FF 00 28 AA", "Find By Type Value Request 0x0001-0xFFFF, type 2800, AA"),
            ("07 01 00 03 00 05 00 07 00", "Find By Type Value Response 0x0001-0x0003, 0x0005-0x0007"),
            ("08 01 00 FF FF 01 2A", "Read By Type Request 0x0001-0xFFFF, type 2A01"),
            ("09 03 03 00 AA 05 00 BB", "Read By Type Response 0x0003 (2A37) = AA, 0x0005 (2A38) = BB"),
            ("0A 03 00", "Read Request 0x0003 (2A37)"), ("0A 07 00", "Read Request 0x0007"),
            ("01 0A 03 00 02", "Error Response: Read Request of 0x0003 (2A37): Read Not Permitted (0x02)"),
            ("0B AA", "Read Response AA"), ("0C 03 00 16 00", "Read Blob Request 0x0003 (2A37) from octet 22"),
            ("0D AA", "Read Blob Response AA"),
            ("0E 03 00 05 00", "Read Multiple Request 0x0003 (2A37), 0x0005 (2A38)"),
            ("0F AA BB", "Read Multiple Response AABB"),
            ("10 01 00 FF FF 00 28", "Read By Group Type Request 0x0001-0xFFFF, type 2800"),
            ("11 06 01 00 03 00 0D 18", "Read By Group Type Response 0x0001-0x0003 180D"),
            ("12 03 00 AA", "Write Request 0x0003 (2A37) = AA"), ("13", "Write Response"),
            ("16 03 00 05 00 AA", "Prepare Write Request 0x0003 (2A37) at octet 5 = AA"),
            ("17 03 00 05 00 AA", "Prepare Write Response 0x0003 (2A37) at octet 5 = AA"),
            ("18 01", "Execute Write Request (write)"), ("18 00", "Execute Write Request (cancel)"),
            ("19", "Execute Write Response"), ("1B 03 00 AA", "Notification 0x0003 (2A37) = AA"),
            ("1D 03 00 AA", "Indication 0x0003 (2A37) = AA"), ("1E", "Confirmation"),
            ("20 03 00 05 00", "Read Multiple Variable Request 0x0003 (2A37), 0x0005 (2A38)"),
            ("52 03 00 AA", "Write Command 0x0003 (2A37) = AA"),
        ]
    )
    func pdus(octets: String, text: String) {
        for direction in [PacketFormatter.Direction.toController, .toHost] {
            var formatter = Self.formatter()
            for way in [PacketFormatter.Direction.toController, .toHost] {
                _ = formatter.describe(att: hex("05 01 03 00 37 2A 05 00 38 2A"), on: Self.handle, way)
            }
            #expect(formatter.describe(att: hex(octets), on: Self.handle, direction) == text)
        }
    }

    @Test(
        "shows 128-bit UUIDs as such, other values as octets, and malformed PDUs as octets",
        arguments: [
            (
                "06 01 00 FF FF 00 28 \(Self.long)",
                "Find By Type Value Request 0x0001-0xFFFF, type 2800, \(Self.longText)"
            ),
            ("06 01 00 FF FF 00 28", "Find By Type Value Request 0x0001-0xFFFF, type 2800, nothing"),
            ("08 01 00 FF FF \(Self.long)", "Read By Type Request 0x0001-0xFFFF, type \(Self.longText)"),
            ("11 14 01 00 03 00 \(Self.long)", "Read By Group Type Response 0x0001-0x0003 \(Self.longText)"),
            ("11 07 01 00 03 00 01 02 03", "Read By Group Type Response 0x0001-0x0003 010203"),
            ("05 02 04 00 \(Self.long)", "Find Information Response 0x0004 is \(Self.longText)"),
            ("01 12 05 00 80", "Error Response: Write Request of 0x0005: error 0x80"),
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
        "shows declarations with handle and UUID, and others as octets",
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

    @Test("shows declarations only for the side and the type of the last request")
    func asked() {
        var formatter = Self.formatter()
        func text(_ octets: String, _ direction: PacketFormatter.Direction) -> String {
            formatter.describe(att: hex(octets), on: Self.handle, direction)
        }
        let answer = "09 07 02 00 0A 03 00 37 2A"
        let values = "Read By Type Response 0x0002 = 0A0300372A"
        let declarations = "Read By Type Response characteristic 2A37 at 0x0003"
        _ = text("08 01 00 FF FF 03 28", .toController)
        #expect(text(answer, .toController) == values, "the peer has sent no request")
        #expect(text(answer, .toHost) == declarations)
        _ = text("08 01 00 FF FF 00 2A", .toController)
        #expect(text(answer, .toHost) == values)
        _ = text("08 01 00 FF FF 03 28", .toHost)
        #expect(text(answer, .toHost) == values)
        #expect(text(answer, .toController) == declarations)
    }

    @Test("prefers the UUIDs of declarations to those of Find Information, separately on each side")
    func learned() {
        var formatter = Self.formatter()
        func text(_ octets: String, _ direction: PacketFormatter.Direction) -> String {
            formatter.describe(att: hex(octets), on: Self.handle, direction)
        }
        for (ask, answer) in [
            (PacketFormatter.Direction.toController, PacketFormatter.Direction.toHost),
            (.toHost, .toController),
        ] {
            #expect(text("0A 03 00", ask) == "Read Request 0x0003")
            _ = text("05 01 03 00 00 29", answer)
            #expect(text("0A 03 00", ask) == "Read Request 0x0003 (2900)")
            _ = text("08 01 00 FF FF 03 28", ask)
            let found = text("09 07 02 00 0A 03 00 37 2A 04 00 0A 05 00 38 2A", answer)
            #expect(found == "Read By Type Response characteristic 2A37 at 0x0003, characteristic 2A38 at 0x0005")
            _ = text("05 01 03 00 00 29 04 00 03 28", answer)
            #expect(text("0E 03 00 04 00", ask) == "Read Multiple Request 0x0003 (2A37), 0x0004 (2803)")
            // A declaration without a UUID is shown as it is.
            #expect(text("09 05 02 00 0A 03 00", answer) == "Read By Type Response 0x0002 = 0A0300")
        }
    }

    @Test("keeps the attributes of a peer for its next link, and learns nothing of an unknown peer")
    func nextLink() {
        var formatter = Self.formatter()
        func text(_ octets: String, _ direction: PacketFormatter.Direction) -> String {
            formatter.describe(att: hex(octets), on: Self.handle, direction)
        }
        func connect(_ peer: DeviceAddress) {
            _ = formatter.describe(Captured.connection(0x40, peer)[0].0, .toHost)
        }
        _ = text("05 01 03 00 37 2A", .toHost)
        connect(Captured.ball)
        #expect(text("0A 03 00", .toController) == "Read Request 0x0003")
        connect(Captured.pulse)
        #expect(text("0A 03 00", .toController) == "Read Request 0x0003 (2A37)")
        #expect(text("0A 03 00", .toHost) == "Read Request 0x0003", "it is about this device's attributes")
        var unknown = PacketFormatter()
        _ = unknown.describe(att: hex("05 01 03 00 37 2A"), on: Self.handle, .toHost)
        #expect(unknown.describe(att: hex("0A 03 00"), on: Self.handle, .toController) == "Read Request 0x0003")
    }

    @Test("keeps the attributes of 1,024 peers, then forgets them all")
    func attributes() {
        var formatter = PacketFormatter()
        func connect(_ number: UInt64) {
            let peer = DeviceAddress(0xC000_0000_0000 + number, kind: .random)
            _ = formatter.describe(Captured.connection(0x40, peer)[0].0, .toHost)
        }
        func learn() { _ = formatter.describe(att: hex("05 01 03 00 37 2A"), on: Self.handle, .toHost) }
        func text() -> String { formatter.describe(att: hex("0A 03 00"), on: Self.handle, .toController) }
        for number in 0..<1_023 as Range<UInt64> {
            connect(number)
            learn()
        }
        connect(0)
        #expect(text() == "Read Request 0x0003 (2A37)")
        connect(1_023)
        learn()
        #expect(text() == "Read Request 0x0003 (2A37)")
        connect(0)
        #expect(text() == "Read Request 0x0003")
        connect(1_023)
        #expect(text() == "Read Request 0x0003")
    }
}
