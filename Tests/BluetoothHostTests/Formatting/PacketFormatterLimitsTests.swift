// Packets as text: how much is kept of links and of attributes, which frames of two directions and of several links are
// put together, and what is said of connecting and of devices without an address.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("PacketFormatter: limits")
struct PacketFormatterLimitsTests {
    private static let handle = ConnectionHandle(rawValue: 0x40)
    private static let ball = DeviceAddress(0xC011_2233_4455, kind: .random)

    private static func connected(_ peer: DeviceAddress, status: HCIErrorCode = .success) -> LEConnectionComplete {
        LEConnectionComplete(
            status: status,
            handle: Self.handle,
            role: .central,
            peer: peer,
            interval: ConnectionInterval(rawValue: 24),
            latency: 2,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
    }

    private static func fragment(_ octets: String, of handle: UInt16 = 0x40, isFirst: Bool) -> HCIPacket {
        .aclData(
            handle: ConnectionHandle(rawValue: handle),
            boundary: isFirst ? .firstNonFlushable : .continuing,
            fragment: hex(octets)
        )
    }

    // MARK: Limits

    @Test("The attributes of 1,024 peers are kept, and all are forgotten with the next link then")
    func attributes() {
        var formatter = PacketFormatter()
        func connect(_ number: UInt64) {
            let peer = DeviceAddress(0xC000_0000_0000 + number, kind: .random)
            _ = formatter.describe(Self.connected(peer).packet(), .toHost)
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

    @Test("Of 1,024 links whose beginning was not seen frames are put together, of further ones they are not")
    func links() {
        var formatter = PacketFormatter()
        func begin(_ handle: UInt16) -> String {
            formatter.describe(Self.fragment("03 00 04 00 0A", of: handle, isFirst: true), .toHost).text
        }
        func end(_ handle: UInt16) -> String {
            formatter.describe(Self.fragment("05 00", of: handle, isFirst: false), .toHost).text
        }
        for handle in 0...1_024 as ClosedRange<UInt16> { #expect(begin(handle) == "Fragment of 5 octets") }
        #expect(end(0) == "Read Request 0x0005")
        #expect(end(1_023) == "Read Request 0x0005")
        #expect(end(1_024).hasPrefix("L2CAP data that breaks the rules: "))
        // One that is known goes on.
        #expect(begin(7).hasPrefix("L2CAP data that breaks the rules: "), "its frame was not complete")
        #expect(end(7) == "Read Request 0x0005")
        #expect(begin(7) == "Fragment of 5 octets")
        #expect(end(7) == "Read Request 0x0005")
    }

    @Test(
        "A frame may have 65,535 octets, in each direction",
        arguments: [PacketFormatter.Direction.toHost, .toController]
    )
    func longest(direction: PacketFormatter.Direction) {
        var formatter = PacketFormatter()
        let packet = Self.fragment("FF FF 04 00 0A", isFirst: true)
        #expect(formatter.describe(packet, direction).text == "Fragment of 5 octets")
    }

    @Test("Frames of both directions and of two links are put together each by itself")
    func interleaved() {
        var formatter = PacketFormatter()
        func text(_ octets: String, _ handle: UInt16, _ isFirst: Bool, _ way: PacketFormatter.Direction) -> String {
            formatter.describe(Self.fragment(octets, of: handle, isFirst: isFirst), way).text
        }
        #expect(text("03 00 04 00", 0x40, true, .toController) == "Fragment of 4 octets")
        #expect(text("02 00 04 00", 0x40, true, .toHost) == "Fragment of 4 octets")
        #expect(text("03 00 04 00", 0x41, true, .toHost) == "Fragment of 4 octets")
        #expect(text("0B AA", 0x40, false, .toHost) == "Read Response AA")
        #expect(text("0A 05 00", 0x40, false, .toController) == "Read Request 0x0005")
        #expect(text("0A 07 00", 0x41, false, .toHost) == "Read Request 0x0007")
    }

    @Test("The end of a link ends its frame, and what was asked for on it")
    func ended() {
        var formatter = PacketFormatter()
        _ = formatter.describe(Self.connected(Self.ball).packet(), .toHost)
        _ = formatter.describe(Self.fragment("03 00 04 00 0A", isFirst: true), .toHost)
        _ = formatter.describe(att: hex("08 01 00 FF FF 03 28"), on: Self.handle, .toController)
        _ = formatter.describe(
            DisconnectionComplete(handle: Self.handle, reason: .connectionTimeout).packet(),
            .toHost
        )
        let rest = formatter.describe(Self.fragment("05 00", isFirst: false), .toHost).text
        #expect(rest.hasPrefix("L2CAP data that breaks the rules: "))
        let answer = formatter.describe(att: hex("09 07 02 00 0A 03 00 37 2A"), on: Self.handle, .toHost)
        #expect(answer == "Read By Type Response 0x0002 = 0A0300372A")
    }

    @Test("Nothing is learned on a link whose peer is not known")
    func unknownPeer() {
        var formatter = PacketFormatter()
        _ = formatter.describe(att: hex("05 01 03 00 37 2A"), on: Self.handle, .toHost)
        #expect(formatter.describe(att: hex("0A 03 00"), on: Self.handle, .toController) == "Read Request 0x0003")
        #expect(formatter.attributes.isEmpty)
    }

    // MARK: Links

    @Test("A link begins with each of the three events, and not where connecting failed")
    func connections() {
        let enhanced = LEEnhancedConnectionComplete(
            handle: Self.handle,
            role: .peripheral,
            peer: Self.ball,
            interval: ConnectionInterval(rawValue: 24),
            latency: 2,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        let end = "interval 30 ms, latency 2, timeout 720 ms"
        for (packet, text) in [
            (Self.connected(Self.ball).packet(), "Connected to C0:11:22:33:44:55 as central, \(end)"),
            (enhanced.packet(), "Connected to C0:11:22:33:44:55 as peripheral, \(end)"),
            (
                LEEnhancedConnectionCompleteV2(connection: enhanced).packet(),
                "Connected to C0:11:22:33:44:55 as peripheral, \(end)"
            ),
        ] {
            var formatter = PacketFormatter()
            #expect(
                formatter.describe(packet, .toHost)
                    == PacketDescription(layer: .gap, handle: Self.handle, text: text)
            )
            #expect(formatter.links.count == 1)
        }
        var formatter = PacketFormatter()
        let failed = Self.connected(Self.ball, status: .connectionFailedToBeEstablished)
        let description = formatter.describe(failed.packet(), .toHost)
        #expect(description.layer == .gap && description.handle == nil)
        #expect(description.text == "Connecting ended: The connection could not be established (0x3E)")
        #expect(formatter.links.isEmpty)
    }

    @Test("Connecting names the peer, or the filter accept list, in both kinds of commands")
    func connecting() {
        let interval = ConnectionInterval(rawValue: 24)
        let parameters = ConnectionParameters(
            minimumInterval: interval,
            maximumInterval: interval,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        let phy = LEExtendedCreateConnection.PHYParameters(
            scanInterval: ExtendedScanInterval(rawValue: 0x30),
            scanWindow: ExtendedScanInterval(rawValue: 0x30),
            parameters: parameters
        )
        for (policy, text) in [
            (.peer, "Connect to ball"), (.acceptList, "Connect to devices of the filter accept list"),
        ] as [(InitiatorFilterPolicy, String)] {
            var formatter = PacketFormatter(name: { $0 == Self.ball ? "ball" : nil })
            let legacy = LECreateConnection(
                scanInterval: ScanInterval(rawValue: 0x30),
                scanWindow: ScanInterval(rawValue: 0x30),
                filterPolicy: policy,
                peer: Self.ball,
                parameters: parameters
            )
            #expect(formatter.describe(legacy.packet(), .toController) == PacketDescription(layer: .gap, text: text))
            let extended = LEExtendedCreateConnection(filterPolicy: policy, peer: Self.ball, le1M: phy)
            #expect(formatter.describe(extended.packet(), .toController) == PacketDescription(layer: .gap, text: text))
        }
    }

    @Test("Scanning has its interval and its window; a command about a link has its handle")
    func scanning() {
        var formatter = PacketFormatter()
        let scan = LESetScanParameters(
            type: .active,
            interval: ScanInterval(rawValue: 0x60),
            window: ScanInterval(rawValue: 0x30)
        )
        #expect(formatter.describe(scan.packet(), .toController).text == "Set scan interval 60 ms, window 30 ms")
        let disconnect = formatter.describe(Disconnect(handle: Self.handle).packet(), .toController)
        #expect(
            disconnect
                == PacketDescription(
                    layer: .gap,
                    handle: Self.handle,
                    text: "Disconnect link 0x40: The remote user ended the connection (0x13)"
                )
        )
    }

    @Test("A report may have neither an address nor a signal strength, and several are divided by a semicolon")
    func reports() {
        var formatter = PacketFormatter(name: { $0 == Self.ball ? "ball" : nil })
        let anonymous = LEExtendedAdvertisingReport(eventType: [], address: nil, rssi: nil, data: ByteBuffer())
        #expect(
            formatter.describe(LEExtendedAdvertisingReports([anonymous]).packet(), .toHost)
                == PacketDescription(
                    layer: .gap,
                    text: "Extended advertisement of an anonymous device: no data, no RSSI"
                )
        )
        let first = LEAdvertisingReport(
            eventType: .connectableUndirected,
            address: Self.ball,
            data: ByteBuffer(),
            rssi: nil
        )
        let second = LEAdvertisingReport(eventType: .scanResponse, address: Self.ball, data: hex("02 0A 04"), rssi: -7)
        #expect(
            formatter.describe(LEAdvertisingReports([first, second]).packet(), .toHost).text
                == "Advertisement of ball: no data, no RSSI; Scan response of ball: sent with 4 dBm, -7 dBm"
        )
    }

    @Test("The elements of advertising data are in one order, whatever theirs is")
    func elements() {
        let text = "\"Ball\", service 180D, solicits 180F, data of 180D AA, manufacturer data 4C000102, sent with 4 dBm"
        let elements = [
            "05 09 42 61 6C 6C", "03 03 0D 18", "03 14 0F 18", "04 16 0D 18 AA", "05 FF 4C 00 01 02", "02 0A 04",
        ]
        #expect(advertisingText(hex(elements.joined())) == text)
        #expect(advertisingText(hex(elements.reversed().joined())) == text)
    }

    @Test("Data of an extended advertising set is shown as legacy data is")
    func extendedData() {
        var formatter = PacketFormatter()
        let (set, data) = (AdvertisingHandle(rawValue: 0), hex("03 03 0D 18"))
        let advertising = LESetExtendedAdvertisingData(advertisingHandle: set, data: data)
        let response = LESetExtendedScanResponseData(advertisingHandle: set, data: data)
        #expect(
            formatter.describe(advertising.packet(), .toController).text == "Set advertising data: service 180D"
        )
        #expect(formatter.describe(response.packet(), .toController).text == "Set scan response: service 180D")
    }

    @Test(
        "What concerns host and controller alone, or cannot be read, is of the layer HCI and of no link",
        arguments: [
            "01 03 0C 00", "01 03 0C", "01 0D 20 01 00", "04 0E 04 01 03 0C 00", "04 3E 01 02", "02 40", "03 40 00 00",
        ]
    )
    func others(octets: String) {
        var formatter = PacketFormatter()
        let description = formatter.describe(HCIPacket(h4: hex(octets)), .toHost)
        #expect(description.layer == .hci && description.handle == nil)
        #expect(formatter.links.isEmpty)
    }

    @Test("A frame of another channel is shown with its number and its octets")
    func otherChannel() {
        var formatter = PacketFormatter()
        #expect(
            formatter.describe(Self.fragment("02 00 40 00 AA BB", isFirst: true), .toHost)
                == PacketDescription(layer: .l2cap, handle: Self.handle, text: "Channel 0x0040: AABB")
        )
    }

    @Test("The layers by their abbreviations")
    func layers() {
        #expect(PacketDescription.Layer.allCases.map(\.description) == ["HCI", "GAP", "L2CAP", "ATT", "SMP"])
        #expect(PacketDescription(layer: .att, text: "Confirmation").description == "ATT Confirmation")
    }
}
