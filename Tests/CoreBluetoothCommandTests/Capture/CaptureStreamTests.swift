import BluetoothTransport
import CommandLineTool
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The records of a capture")
struct CaptureStreamTests {
    @Test("are cut from a stream in pieces of any size, which may begin anew", arguments: [1, 2, 7, 40, 1000])
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

    @Test("are rejected if the octets are no capture, damaged, or of another version")
    func wrong() throws {
        var other = CaptureStream()
        other.append(Array("GIF89a, and more".utf8))
        #expect(throws: Failure.self) { try other.next() }
        var begun = CaptureStream()
        begun.append([0x62, 0x74])
        #expect(try begun.next() == nil && begun.pendingOctetCount == 2)
        begun.append([0x62])
        #expect(throws: (any Error).self) { try begun.next() }
        var damaged = CaptureStream()
        damaged.append(captureOctets([]) + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: Failure.self) { try damaged.next() }
        var version = CaptureStream()
        version.append(Array("btsnoop\0".utf8) + [0, 0, 0, 9, 0, 0, 3, 0xEA])
        #expect(throws: (any Error).self) { try version.next() }
    }
}
