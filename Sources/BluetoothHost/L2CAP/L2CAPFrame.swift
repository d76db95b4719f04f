// The basic frame of L2CAP: two octets of length, two of channel, then the payload (Vol 3, Part A, 3.1). The header of
// an outgoing PDU is written into its headroom; an incoming PDU is a slice of its packet.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// A channel identifier: the number of a frame's channel on one side of the link (Vol 3, Part A, 2.1).
struct CID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The two octets.
    var rawValue: UInt16

    /// A channel from its two octets.
    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// No channel, in a response that refuses one.
    static let null = CID(rawValue: 0x0000)
    /// The Attribute Protocol.
    static let attributeProtocol = CID(rawValue: 0x0004)
    /// The signalling channel of an LE link.
    static let signalling = CID(rawValue: 0x0005)
    /// The Security Manager Protocol.
    static let securityManagerProtocol = CID(rawValue: 0x0006)
    /// The channels that are assigned on request.
    static let dynamicRange: ClosedRange<UInt16> = 0x0040...0x007F

    /// Whether the channel is assigned on request.
    var isDynamic: Bool { Self.dynamicRange.contains(self.rawValue) }

    /// The channel as hexadecimal digits.
    var description: String { "0x" + self.rawValue.hexadecimalDigits }
}

/// A complete received frame.
struct L2CAPFrame: Hashable, Sendable {
    /// The channel.
    var channel: CID
    /// The payload.
    var payload: ByteBuffer
}

/// The four octets in front of every payload.
enum L2CAPHeader {
    /// The octets of the header.
    static let length = 4
    /// The longest payload that fits the length field.
    static let maximumPayloadLength = 0xFFFF

    /// Puts the header in front of `pdu`, into its headroom.
    static func prepend(to pdu: inout ByteBuffer, channel: CID) {
        let length = pdu.readableBytes
        precondition(length <= self.maximumPayloadLength, "an L2CAP payload has at most 65,535 octets")
        PDUBuffer.moveStart(of: &pdu, back: self.length)
        pdu.setInteger(
            UInt32(channel.rawValue) << 16 | UInt32(truncatingIfNeeded: length),
            at: pdu.readerIndex,
            endianness: .little
        )
    }

    /// Puts the header in front of `pdu`, preceded by the header of the ACL data packet that contains the whole frame.
    static func prepend(to pdu: inout ByteBuffer, channel: CID, inPacketOf handle: ConnectionHandle) {
        let length = pdu.readableBytes
        precondition(length <= self.maximumPayloadLength - self.length, "an ACL data packet has at most 65,535 octets")
        let packet = ACLDataHeader(handle: handle, boundary: .firstNonFlushable, length: self.length + length)
        PDUBuffer.moveStart(of: &pdu, back: PDUBuffer.headroom)
        pdu.setOctets(
            packet.octetsWithType | UInt64(length) << 40 | UInt64(channel.rawValue) << 56,
            UInt64(channel.rawValue >> 8),
            count: PDUBuffer.headroom,
            at: pdu.readerIndex
        )
    }
}

extension PDUBuffer {
    /// Makes room for `count` octets in front of `pdu`, moving it only if there is no headroom.
    static func moveStart(of pdu: inout ByteBuffer, back count: Int) {
        if pdu.readerIndex < count {
            var moved = self.make(capacity: pdu.readableBytes)
            moved.writeImmutableBuffer(pdu)
            pdu = moved
        }
        pdu.moveReaderIndex(to: pdu.readerIndex - count)
    }
}

/// The limits of L2CAP that several parts need.
enum L2CAP {
    /// The smallest MTU and MPS of a channel on an LE link (Vol 3, Part A, 5.1).
    static let minimumMTU = 23
}
