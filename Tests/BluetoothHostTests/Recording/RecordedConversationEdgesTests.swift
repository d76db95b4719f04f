// What is no part of a recorded conversation: frames of other channels, includes outside of any service, answers that
// nobody waits for any more. And questions whose answers end at the edge of what is looked for.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: the edges of a conversation")
struct RecordedConversationEdgesTests {
    private typealias Packets = [(HCIPacket, PacketFormatter.Direction, Int64)]

    private static let ball = DeviceAddress(0x0011_2233_4466, kind: .public)

    /// An L2CAP frame on a link.
    private static func frame(
        _ octets: String,
        _ direction: PacketFormatter.Direction,
        handle: UInt16 = 0x40,
        channel: UInt16 = 0x0004
    ) -> Packets {
        let payload = ByteBuffer(hex: octets)
        var frame = ByteBuffer()
        frame.writeMultipleIntegers(UInt16(payload.readableBytes), channel, endianness: .little)
        frame.writeImmutableBuffer(payload)
        let packet = HCIPacket.aclData(
            handle: ConnectionHandle(rawValue: handle),
            boundary: .firstNonFlushable,
            fragment: frame
        )
        return [(packet, direction, 0)]
    }

    /// The host finds a service with one characteristic of the peer, whose value has the handle 0x0003.
    private static func discovery(handle: UInt16 = 0x40) -> Packets {
        self.frame("10 01 00 FF FF 00 28", .toController, handle: handle)
            + self.frame("11 06 01 00 04 00 0D 18", .toHost, handle: handle)
            + self.frame("08 01 00 04 00 03 28", .toController, handle: handle)
            + self.frame("09 07 02 00 1A 03 00 37 2A", .toHost, handle: handle)
    }

    // MARK: Channels

    @Test("Frames of other channels are no ATT PDUs, whatever is in them", arguments: [0x0005, 0x0006, 0x0040])
    func otherChannels(channel: UInt16) throws {
        // It does not say who the central is, either.
        let packets: Packets =
            self.discoveryOnChannel(channel) + Self.discovery()
            + Self.frame("52 03 00 AA", .toController, channel: channel)
            + Self.frame("52 03 00 BB", .toController)
            + Self.frame("1B 03 00 CC", .toHost, channel: channel)
        let peripheral = try RecordedConversations(packets).peripheral("link-64")
        RunRecord.note(peripheral.text)
        let characteristic = try #require(peripheral.services.first?.characteristics.first)
        #expect(characteristic.writes.map(\.value) == [ByteBuffer(hex: "BB")])
        #expect(characteristic.updates.isEmpty && !characteristic.wasSubscribed)
    }

    private func discoveryOnChannel(_ channel: UInt16) -> Packets {
        Self.frame("10 01 00 FF FF 00 28", .toHost, channel: channel)
    }

    // MARK: Private addresses

