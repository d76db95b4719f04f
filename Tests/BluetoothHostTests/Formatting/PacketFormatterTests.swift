// Packets as text: what a trace shows of a connection, a discovery, reads, writes and the end, from the octets alone.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("PacketFormatter")
struct PacketFormatterTests {
    private static let handle = ConnectionHandle(rawValue: 0x40)
    private static let ball = DeviceAddress(0xC011_2233_4455, kind: .random)

    private static func formatter() -> PacketFormatter {
        PacketFormatter(name: { $0 == Self.ball ? "ball" : nil })
    }

    private static func connected(
        _ formatter: inout PacketFormatter,
        peer: DeviceAddress = Self.ball
    ) -> PacketDescription {
        let event = LEConnectionComplete(
            status: .success,
            handle: Self.handle,
            role: .central,
            peer: peer,
            interval: ConnectionInterval(.milliseconds(30)),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(.milliseconds(720)),
            centralClockAccuracy: .ppm50
        )
        return formatter.describe(event.packet(), .toHost)
    }

    /// An L2CAP frame in one packet.
    private static func frame(_ channel: UInt16, _ octets: [UInt8]) -> HCIPacket {
        var bytes = ByteBuffer()
        bytes.writeMultipleIntegers(UInt16(octets.count), channel, endianness: .little)
        bytes.writeBytes(octets)
        return .aclData(handle: Self.handle, boundary: .firstNonFlushable, fragment: bytes)
    }

    private static func att(_ octets: [UInt8]) -> HCIPacket { Self.frame(0x0004, octets) }

