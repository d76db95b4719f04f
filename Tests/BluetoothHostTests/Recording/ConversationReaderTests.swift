// The links of a capture: which side is the peripheral, its advertising, and which values belong together.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ConversationReader")
struct ConversationReaderTests {
    private typealias Packets = Captured.Packets

    // MARK: The peripheral of a link

    @Test(
        "takes the side that discovers services for the central if the link began before the capture",
        arguments: [
            "10 01 00 FF FF 00 28", "06 01 00 FF FF 00 28 0D 18", "08 01 00 FF FF 03 28", "04 01 00 FF FF",
        ]
    )
    func discovery(request: String) {
        let link = ConversationReader.Key.unknownPeer(ConnectionHandle(rawValue: 0x40))
        #expect(Captured.keys(Captured.frame(0x40, request, .toController)) == [link])
        #expect(Captured.keys(Captured.frame(0x40, request, .toHost)) == [.local])
        // Once known, it does not change.
        let both = Captured.frame(0x40, request, .toHost) + Captured.frame(0x40, request, .toController)
        #expect(Captured.keys(both) == [.local])
    }

    @Test(
        "does not take a side for the central that reads, writes or agrees on an MTU",
        arguments: ["02 F7 00", "0A 03 00", "0C 03 00 01 00", "12 03 00 01", "52 03 00 01", "1B 03 00 01"]
    )
    func others(pdu: String) {
        #expect(Captured.keys(Captured.frame(0x40, pdu, .toController) + Captured.frame(0x40, pdu, .toHost)) == [])
    }

    @Test("takes the roles from connection events of each version, and lists each peripheral once")
    func roles() {
        let packets =
            Captured.connection(0x40, Captured.pulse)
            + Captured.privateConnection(0x41, .peripheral, at: DeviceAddress(1, kind: .random))
            + Captured.privateConnection(0x42, .central, at: DeviceAddress(1, kind: .random))
        #expect(Captured.keys(packets + packets) == [.peer(Captured.pulse), .local, .peer(Captured.ball)])
    }

    @Test("takes a reused handle for another link, but not a failed connection or a failed end")
    func links() throws {
        let first = Captured.connection(0x40, Captured.pulse) + Captured.discovery()
        let again = first + Captured.end(0x40) + Captured.connection(0x40, Captured.ball) + Captured.discovery()
        #expect(try Captured.peripheral(again, "\(Captured.ball)").services.count == 1)
        // After its end, nothing is known of a link.
        let ended = first + Captured.end(0x40) + Captured.discovery()
        #expect(try Captured.peripheral(ended, "link-64").services.count == 1)
        let kept = first + Captured.end(0x40, status: .commandDisallowed) + Captured.discovery()
        #expect(try Captured.peripheral(kept).address == Captured.pulse)
        #expect(Captured.keys(Captured.connection(0x41, Captured.ball, status: .connectionTimeout)) == [])
    }

    @Test("ignores frames of other channels", arguments: [0x0005, 0x0006, 0x0040] as [UInt16])
    func otherChannels(channel: UInt16) throws {
        let packets =
            Captured.frame(0x40, "10 01 00 FF FF 00 28", .toHost, channel: channel) + Captured.discovery()
            + Captured.frame(0x40, "52 03 00 AA", .toController, channel: channel)
            + Captured.frame(0x40, "52 03 00 BB", .toController)
            + Captured.frame(0x40, "1B 03 00 CC", .toHost, channel: channel)
        let characteristic = try Captured.characteristic(packets, "link-64")
        #expect(characteristic.writes.map(\.value) == [hex("BB")])
        #expect(characteristic.updates.isEmpty && !characteristic.wasSubscribed)
    }

    // MARK: Addresses

    private static let publicAddress = DeviceAddress(0x00AA_BBCC_DDEE, kind: .public)

    private static func address(_ address: DeviceAddress, _ status: HCIErrorCode = .success) -> Packets {
        [(CommandComplete.packet(ReadBDADDR.self, .init(status: status, address: address)), .toHost, 0)]
    }

    @Test(
        "takes the public address from a successful answer other than zeros (Vol 4, Part E, 7.4.6)",
        arguments: [
            (.hardwareFailure, 0), (.hardwareFailure, 0x0011_2233_4455), (.success, 0),
        ] as [(HCIErrorCode, UInt64)]
    )
    func publicAddress(status: HCIErrorCode, value: UInt64) throws {
        let link = Captured.connection(0x40, Captured.pulse, .peripheral) + Captured.discovery(isServed: true)
        let other = Self.address(DeviceAddress(value, kind: .public), status)
        #expect(try Captured.peripheral(other + link).address == nil)
        #expect(try Captured.peripheral(Self.address(Self.publicAddress) + other + link).address == Self.publicAddress)
    }

