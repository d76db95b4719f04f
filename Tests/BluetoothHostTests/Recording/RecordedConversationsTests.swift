// Which peripheral of a capture is meant, what to record where there is none, and what was heard of it before it was
// connected.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: the conversations of a capture")
struct RecordedConversationsTests {
    private typealias Packets = [(HCIPacket, PacketFormatter.Direction, Int64)]

    private static let pulse = DeviceAddress(0xC011_2233_4455, kind: .random)
    private static let ball = DeviceAddress(0x0011_2233_4466, kind: .public)

    private static func connection(_ handle: UInt16, _ peer: DeviceAddress, role: ConnectionRole = .central) -> Packets
    {
        let event = LEConnectionComplete(
            handle: ConnectionHandle(rawValue: handle),
            role: role,
            peer: peer,
            interval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        return [(event.packet(), .toHost, 0)]
    }

    private static func att(_ handle: UInt16, _ octets: String, _ direction: PacketFormatter.Direction) -> Packets {
        let pdu = ByteBuffer(hex: octets)
        var frame = ByteBuffer()
        frame.writeMultipleIntegers(UInt16(pdu.readableBytes), UInt16(0x0004), endianness: .little)
        frame.writeImmutableBuffer(pdu)
        let handle = ConnectionHandle(rawValue: handle)
        return [(.aclData(handle: handle, boundary: .firstNonFlushable, fragment: frame), direction, 0)]
    }

    /// A client finds one service.
    private static func discovery(_ handle: UInt16, isServed: Bool = false) -> Packets {
        Self.att(handle, "10 01 00 FF FF 00 28", isServed ? .toHost : .toController)
            + Self.att(handle, "11 06 01 00 03 00 0D 18", isServed ? .toController : .toHost)
    }

    private static func advertisement(
        _ address: DeviceAddress,
        _ data: String = "",
        _ type: LEAdvertisingReport.EventType = .connectableUndirected,
        at time: Int64 = 0
    ) -> Packets {
        let report = LEAdvertisingReport(eventType: type, address: address, data: ByteBuffer(hex: data), rssi: -45)
        return [(LEAdvertisingReports([report]).packet(), .toHost, time)]
    }

    private static func choose(_ packets: Packets, _ device: String? = nil) throws -> RecordedPeripheral {
        try RecordedConversations(packets).peripheral(device)
    }

    private static func failure(_ packets: Packets, _ device: String? = nil) -> String? {
        do {
            _ = try RecordedConversations(packets).peripheral(device)
            return nil
        } catch {
            return error.description
        }
    }

    /// A complete local name.
    private static let named = "06 09 50 75 6C 73 65"

    // MARK: The choice

    @Test("a capture without a connection says how many devices were heard")
    func nobody() {
        func heard(_ packets: Packets) -> String? {
            Self.failure(packets).map { String($0.prefix { $0 != ":" }) }
        }
        #expect(heard([]) == "the capture has no connection (nobody was heard)")
        let one = Self.advertisement(Self.pulse) + Self.advertisement(Self.pulse)
        #expect(heard(one) == "the capture has no connection (1 device was heard)")
        #expect(heard(one + Self.advertisement(Self.ball)) == "the capture has no connection (2 devices were heard)")
    }

    @Test("without a name the only one that was discovered is meant")
    func onlyOne() throws {
        let both = Self.connection(0x40, Self.pulse) + Self.connection(0x41, Self.ball)
        #expect(try Self.choose(both + Self.discovery(0x41)).address == Self.ball)
        #expect(
            Self.failure(both)?.hasPrefix(
                "the capture has conversations with 2 peripherals, choose one: \(Self.pulse), \(Self.ball)"
            ) == true
        )
        #expect(
            Self.failure(both + Self.discovery(0x40) + Self.discovery(0x41))
                == "the capture has conversations with 2 peripherals, choose one: \(Self.pulse), \(Self.ball)"
        )
        #expect(
            Self.failure(Self.connection(0x40, Self.pulse))?
                .hasPrefix("the capture has no discovery of the services of \(Self.pulse): the central knew") == true
        )
    }

    @Test("a peripheral is chosen by its name or its address, in letters of either case")
    func chosen() throws {
        let packets =
            Self.advertisement(Self.pulse, Self.named) + Self.connection(0x40, Self.pulse) + Self.discovery(0x40)
            + Self.connection(0x41, Self.ball) + Self.discovery(0x41)
        for device in ["Pulse", "\(Self.pulse)", "\(Self.pulse)".lowercased()] {
            #expect(try Self.choose(packets, device).address == Self.pulse)
        }
        #expect(try Self.choose(packets, "\(Self.ball)").address == Self.ball)
        for device in ["pulse", "local", "link-64", "C0:11:22:33:44:56"] {
            #expect(
                Self.failure(packets, device)
                    == "the capture has no conversation with \(device); it has \(Self.pulse) \"Pulse\", \(Self.ball)"
            )
        }
    }

    @Test("this device is `local`, or its address; a peer whose connection is not in the capture is its link")
    func localAndUnknown() throws {
        let address = DeviceAddress(0x00AA_BBCC_DDEE, kind: .public)
        let packets: Packets =
            [(CommandComplete.packet(ReadBDADDR.self, .init(address: address)), .toHost, 0)]
            + Self.connection(0x40, Self.pulse, role: .peripheral) + Self.discovery(0x40, isServed: true)
            + Self.discovery(0x41)
        for device in ["local", "Local", "\(address)", "\(address)".lowercased()] {
            #expect(try Self.choose(packets, device).address == address)
        }
        #expect(try Self.choose(packets, "link-65").address == nil)
        #expect(
            Self.failure(packets) == "the capture has conversations with 2 peripherals, choose one: local, link-65"
        )
        #expect(Self.failure(packets, "link-64") != nil && Self.failure(packets, "\(Self.pulse)") != nil)
    }

    // MARK: What was heard

    @Test(
        "the interval is the middle one of those that were heard, as far as an advertiser may choose it",
        arguments: [
            ([0], nil), ([0, 30_000], 30_000), ([0, 19_999], 20_000), ([0, 10_240_001], 10_240_000),
            ([0, 10_239_999], 10_239_999), ([0, 30_000, 130_000], 100_000),
            ([0, 30_000, 130_000, 170_000], 40_000), ([5, 4], 20_000),
        ] as [([Int64], Int64?)]
    )
    func interval(times: [Int64], interval: Int64?) throws {
        let packets = times.flatMap { Self.advertisement(Self.pulse, at: $0) }
        let peripheral = try Self.choose(packets + Self.connection(0x40, Self.pulse) + Self.discovery(0x40))
        #expect(peripheral.advertisingInterval == interval.map { .microseconds($0) })
    }

    @Test("of 256 intervals the middle one is taken, and later ones are not measured")
    func intervalLimit() throws {
        var (packets, time): (Packets, Int64) = (Self.advertisement(Self.pulse), 0)
        for interval in [Int64](repeating: 100_000, count: 128) + [Int64](repeating: 30_000, count: 256) {
            time += interval
            packets += Self.advertisement(Self.pulse, at: time)
        }
        let peripheral = try Self.choose(packets + Self.connection(0x40, Self.pulse) + Self.discovery(0x40))
        #expect(peripheral.advertisingInterval == .milliseconds(100))
    }

    @Test("the last data counts, a scan response for itself; the last advertisement says whether centrals may connect")
    func data() throws {
        typealias EventType = LEAdvertisingReport.EventType
        for (type, isConnectable) in [
            (EventType.connectableUndirected, true), (.connectableDirected, true), (.scannableUndirected, false),
            (.nonConnectableUndirected, false),
        ] {
            let packets =
                Self.advertisement(Self.pulse, "02 01 06", .nonConnectableUndirected)
                + Self.advertisement(Self.pulse, "02 01 04", type)
                + Self.advertisement(Self.pulse, Self.named, .scanResponse)
            let peripheral = try Self.choose(packets + Self.connection(0x40, Self.pulse) + Self.discovery(0x40))
            #expect(peripheral.advertisingData == ByteBuffer(hex: "02 01 04"))
            #expect(peripheral.scanResponse == ByteBuffer(hex: Self.named))
            #expect(peripheral.isConnectable == isConnectable && peripheral.advertisingInterval != nil)
        }
    }

    @Test("extended reports say the same; those without an address are nobody's")
    func extended() throws {
        typealias EventType = LEExtendedAdvertisingReport.EventType
        func report(_ type: EventType, _ address: DeviceAddress?, _ data: String) -> Packets {
            let report = LEExtendedAdvertisingReport(
                eventType: type,
                address: address,
                rssi: -45,
                data: ByteBuffer(hex: data)
            )
            return [(LEExtendedAdvertisingReports([report]).packet(), .toHost, 0)]
        }
        for (type, isConnectable) in [(EventType.connectable, true), (.scannable, false)] {
            let packets =
                report(type, Self.pulse, "02 01 04") + report([type, .scanResponse], Self.pulse, Self.named)
                + report(type, nil, "02 01 06")
            #expect(Self.failure(packets)?.contains("(1 device was heard)") == true)
            let peripheral = try Self.choose(packets + Self.connection(0x40, Self.pulse) + Self.discovery(0x40))
            #expect(peripheral.advertisingData == ByteBuffer(hex: "02 01 04"))
            #expect(peripheral.scanResponse == ByteBuffer(hex: Self.named))
            #expect(peripheral.isConnectable == isConnectable)
        }
    }

    @Test("what a peer advertised under a private address is its own, unless it was heard under its identity, too")
    func privateAddress() throws {
        let resolvable = DeviceAddress(0x4011_2233_4455, kind: .random)
        let event = LEEnhancedConnectionComplete(
            handle: ConnectionHandle(rawValue: 0x40),
            role: .central,
            peer: DeviceAddress(Self.ball.value, kind: .publicIdentity),
            peerResolvableAddress: resolvable,
            interval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        let link: Packets = [(event.packet(), .toHost, 0)] + Self.discovery(0x40)
        let hidden = Self.advertisement(resolvable, Self.named)
        #expect(try Self.choose(hidden + link).advertisingData == ByteBuffer(hex: Self.named))
        #expect(try Self.choose(hidden + link).address == Self.ball)
        let known = try Self.choose(hidden + Self.advertisement(Self.ball, "02 01 06") + link)
        #expect(known.advertisingData == ByteBuffer(hex: "02 01 06"))
    }

    @Test("what this device advertised is what its host has set, where it has switched advertising on")
    func local() throws {
        let (publicAddress, randomAddress) = (
            DeviceAddress(0x00AA_BBCC_DDEE, kind: .public), DeviceAddress(0xC0AA_BBCC_DDEE, kind: .random)
        )
        let link = Self.connection(0x40, Self.pulse, role: .peripheral) + Self.discovery(0x40, isServed: true)
        func commands(_ ownAddressType: OwnAddressType, _ type: AdvertisingType, isEnabled: Bool) -> Packets {
            let interval = AdvertisingInterval(rawValue: 0xA0)
            return [
                (CommandComplete.packet(ReadBDADDR.self, .init(address: publicAddress)), .toHost, 0),
                (LESetRandomAddress(address: randomAddress).packet(), .toController, 0),
                (
                    LESetAdvertisingParameters(
                        minimumInterval: interval,
                        maximumInterval: interval,
                        type: type,
                        ownAddressType: ownAddressType
                    ).packet(), .toController, 0
                ),
                (LESetAdvertisingData(data: ByteBuffer(hex: "02 01 06")).packet(), .toController, 0),
                (LESetScanResponseData(data: ByteBuffer(hex: Self.named)).packet(), .toController, 0),
                (LESetAdvertisingEnable(isEnabled: isEnabled).packet(), .toController, 0),
            ]
        }
        for type in [OwnAddressType.public, .random, .resolvableOrPublic, .resolvableOrRandom] {
            let isRandom = type == .random || type == .resolvableOrRandom
            let peripheral = try Self.choose(commands(type, .connectableUndirected, isEnabled: true) + link)
            #expect(peripheral.address == (isRandom ? randomAddress : publicAddress))
            #expect(peripheral.advertisingInterval == .milliseconds(100))
            #expect(peripheral.advertisingData == ByteBuffer(hex: "02 01 06") && peripheral.name == "Pulse")
            #expect(peripheral.isConnectable)
        }
        for (type, isConnectable) in [
            (AdvertisingType.connectableDirectedHighDutyCycle, true), (.scannableUndirected, false),
        ] {
            let packets = commands(.public, type, isEnabled: true) + commands(.public, type, isEnabled: false)
            let peripheral = try Self.choose(packets + link)
            #expect(peripheral.isConnectable == isConnectable && peripheral.advertisingData != nil)
        }
        let silent = try Self.choose(commands(.public, .connectableUndirected, isEnabled: false) + link)
        #expect(silent.advertisingData == nil && silent.scanResponse == nil && silent.name == nil)
        // What another host says to its controller is no packet of this one.
        let reversed = commands(.public, .connectableUndirected, isEnabled: true).map {
            ($0.0, $0.1 == .toHost ? PacketFormatter.Direction.toController : .toHost, $0.2)
        }
        let deaf = try Self.choose(reversed + link)
        #expect(deaf.address == nil && deaf.advertisingData == nil && deaf.advertisingInterval == nil)
    }

    @Test("a handle that is used again is another link; a connection that failed is none")
    func links() throws {
        let end = DisconnectionComplete(handle: ConnectionHandle(rawValue: 0x40), reason: .connectionTimeout)
        let first = Self.connection(0x40, Self.pulse) + Self.discovery(0x40)
        let again = first + [(end.packet(), .toHost, 0)] + Self.connection(0x40, Self.ball) + Self.discovery(0x40)
        #expect(try Self.choose(again, "\(Self.ball)").services.count == 1)
        // Behind its end nothing of a link is known.
        let ended = first + [(end.packet(), .toHost, 0)] + Self.discovery(0x40)
        #expect(try Self.choose(ended, "link-64").services.count == 1)
        var failed = end
        failed.status = .commandDisallowed
        let kept = first + [(failed.packet(), .toHost, 0)] + Self.discovery(0x40)
        #expect(try Self.choose(kept).address == Self.pulse)
        let none = LEConnectionComplete(
            status: .connectionTimeout,
            handle: ConnectionHandle(rawValue: 0x41),
            role: .central,
            peer: Self.ball,
            interval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        #expect(Self.failure([(none.packet(), .toHost, 0)])?.contains("no connection") == true)
    }
}
