// The packets of captures, for the tests of recordings.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

/// Generates the packets of captures.
enum Captured {
    typealias Packets = [(HCIPacket, PacketFormatter.Direction, Int64)]

    static let pulse = DeviceAddress(0xC011_2233_4455, kind: .random)
    static let ball = DeviceAddress(0x0011_2233_4466, kind: .public)
    /// The complete local name "Pulse".
    static let named = "06 09 50 75 6C 73 65"

    static func connection(
        _ handle: UInt16,
        _ peer: DeviceAddress,
        _ role: ConnectionRole = .central,
        status: HCIErrorCode = .success,
        at time: Int64 = 0
    ) -> Packets {
        let event = LEConnectionComplete(
            status: status,
            handle: ConnectionHandle(rawValue: handle),
            role: role,
            peer: peer,
            interval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        return [(event.packet(), .toHost, time)]
    }

    /// A link with the ball, which uses a private address on it.
    static func privateConnection(_ handle: UInt16, _ role: ConnectionRole, at address: DeviceAddress) -> Packets {
        let event = LEEnhancedConnectionComplete(
            handle: ConnectionHandle(rawValue: handle),
            role: role,
            peer: DeviceAddress(Self.ball.value, kind: .publicIdentity),
            peerResolvableAddress: address,
            interval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        return [(LEEnhancedConnectionCompleteV2(connection: event).packet(), .toHost, 0)]
    }

    static func end(_ handle: UInt16, status: HCIErrorCode = .success, at time: Int64 = 0) -> Packets {
        let handle = ConnectionHandle(rawValue: handle)
        let event = DisconnectionComplete(status: status, handle: handle, reason: .connectionTimeout)
        return [(event.packet(), .toHost, time)]
    }

    /// An L2CAP frame on a link, by default an ATT PDU.
    static func frame(
        _ handle: UInt16,
        _ octets: String,
        _ direction: PacketFormatter.Direction,
        channel: UInt16 = 0x0004,
        at time: Int64 = 0
    ) -> Packets {
        let payload = hex(octets)
        var frame = ByteBuffer()
        frame.writeMultipleIntegers(UInt16(payload.readableBytes), channel, endianness: .little)
        frame.writeImmutableBuffer(payload)
        let handle = ConnectionHandle(rawValue: handle)
        return [(.aclData(handle: handle, boundary: .firstNonFlushable, fragment: frame), direction, time)]
    }

    /// Requests and answers of a link in order; `isServed` if this device is the server.
    static func conversation(_ handle: UInt16, _ pdus: String..., isServed: Bool, at time: Int64 = 0) -> Packets {
        pdus.enumerated().flatMap { number, pdu in
            Self.frame(handle, pdu, (number % 2 == 0) == isServed ? .toHost : .toController, at: time)
        }
    }

    /// The client finds a service with one characteristic, whose value has the handle 0x0003.
    static func discovery(_ handle: UInt16 = 0x40, isServed: Bool = false, at time: Int64 = 0) -> Packets {
        Self.conversation(
            handle,
            "10 01 00 FF FF 00 28",
            "11 06 01 00 04 00 0D 18",
            "08 01 00 04 00 03 28",
            "09 07 02 00 1A 03 00 37 2A",
            isServed: isServed,
            at: time
        )
    }

    static func advertisement(
        _ address: DeviceAddress,
        _ data: String = "",
        _ type: LEAdvertisingReport.EventType = .connectableUndirected,
        at time: Int64 = 0
    ) -> Packets {
        let report = LEAdvertisingReport(eventType: type, address: address, data: hex(data), rssi: -45)
        return [(LEAdvertisingReports([report]).packet(), .toHost, time)]
    }

    /// The recorded peripheral of a capture.
    static func peripheral(_ packets: Packets, _ device: String? = nil) throws -> RecordedPeripheral {
        try RecordedConversations(packets).peripheral(device)
    }

    /// The only characteristic of a recorded peripheral.
    static func characteristic(_ packets: Packets, _ device: String? = nil) throws -> RecordedCharacteristic {
        try #require(try Self.peripheral(packets, device).services.first?.characteristics.first)
    }

    /// Why a capture has no recordable peripheral.
    static func failure(_ packets: Packets, _ device: String? = nil) -> String? {
        do {
            _ = try RecordedConversations(packets).peripheral(device)
            return nil
        } catch {
            return error.description
        }
    }

    /// The keys of all peripherals of a capture.
    static func keys(_ packets: Packets) -> [ConversationReader.Key] { Self.read(packets).peripherals().map(\.key) }

    static func read(_ packets: Packets) -> ConversationReader {
        var reader = ConversationReader()
        for (packet, direction, time) in packets { reader.receive(packet, direction, at: time) }
        return reader
    }
}
