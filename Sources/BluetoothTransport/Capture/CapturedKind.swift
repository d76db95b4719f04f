// The kind of a record, in formats that store it instead of an H4 type octet.

import BluetoothHCI
import NIOCore

/// The kind of a record that is an HCI packet.
enum CapturedKind: Sendable {
    case command
    case event
    case sentACLData
    case receivedACLData

    private var type: (kind: HCIPacket.Kind, direction: BTSnoop.Direction) {
        switch self {
        case .command: (.command, .toController)
        case .event: (.event, .toHost)
        case .sentACLData: (.aclData, .toController)
        case .receivedACLData: (.aclData, .toHost)
        }
    }

    /// A record with an H4 packet.
    ///
    /// - Parameters:
    ///   - content: The packet without a type octet.
    ///   - time: The time of the packet.
    ///   - drops: The total number of packets lost before it.
    func record(of content: ByteBuffer, at time: BTSnoop.Timestamp, drops: UInt32 = 0) -> BTSnoop.Record {
        let type = self.type
        var packet = ByteBuffer()
        packet.writeInteger(type.kind.rawValue)
        packet.writeImmutableBuffer(content)
        return BTSnoop.Record(packet: HCIPacket(h4: packet), direction: type.direction, time: time, drops: drops)
    }
}
