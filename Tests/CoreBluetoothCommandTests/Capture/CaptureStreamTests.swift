import BluetoothTransport
import CommandLineTool
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The records of a capture")
struct CaptureStreamTests {
    @Test("are cut from a stream in pieces of any size, which may begin anew", arguments: [1, 7, 1000])
    func pieces(size: Int) throws {
        let one = captureOctets([(resetPacket, .toController), (resetAnswer, .toHost)])
        let octets = one + captureOctets([(resetPacket, .toController)])
        var stream = CaptureStream()
        var packets: [[UInt8]] = []
        var rest = octets[...]
        while !rest.isEmpty {
            stream.append(rest.prefix(size))
            rest = rest.dropFirst(size)
            while let record = try stream.next() { packets.append(Array(record.packet.bytes.readableBytesView)) }
        }
        #expect(packets == [resetPacket, resetAnswer, resetPacket])
        #expect(stream.pendingOctetCount == 0)
    }
}