    @Test("uses the advertisements from a peer's private address, unless its identity address was heard")
    func privateAddress() throws {
        let resolvable = DeviceAddress(0x4011_2233_4455, kind: .random)
        let link = Captured.privateConnection(0x40, .central, at: resolvable) + Captured.discovery()
        let hidden = Captured.advertisement(resolvable, Captured.named)
        #expect(try Captured.peripheral(hidden + link).advertisingData == hex(Captured.named))
        #expect(try Captured.peripheral(hidden + link).address == Captured.ball)
        let known = hidden + Captured.advertisement(Captured.ball, "02 01 06") + link
        #expect(try Captured.peripheral(known).advertisingData == hex("02 01 06"))
        // A central has advertised nothing.
        let late = DeviceAddress(0x4011_2233_4456, kind: .random)
        let both =
            Captured.advertisement(late, "02 01 04") + Captured.privateConnection(0x41, .peripheral, at: late)
            + hidden + link
        #expect(try Captured.peripheral(both, "\(Captured.ball)").advertisingData == hex(Captured.named))
    }

    // MARK: Advertising

    private static let link = Captured.connection(0x40, Captured.pulse) + Captured.discovery()

    @Test(
        "uses the median interval, within the valid range",
        arguments: [
            ([0], nil), ([0, 30_000], 30_000), ([0, 19_999], 20_000), ([0, 10_240_001], 10_240_000),
            ([0, 10_239_999], 10_239_999), ([0, 30_000, 130_000], 100_000),
            ([0, 30_000, 130_000, 170_000], 40_000), ([5, 4], 20_000),
        ] as [([Int64], Int64?)]
    )
    func interval(times: [Int64], interval: Int64?) throws {
        let packets = times.flatMap { Captured.advertisement(Captured.pulse, at: $0) }
        let peripheral = try Captured.peripheral(packets + Self.link)
        #expect(peripheral.advertisingInterval == interval.map { .microseconds($0) })
    }

    @Test("measures 256 intervals at most")
    func intervalLimit() throws {
        var (packets, time) = (Captured.advertisement(Captured.pulse), Int64(0))
        for interval in [Int64](repeating: 100_000, count: 128) + [Int64](repeating: 30_000, count: 256) {
            time += interval
            packets += Captured.advertisement(Captured.pulse, at: time)
        }
        #expect(try Captured.peripheral(packets + Self.link).advertisingInterval == .milliseconds(100))
    }

    @Test(
        "uses the last advertisement and the last scan response",
        arguments: [
            (.connectableUndirected, true), (.connectableDirected, true), (.scannableUndirected, false),
            (.nonConnectableUndirected, false),
        ] as [(LEAdvertisingReport.EventType, Bool)]
    )
    func data(type: LEAdvertisingReport.EventType, isConnectable: Bool) throws {
        let packets =
            Captured.advertisement(Captured.pulse, "02 01 06", .nonConnectableUndirected)
            + Captured.advertisement(Captured.pulse, "02 01 04", type)
            + Captured.advertisement(Captured.pulse, Captured.named, .scanResponse)
        let peripheral = try Captured.peripheral(packets + Self.link)
        #expect(peripheral.advertisingData == hex("02 01 04") && peripheral.scanResponse == hex(Captured.named))
        #expect(peripheral.isConnectable == isConnectable && peripheral.advertisingInterval != nil)
    }

    @Test("uses extended reports like legacy ones, and none without an address", arguments: [true, false])
    func extended(isConnectable: Bool) throws {
        typealias EventType = LEExtendedAdvertisingReport.EventType
        func report(_ type: EventType, _ address: DeviceAddress?, _ data: String) -> Packets {
            let report = LEExtendedAdvertisingReport(eventType: type, address: address, rssi: -45, data: hex(data))
            return [(LEExtendedAdvertisingReports([report]).packet(), .toHost, 0)]
        }
        let type: EventType = isConnectable ? .connectable : .scannable
        let packets =
            report(type, Captured.pulse, "02 01 04") + report([type, .scanResponse], Captured.pulse, Captured.named)
            + report(type, nil, "02 01 06")
        #expect(Captured.read(packets).advertiserCount == 1)
        let peripheral = try Captured.peripheral(packets + Self.link)
        #expect(peripheral.advertisingData == hex("02 01 04") && peripheral.scanResponse == hex(Captured.named))
        #expect(peripheral.isConnectable == isConnectable)
    }

    /// The commands with which this device advertises.
    private static func commands(
        _ ownAddressType: OwnAddressType = .public,
        _ type: AdvertisingType = .connectableUndirected,
        isEnabled: Bool = true,
        direction: PacketFormatter.Direction = .toController
    ) -> Packets {
        let interval = AdvertisingInterval(rawValue: 0xA0)
        let parameters = LESetAdvertisingParameters(
            minimumInterval: interval,
            maximumInterval: interval,
            type: type,
            ownAddressType: ownAddressType
        )
        return [
            (LESetRandomAddress(address: DeviceAddress(0xC0AA_BBCC_DDEE, kind: .random)).packet(), direction, 0),
            (parameters.packet(), direction, 0),
            (LESetAdvertisingData(data: hex("02 01 06")).packet(), direction, 0),
            (LESetScanResponseData(data: hex(Captured.named)).packet(), direction, 0),
            (LESetAdvertisingEnable(isEnabled: isEnabled).packet(), direction, 0),
        ]
    }