    /// A link with the device of an identity, which uses a private address on it.
    private static func connection(_ handle: UInt16, _ role: ConnectionRole, at address: DeviceAddress) -> Packets {
        let event = LEEnhancedConnectionComplete(
            handle: ConnectionHandle(rawValue: handle),
            role: role,
            peer: DeviceAddress(Self.ball.value, kind: .publicIdentity),
            peerResolvableAddress: address,
            interval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        return [(event.packet(), .toHost, 0)]
    }

    private static func advertisement(_ address: DeviceAddress, _ data: String) -> Packets {
        let report = LEAdvertisingReport(
            eventType: .connectableUndirected,
            address: address,
            data: ByteBuffer(hex: data),
            rssi: -45
        )
        return [(LEAdvertisingReports([report]).packet(), .toHost, 0)]
    }

    @Test("What a device has advertised as a peripheral is that of the link on which it is one")
    func advertisedAsPeripheral() throws {
        let (early, late) = (
            DeviceAddress(0x4011_2233_4455, kind: .random), DeviceAddress(0x4011_2233_4456, kind: .random)
        )
        let packets: Packets =
            Self.advertisement(early, "02 01 04") + Self.connection(0x40, .peripheral, at: early)
            + Self.advertisement(late, "02 01 06") + Self.connection(0x41, .central, at: late)
            + Self.discovery(handle: 0x41)
        let peripheral = try RecordedConversations(packets).peripheral("\(Self.ball)")
        RunRecord.note(peripheral.text)
        #expect(peripheral.advertisingData == ByteBuffer(hex: "02 01 06"))
    }

    // MARK: The database

    private static func service(
        _ database: inout ObservedDatabase,
        _ start: AttributeHandle,
        _ end: AttributeHandle,
        _ uuid: UInt16
    ) {
        database.foundService(ByteBuffer(integer: uuid, endianness: .little), start, end, 0x2800)
    }

    private static func described(_ database: ObservedDatabase) -> RecordedPeripheral {
        var peripheral = RecordedPeripheral()
        database.describe(&peripheral)
        return peripheral
    }

    @Test("An include declaration in front of a service is none of its own")
    func includeInFront() {
        var database = ObservedDatabase()
        Self.service(&database, 5, 8, 0x180D)
        Self.service(&database, 11, 14, 0x180F)
        for handle in [3, 6, 9] as [AttributeHandle] {
            database.found(ByteBuffer(hex: "0B 00 0E 00"), at: handle, 0x2802, on: 1)
        }
        #expect(Self.described(database).services.map(\.includes) == [[11], []])
    }

    @Test("A service was asked for its characteristics where the answer reaches its first handle")
    func firstHandle() {
        for (end, isDiscovered) in [(1, false), (2, true), (3, true)] as [(AttributeHandle, Bool)] {
            var database = ObservedDatabase()
            Self.service(&database, 2, 4, 0x180D)
            database.asked(.characteristics, from: 1, upTo: end)
            #expect(Self.described(database).services.map(\.wasDiscovered) == [isDiscovered], "\(end)")
        }
    }

    @Test("A characteristic with room for one descriptor has no configuration where that one was asked for alone")
    func onlyDescriptor() throws {
        for (handle, hasConfiguration) in [(3, true), (4, false)] as [(AttributeHandle, Bool)] {
            var database = ObservedDatabase()
            Self.service(&database, 1, 4, 0x180D)
            database.found(ByteBuffer(hex: "02 03 00 37 2A"), at: 2, 0x2803, on: 1)
            database.asked(.descriptors, from: handle, upTo: handle)
            let characteristic = try #require(Self.described(database).services.first?.characteristics.first)
            #expect(characteristic.hasClientConfiguration == hasConfiguration, "\(handle)")
        }
    }

    // MARK: Requests

    /// The values that were read in a conversation; PDUs of the client begin with `>`, those of the server with `<`.
    private static func reads(_ lines: String...) -> [String] {
        var database = ObservedDatabase()
        var transactions = ServerTransactions()
        for line in lines {
            transactions.receive(String(line.dropFirst()), isFromPeripheral: line.first == "<", into: &database)
        }
        return database.events.compactMap { event in
            guard case .read(.success(let value)) = event.kind else { return nil }
            return "\(event.handle) \(value.hex)"
        }
    }

    @Test("A request is answered once, and not any more when another one has come, malformed or not")
    func answeredOnce() {
        #expect(Self.reads("> 0A 03 00", "< 0B 01", "< 0B 02") == ["3 01"])
        #expect(Self.reads("> 0A 03 00", "< 01 0A 03 00 02", "< 0B 02") == [])
        #expect(Self.reads("> 0A 03 00", "> 0A 03", "< 0B 01") == [])
        #expect(Self.reads("> 0A 03 00", "> 0A 05 00", "< 0B 01") == ["5 01"])
        // A range whose end is in front of its beginning, and an exchange of the MTU.
        #expect(Self.reads("> 0A 03 00", "> 08 02 00 01 00 03 28", "< 0B 01") == [])
        #expect(Self.reads("> 0A 03 00", "> 02 17 00", "< 0B 01") == [])
    }
}
