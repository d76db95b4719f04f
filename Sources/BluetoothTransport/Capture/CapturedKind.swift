// What a record of a capture is, in formats that keep it beside the packet in place of an H4 type octet.

import BluetoothHCI
import NIOCore

/// What a record is, where it is an HCI packet.
enum CapturedKind: Sendable {
    case command
    case event
    case sentACLData
    case receivedACLData

    /// The type octet and the direction of such packets.
    private var type: (kind: HCIPacket.Kind, direction: BTSnoop.Direction) {
        switch self {
        case .command: (.command, .toController)
        case .event: (.event, .toHost)
        case .sentACLData: (.aclData, .toController)
        case .receivedACLData: (.aclData, .toHost)
        }
    }

    /// A record as btsnoop files of H4 packets have it.
    ///
    /// - Parameters:
    ///   - content: The packet without a type octet.
    ///   - time: When it went.
    ///   - drops: How many packets were lost before it, in all.
    func record(of content: ByteBuffer, at time: BTSnoop.Timestamp, drops: UInt32 = 0) -> BTSnoop.Record {
        let type = self.type
        var packet = ByteBuffer()
        packet.writeInteger(type.kind.rawValue)
        packet.writeImmutableBuffer(content)
        return BTSnoop.Record(packet: HCIPacket(h4: packet), direction: type.direction, time: time, drops: drops)
    }
}