    @Test("A link begins and ends with its peer's name and the reason")
    func link() {
        var formatter = Self.formatter()
        #expect(
            Self.connected(&formatter)
                == PacketDescription(
                    layer: .gap,
                    handle: Self.handle,
                    text: "Connected to ball as central, interval 30 ms, latency 0, timeout 720 ms"
                )
        )
        let end = DisconnectionComplete(handle: Self.handle, reason: .connectionTimeout)
        let text = formatter.describe(end.packet(), .toHost).text
        #expect(text.hasPrefix("Disconnected from ball: "))
        #expect(text.contains("(0x08)"))
        let unknown = formatter.describe(end.packet(), .toHost).text
        #expect(unknown.hasPrefix("Disconnected from link 0x40: "), "what has ended is forgotten")
    }

    @Test("An attribute is shown with its UUID once its discovery was seen, also on the next link to the same peer")
    func attributeNames() {
        var formatter = Self.formatter()
        _ = Self.connected(&formatter)
        #expect(formatter.describe(Self.att([0x0A, 0x03, 0x00]), .toController).text == "Read Request 0x0003")
        _ = formatter.describe(Self.att([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28]), .toController)
        let found = formatter.describe(Self.att([0x09, 0x07, 0x02, 0x00, 0x0A, 0x03, 0x00, 0x37, 0x2A]), .toHost)
        #expect(found.text == "Read By Type Response characteristic 2A37 at 0x0003")
        let read = formatter.describe(Self.att([0x0A, 0x03, 0x00]), .toController)
        #expect(read == PacketDescription(layer: .att, handle: Self.handle, text: "Read Request 0x0003 (2A37)"))
        #expect(
            formatter.describe(Self.att([0x0A, 0x03, 0x00]), .toHost).text == "Read Request 0x0003",
            "the peer's request is about this device's attributes"
        )
        _ = Self.connected(&formatter)
        let notification = formatter.describe(Self.att([0x1B, 0x03, 0x00, 0x48, 0x69]), .toHost)
        #expect(notification.text == "Notification 0x0003 (2A37) = 4869 \"Hi\"")
        _ = Self.connected(&formatter, peer: DeviceAddress(0xC0FF_FFFF_FFFF, kind: .random))
        #expect(formatter.describe(Self.att([0x1B, 0x03, 0x00]), .toHost).text == "Notification 0x0003 = nothing")
    }

    @Test("Errors name the request and the reason")
    func errors() {
        var formatter = Self.formatter()
        #expect(
            formatter.describe(Self.att([0x01, 0x12, 0x05, 0x00, 0x0D]), .toHost).text
                == "Error Response: Write Request of 0x0005: Invalid Attribute Value Length (0x0D)"
        )
        #expect(
            formatter.describe(Self.att([0x01, 0x12, 0x05, 0x00, 0x80]), .toHost).text
                == "Error Response: Write Request of 0x0005: error 0x80"
        )
    }

    @Test("The packet that completes a frame has the frame's meaning")
    func fragments() throws {
        var formatter = Self.formatter()
        var frame = ByteBuffer(bytes: [0x05, 0x00, 0x04, 0x00, 0x12, 0x05, 0x00, 0x41, 0x42])
        let readHead = frame.readSlice(length: 6)
        let head = try #require(readHead)
        let first = HCIPacket.aclData(handle: Self.handle, boundary: .firstNonFlushable, fragment: head)
        let second = HCIPacket.aclData(handle: Self.handle, boundary: .continuing, fragment: frame)
        #expect(formatter.describe(first, .toController).text == "Fragment of 6 octets")
        #expect(formatter.describe(second, .toController).text == "Write Request 0x0005 = 4142 \"AB\"")
    }

    @Test("L2CAP signalling and pairing by their names")
    func signallingAndPairing() {
        var formatter = Self.formatter()
        let request = Self.frame(0x0005, [0x16, 0x07, 0x04, 0x00, 0x40, 0x00, 0x05, 0x00])
        #expect(
            formatter.describe(request, .toController)
                == PacketDescription(
                    layer: .l2cap,
                    handle: Self.handle,
                    text: "Flow Control Credit channel 0x0040, 5 credits, #7"
                )
        )
        let pairing = formatter.describe(Self.frame(0x0006, [0x05, 0x05]), .toHost)
        #expect(pairing == PacketDescription(layer: .smp, handle: Self.handle, text: "Pairing Failed 05"))
    }

    @Test("Advertising data as text")
    func advertising() {
        var formatter = Self.formatter()
        var data = AdvertisingData()
        data.appendServiceUUIDs([0x180D])
        data.appendLocalName("Pulse")
        let report = LEAdvertisingReport(
            eventType: .connectableUndirected,
            address: Self.ball,
            data: data.bytes,
            rssi: -45
        )
        let description = formatter.describe(LEAdvertisingReports([report]).packet(), .toHost)
        #expect(description.text == "Advertisement of ball: \"Pulse\", service 180D, -45 dBm")
        #expect(description.layer == .gap)
    }

    @Test("Advertising begins and stops; a scan response is told from an advertisement, in both kinds of reports")
    func advertisingCommandsAndResponses() {
        var formatter = Self.formatter()
        for (isEnabled, text) in [(true, "Start"), (false, "Stop")] {
            let legacy = LESetAdvertisingEnable(isEnabled: isEnabled)
            #expect(formatter.describe(legacy.packet(), .toController).text == "\(text) advertising")
            let set = LESetExtendedAdvertisingEnable.AdvertisingSet(handle: AdvertisingHandle(rawValue: 0))
            let extended = LESetExtendedAdvertisingEnable(isEnabled: isEnabled, sets: [set])
            #expect(formatter.describe(extended.packet(), .toController).text == "\(text) extended advertising")
        }
        let report = LEAdvertisingReport(eventType: .scanResponse, address: Self.ball, data: ByteBuffer(), rssi: -45)
        #expect(formatter.describe(LEAdvertisingReports([report]).packet(), .toHost).text.hasPrefix("Scan response of"))
        for (type, text) in [([], "Extended advertisement of"), (.scanResponse, "Scan response of")]
            as [(LEExtendedAdvertisingReport.EventType, String)]
        {
            let report = LEExtendedAdvertisingReport(eventType: type, address: Self.ball, rssi: -45, data: ByteBuffer())
            let packet = LEExtendedAdvertisingReports([report]).packet()
            #expect(formatter.describe(packet, .toHost).text.hasPrefix(text))
        }
    }

    @Test(
        "Each ATT PDU is shown with its parameters (Vol 3, Part F, 3.4)",
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
            ("09 03 03 00 AA 05 00 BB", "Read By Type Response 0x0003 = AA, 0x0005 = BB"),
            ("0A 03 00", "Read Request 0x0003"), ("0B AA", "Read Response AA"),
            ("0C 03 00 16 00", "Read Blob Request 0x0003 from octet 22"), ("0D AA", "Read Blob Response AA"),
            ("0E 03 00 05 00", "Read Multiple Request 0x0003, 0x0005"), ("0F AA BB", "Read Multiple Response AABB"),
            ("10 01 00 FF FF 00 28", "Read By Group Type Request 0x0001-0xFFFF, type 2800"),
            ("11 06 01 00 03 00 0D 18", "Read By Group Type Response 0x0001-0x0003 180D"),
            ("12 03 00 AA", "Write Request 0x0003 = AA"), ("13", "Write Response"),
            ("16 03 00 05 00 AA", "Prepare Write Request 0x0003 at octet 5 = AA"),
            ("17 03 00 05 00 AA", "Prepare Write Response 0x0003 at octet 5 = AA"),
            ("18 01", "Execute Write Request (write)"), ("18 00", "Execute Write Request (cancel)"),
            ("19", "Execute Write Response"), ("1B 03 00 AA", "Notification 0x0003 = AA"),
            ("1D 03 00 AA", "Indication 0x0003 = AA"), ("1E", "Confirmation"),
            ("20 03 00 05 00", "Read Multiple Variable Request 0x0003, 0x0005"),
            ("52 03 00 AA", "Write Command 0x0003 = AA"),
        ]
    )
    func pdus(octets: String, text: String) {
        for direction in [PacketFormatter.Direction.toController, .toHost] {
            var formatter = Self.formatter()
            #expect(formatter.describe(att: hex(octets), on: Self.handle, direction) == text)
        }
    }

    @Test("A declaration says what a value is; Find Information says it of what has none, on each side by itself")
    func learned() {
        var formatter = Self.formatter()
        _ = Self.connected(&formatter)
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

    @Test("Commands that concern advertising, scanning and links, and what comes of connecting and disconnecting")
    func commands() {
        var formatter = Self.formatter()
        func text(_ command: some HCICommand) -> String { formatter.describe(command.packet(), .toController).text }
        let (data, interval) = (hex("03 03 0D 18"), AdvertisingInterval(rawValue: 0xA0))
        #expect(text(LESetAdvertisingData(data: data)) == "Set advertising data: service 180D")
        #expect(text(LESetScanResponseData(data: data)) == "Set scan response: service 180D")
        #expect(
            text(LESetAdvertisingParameters(minimumInterval: interval, maximumInterval: interval))
                == "Set advertising interval 100 ms"
        )
        #expect(text(LESetScanEnable(isEnabled: true)) == "Start scanning")
        #expect(text(LESetScanEnable(isEnabled: false)) == "Stop scanning")
        #expect(text(LESetExtendedScanEnable(isEnabled: true)) == "Start extended scanning")
        #expect(text(LESetExtendedScanEnable(isEnabled: false)) == "Stop extended scanning")
        #expect(text(LEAddDeviceToFilterAcceptList(entry: .device(Self.ball))) == "Add to filter accept list: ball")
        #expect(
            text(LERemoveDeviceFromFilterAcceptList(entry: .anonymous))
                == "Remove from filter accept list: anonymous devices"
        )
        #expect(text(LECreateConnectionCancel()) == "Cancel connecting")
        #expect(text(Disconnect(handle: Self.handle)).hasPrefix("Disconnect link 0x40: "))
        let failed = DisconnectionComplete(status: .commandDisallowed, handle: Self.handle, reason: .success)
        #expect(formatter.describe(failed.packet(), .toHost).text.hasPrefix("Disconnecting link 0x40 failed: "))
    }

    @Test("With 1,024 links all are forgotten before the next one")
    func capacity() {
        var formatter = Self.formatter()
        func connect(_ handle: UInt16) {
            let event = LEConnectionComplete(
                handle: ConnectionHandle(rawValue: handle),
                role: .peripheral,
                peer: Self.ball,
                interval: ConnectionInterval(rawValue: 24),
                latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 72)
            )
            #expect(formatter.describe(event.packet(), .toHost).text.hasPrefix("Connected to ball as peripheral, "))
        }
        func first() -> String {
            let command = Disconnect(handle: ConnectionHandle(rawValue: 0))
            return formatter.describe(command.packet(), .toController).text
        }
        for handle in 0..<1024 as Range<UInt16> { connect(handle) }
        #expect(first().hasPrefix("Disconnect ball: "))
        connect(1024)
        #expect(first().hasPrefix("Disconnect link 0x0: "))
    }

    @Test("Random octets never trap it", arguments: 1...4 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var formatter = Self.formatter()
        _ = Self.connected(&formatter)
        for _ in 0..<4000 {
            let count = Int.random(in: 0...40, using: &generator)
            var octets = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let packet: HCIPacket
            switch Int.random(in: 0...3, using: &generator) {
            case 0: packet = Self.att(octets)
            case 1: packet = Self.frame(UInt16.random(in: 4...7, using: &generator), octets)
            case 2:
                octets.insert(UInt8.random(in: 1...4, using: &generator), at: 0)
                packet = HCIPacket(h4: ByteBuffer(bytes: octets))
            default:
                packet = HCIPacket.aclData(
                    handle: Self.handle,
                    boundary: Bool.random(using: &generator) ? .firstNonFlushable : .continuing,
                    fragment: ByteBuffer(bytes: octets)
                )
            }
            let description = formatter.describe(packet, Bool.random(using: &generator) ? .toHost : .toController)
            #expect(!description.text.isEmpty)
            #expect(!description.text.contains("\n"))
        }
    }
}