    private static let ownLink =
        Self.address(Self.publicAddress) + Captured.connection(0x40, Captured.pulse, .peripheral)
        + Captured.discovery(isServed: true)

    @Test("uses the address and the data of this device from its host's commands, once it has advertised")
    func local() throws {
        for type in [OwnAddressType.public, .random, .resolvableOrPublic, .resolvableOrRandom] {
            let peripheral = try Captured.peripheral(Self.commands(type) + Self.ownLink)
            let isRandom = type == .random || type == .resolvableOrRandom
            #expect(peripheral.address?.value == (isRandom ? 0xC0AA_BBCC_DDEE : Self.publicAddress.value))
            #expect(peripheral.advertisingInterval == .milliseconds(100) && peripheral.isConnectable)
            #expect(peripheral.advertisingData == hex("02 01 06") && peripheral.name == "Pulse")
        }
        for (type, isConnectable) in [
            (AdvertisingType.connectableDirectedHighDutyCycle, true), (.scannableUndirected, false),
        ] {
            let packets = Self.commands(.public, type) + Self.commands(.public, type, isEnabled: false)
            let peripheral = try Captured.peripheral(packets + Self.ownLink)
            #expect(peripheral.isConnectable == isConnectable && peripheral.advertisingData != nil)
        }
        for packets in [Self.commands(isEnabled: false), Self.commands(direction: .toHost)] {
            let silent = try Captured.peripheral(packets + Self.ownLink)
            #expect(silent.advertisingData == nil && silent.scanResponse == nil && silent.name == nil)
        }
    }

    @Test(
        "uses the data of an advertising set once it was enabled",
        arguments: [(true, true), (false, false), (nil, false)]
            as [(Bool?, Bool)]
    )
    func advertisingSet(isEnabled: Bool?, isHeard: Bool) throws {
        let set = AdvertisingHandle(rawValue: 0)
        let enable = isEnabled.map { LESetExtendedAdvertisingEnable(isEnabled: $0, sets: [.init(handle: set)]) }
        let packets: Packets = [
            (LESetExtendedAdvertisingData(advertisingHandle: set, data: hex("02 01 06")).packet(), .toController, 0),
            (
                LESetExtendedScanResponseData(advertisingHandle: set, data: hex(Captured.named)).packet(),
                .toController, 0
            ),
        ]
        let peripheral = try Captured.peripheral(
            packets + (enable.map { [($0.packet(), .toController, 0)] } ?? []) + Self.ownLink
        )
        #expect(peripheral.advertisingData == (isHeard ? hex("02 01 06") : nil))
        #expect(peripheral.scanResponse == (isHeard ? hex(Captured.named) : nil))
    }

    // MARK: Values of several links

    private static func write(_ handle: UInt16, isServed: Bool) -> Packets {
        Captured.conversation(handle, "12 03 00 01", "13", isServed: isServed, at: 1_000)
    }

    private static func notification(_ handle: UInt16, isServed: Bool) -> Packets {
        Captured.frame(handle, "1B 03 00 05", isServed ? .toController : .toHost, at: 1_250)
    }

    @Test("takes a value on the link of a write for its answer", arguments: [false, true])
    func sameLink(isServed: Bool) throws {
        let found = try Captured.characteristic(
            Captured.connection(0x40, Captured.pulse, isServed ? .peripheral : .central)
                + Captured.discovery(isServed: isServed, at: 10) + Self.write(0x40, isServed: isServed)
                + Self.notification(0x40, isServed: isServed)
        )
        #expect(found.writes.map { $0.answers.map(\.delay) } == [[.microseconds(250)]] && found.updates.isEmpty)
    }

    @Test("does not take a value on another link for an answer, and counts its time from the beginning of that link")
    func otherLink() throws {
        let link = Captured.connection(0x40, Captured.pulse) + Captured.discovery(at: 10)
        let served =
            Captured.connection(0x40, Captured.pulse, .peripheral) + Captured.discovery(isServed: true, at: 10)
        let cases: [(Packets, Int64)] = [
            (
                link + Self.write(0x40, isServed: false) + Captured.end(0x40, at: 1_100)
                    + Captured.connection(0x40, Captured.pulse, at: 1_200) + Self.notification(0x40, isServed: false),
                50
            ),
            (
                link + Self.write(0x40, isServed: false) + Captured.connection(0x41, Captured.pulse, at: 1_200)
                    + Self.notification(0x41, isServed: false), 50
            ),
            (
                served + Captured.connection(0x41, Captured.ball, .peripheral, at: 200)
                    + Self.write(0x40, isServed: true) + Self.notification(0x41, isServed: true), 1_050
            ),
            // Links that began before the capture.
            (
                Captured.discovery(at: 10) + Self.write(0x40, isServed: false) + Captured.end(0x40, at: 1_100)
                    + Captured.discovery(at: 1_200) + Self.notification(0x40, isServed: false), 0
            ),
        ]
        for (packets, delay) in cases {
            let found = try Captured.characteristic(packets)
            #expect(found.writes.map(\.answers) == [[]])
            #expect(found.updates == [.init(delay: .microseconds(delay), value: ByteBuffer(bytes: [5]))])
        }
    }
}
