// Packets as text.

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

    private static func fragment(_ octets: String, of handle: UInt16 = 0x40, isFirst: Bool) -> HCIPacket {
        .aclData(
            handle: ConnectionHandle(rawValue: handle),
            boundary: isFirst ? .firstNonFlushable : .continuing,
            fragment: hex(octets)
        )
    }

    // MARK: Links

    @Test("describes the beginning of a link by each event, and its end")
    func linkEvents() {
        let end = "interval 30 ms, latency 0, timeout 720 ms"
        let events = [
            (Captured.connection(0x40, Self.ball), "Connected to ball as central, \(end)"),
            (
                Captured.privateConnection(0x40, .peripheral, at: Self.ball),
                "Connected to 00:11:22:33:44:66 as peripheral, \(end)"
            ),
        ]
        for (packets, text) in events {
            var formatter = Self.formatter()
            #expect(
                formatter.describe(packets[0].0, .toHost)
                    == PacketDescription(layer: .gap, handle: Self.handle, text: text)
            )
        }
        var formatter = Self.formatter()
        let failed = formatter.describe(
            Captured.connection(0x40, Self.ball, status: .connectionFailedToBeEstablished)[0].0,
            .toHost
        )
        #expect(failed.layer == .gap && failed.handle == nil && formatter.links.isEmpty)
        #expect(failed.text == "Connecting ended: The connection could not be established (0x3E)")
        _ = formatter.describe(Captured.connection(0x40, Self.ball)[0].0, .toHost)
        let text = formatter.describe(Captured.end(0x40)[0].0, .toHost).text
        #expect(text.hasPrefix("Disconnected from ball: ") && text.contains("(0x08)"))
        let unknown = formatter.describe(Captured.end(0x40)[0].0, .toHost).text
        #expect(unknown.hasPrefix("Disconnected from link 0x40: "), "a link that has ended is forgotten")
        let refused = formatter.describe(Captured.end(0x40, status: .commandDisallowed)[0].0, .toHost).text
        #expect(refused.hasPrefix("Disconnecting link 0x40 failed: "))
    }

    @Test("keeps 1,024 links, then forgets them all")
    func capacity() {
        var formatter = Self.formatter()
        func connect(_ handle: UInt16) {
            _ = formatter.describe(Captured.connection(handle, Self.ball)[0].0, .toHost)
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

    // MARK: Frames

    @Test("describes a frame with its last fragment, separately for each direction and link")
    func fragments() {
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
        for direction in [PacketFormatter.Direction.toHost, .toController] {
            #expect(text("FF FF 04 00 0A", 0x42, true, direction) == "Fragment of 5 octets", "the longest frame")
        }
    }

    @Test("joins the fragments of 1,024 links whose beginning was not seen")
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
        // A known link continues its frame.
        #expect(begin(7).hasPrefix("L2CAP data that breaks the rules: "), "its frame was not complete")
        #expect(end(7) == "Read Request 0x0005")
        #expect(begin(7) == "Fragment of 5 octets")
        #expect(end(7) == "Read Request 0x0005")
    }

    @Test("forgets the fragments and requests of a link that has ended")
    func ended() {
        var formatter = PacketFormatter()
        _ = formatter.describe(Captured.connection(0x40, Self.ball)[0].0, .toHost)
        _ = formatter.describe(Self.fragment("03 00 04 00 0A", isFirst: true), .toHost)
        _ = formatter.describe(att: hex("08 01 00 FF FF 03 28"), on: Self.handle, .toController)
        _ = formatter.describe(Captured.end(0x40)[0].0, .toHost)
        let rest = formatter.describe(Self.fragment("05 00", isFirst: false), .toHost).text
        #expect(rest.hasPrefix("L2CAP data that breaks the rules: "))
        let answer = formatter.describe(att: hex("09 07 02 00 0A 03 00 37 2A"), on: Self.handle, .toHost)
        #expect(answer == "Read By Type Response 0x0002 = 0A0300372A")
    }

    @Test(
        "describes frames by their channel",
        arguments: [
            (
                "05 00 04 00 12 05 00 41 42", PacketDescription(layer: .att, text: "Write Request 0x0005 = 4142 \"AB\"")
            ),
            (
                "08 00 05 00 16 07 04 00 40 00 05 00",
                PacketDescription(layer: .l2cap, text: "Flow Control Credit channel 0x0040, 5 credits, #7")
            ),
            ("02 00 06 00 05 05", PacketDescription(layer: .smp, text: "Pairing Failed 05")),
            ("02 00 40 00 AA BB", PacketDescription(layer: .l2cap, text: "Channel 0x0040: AABB")),
        ]
    )
    func channels(octets: String, description: PacketDescription) {
        var formatter = PacketFormatter()
        var expected = description
        expected.handle = Self.handle
        #expect(formatter.describe(Self.fragment(octets, isFirst: true), .toHost) == expected)
    }

    // MARK: Advertising and scanning

    @Test("describes advertisements and scan responses, legacy and extended")
    func reports() {
        var formatter = Self.formatter()
        let first = LEAdvertisingReport(
            eventType: .connectableUndirected,
            address: Self.ball,
            data: hex("06 09 50 75 6C 73 65 03 03 0D 18"),
            rssi: -45
        )
        let second = LEAdvertisingReport(eventType: .scanResponse, address: Self.ball, data: hex("02 0A 04"), rssi: nil)
        #expect(
            formatter.describe(LEAdvertisingReports([first, second]).packet(), .toHost)
                == PacketDescription(
                    layer: .gap,
                    text: "Advertisement of ball: \"Pulse\", service 180D, -45 dBm; "
                        + "Scan response of ball: sent with 4 dBm, no RSSI"
                )
        )
        for (type, address, text) in [
            ([], nil, "Extended advertisement of an anonymous device: no data, no RSSI"),
            (.legacy, Self.ball, "Advertisement of ball: no data, no RSSI"),
            (.scanResponse, Self.ball, "Scan response of ball: no data, no RSSI"),
        ] as [(LEExtendedAdvertisingReport.EventType, DeviceAddress?, String)] {
            let report = LEExtendedAdvertisingReport(eventType: type, address: address, rssi: nil, data: ByteBuffer())
            #expect(formatter.describe(LEExtendedAdvertisingReports([report]).packet(), .toHost).text == text)
        }
    }

    private static let set = AdvertisingHandle(rawValue: 0)
    private static let data = hex("03 03 0D 18")
    private static let scanning = LESetExtendedScanParameters.PHYParameters(
        type: .active,
        interval: ExtendedScanInterval(rawValue: 0x60),
        window: ExtendedScanInterval(rawValue: 0x30)
    )
    private static let parameters = ConnectionParameters(
        minimumInterval: ConnectionInterval(rawValue: 24),
        maximumInterval: ConnectionInterval(rawValue: 24),
        supervisionTimeout: SupervisionTimeout(rawValue: 72)
    )
    private static let initiating = LEExtendedCreateConnection.PHYParameters(
        scanInterval: ExtendedScanInterval(rawValue: 0x30),
        scanWindow: ExtendedScanInterval(rawValue: 0x30),
        parameters: parameters
    )

    private static func advertising(_ properties: AdvertisingEventProperties) -> LESetExtendedAdvertisingParameters {
        let interval = ExtendedAdvertisingInterval(rawValue: 0xA0)
        return LESetExtendedAdvertisingParameters(
            advertisingHandle: self.set,
            properties: properties,
            minimumInterval: interval,
            maximumInterval: interval
        )
    }

    private static func connecting(_ policy: InitiatorFilterPolicy) -> LECreateConnection {
        let interval = ScanInterval(rawValue: 0x30)
        return LECreateConnection(
            scanInterval: interval,
            scanWindow: interval,
            filterPolicy: policy,
            peer: self.ball,
            parameters: self.parameters
        )
    }

    private static let commands: [(any HCICommand, String)] = [
        (
            LESetAdvertisingParameters(
                minimumInterval: AdvertisingInterval(rawValue: 0xA0),
                maximumInterval: AdvertisingInterval(rawValue: 0xA0)
            ), "Set advertising interval 100 ms"
        ),
        (advertising(.legacy), "Set advertising interval 100 ms"),
        (advertising(.connectable), "Set advertising interval 100 ms, extended PDUs on LE 1M"),
        (LESetAdvertisingData(data: data), "Set advertising data: service 180D"),
        (LESetScanResponseData(data: data), "Set scan response: service 180D"),
        (LESetExtendedAdvertisingData(advertisingHandle: set, data: data), "Set advertising data: service 180D"),
        (LESetExtendedScanResponseData(advertisingHandle: set, data: data), "Set scan response: service 180D"),
        (LESetAdvertisingEnable(isEnabled: true), "Start advertising"),
        (LESetAdvertisingEnable(isEnabled: false), "Stop advertising"),
        (LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: set)]), "Start advertising"),
        (LESetExtendedAdvertisingEnable(isEnabled: false, sets: []), "Stop advertising"),
        (
            LESetScanParameters(
                type: .active,
                interval: ScanInterval(rawValue: 0x60),
                window: ScanInterval(rawValue: 0x30)
            ), "Set scan interval 60 ms, window 30 ms"
        ),
        (LESetExtendedScanParameters(le1M: scanning), "Set scan interval 60 ms, window 30 ms"),
        (LESetExtendedScanParameters(le1M: nil, leCoded: scanning), "Set scan interval 60 ms, window 30 ms"),
        (LESetScanEnable(isEnabled: true), "Start scanning"), (LESetScanEnable(isEnabled: false), "Stop scanning"),
        (LESetExtendedScanEnable(isEnabled: true), "Start scanning"),
        (LESetExtendedScanEnable(isEnabled: false), "Stop scanning"),
        (LEAddDeviceToFilterAcceptList(entry: .device(ball)), "Add to filter accept list: ball"),
        (LERemoveDeviceFromFilterAcceptList(entry: .anonymous), "Remove from filter accept list: anonymous devices"),
        (connecting(.peer), "Connect to ball"),
        (connecting(.acceptList), "Connect to devices of the filter accept list"),
        (LEExtendedCreateConnection(filterPolicy: .peer, peer: ball, le1M: initiating), "Connect to ball"),
        (LECreateConnectionCancel(), "Cancel connecting"),
        (Disconnect(handle: handle), "Disconnect link 0x40: The remote user ended the connection (0x13)"),
    ]

    @Test("describes commands of advertising, scanning and connecting, legacy and extended", arguments: commands)
    func describes(command: any HCICommand, text: String) {
        var formatter = Self.formatter()
        let description = formatter.describe(command.packet(), .toController)
        #expect(description.text == text && description.layer == .gap)
    }

    @Test(
        "puts packets that concern only host and controller, and malformed ones, into the layer HCI",
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
}
