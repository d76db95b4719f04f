// A btsnoop file as octets.

import BluetoothHCI
import BluetoothTransport
import NIOCore

/// The HCI command Reset, as a packet.
let resetPacket: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

/// Its answer.
let resetAnswer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

/// A command that starts advertising.
let advertisePacket: [UInt8] = [0x01, 0x0A, 0x20, 0x01, 0x01]

/// A capture of packets, the first of them a second after 1970 and each next one 1.5 ms later.
func captureOctets(_ packets: [([UInt8], BTSnoop.Direction)]) -> [UInt8] {
    var bytes = ByteBuffer()
    BTSnoopWriter.writeFileHeader(into: &bytes)
    for (index, (octets, direction)) in packets.enumerated() {
        BTSnoopWriter.write(
            HCIPacket(h4: ByteBuffer(bytes: octets)),
            direction,
            at: BTSnoop.Timestamp(microsecondsSince1970: 1_000_000 + Int64(index) * 1_500),
            into: &bytes
        )
    }
    return Array(bytes.readableBytesView)
}
