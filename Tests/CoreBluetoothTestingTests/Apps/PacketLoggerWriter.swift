// Writes captures in the format of Apple's PacketLogger, out of those of btsnoop, for tests.

import BluetoothHCI
import BluetoothTransport
import Foundation
import NIOCore

enum PacketLoggerWriter {
    /// The records of a btsnoop capture as a file of PacketLogger, with a note in front as its files have.
    static func file(of btsnoop: Data, _ endianness: Endianness) throws -> Data {
        var bytes = ByteBuffer()
        func write(_ type: UInt8, _ content: ByteBufferView, at time: BTSnoop.Timestamp) {
            bytes.writeInteger(UInt32(8 + 1 + content.count), endianness: endianness)
            bytes.writeInteger(UInt32(time.microsecondsSince1970 / 1_000_000), endianness: endianness)
            bytes.writeInteger(UInt32(time.microsecondsSince1970 % 1_000_000), endianness: endianness)
            bytes.writeInteger(type)
            bytes.writeBytes(content)
        }
        for (index, record) in try CaptureReader.content(of: ByteBuffer(bytes: btsnoop)).records.enumerated() {
            if index == 0 { write(0xFC, ByteBuffer(string: "A note").readableBytesView, at: record.time) }
            let isSent = record.direction == .toController
            let type: UInt8 =
                switch record.packet.kind {
                case .command: 0x00
                case .event: 0x01
                default: isSent ? 0x02 : 0x03
                }
            write(type, record.packet.payload.readableBytesView, at: record.time)
        }
        return Data(bytes.readableBytesView)
    }
}
