// Captures as streams and in words.

import BluetoothHCI
import BluetoothTransport
import CommandLineTool
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth capture")
struct CaptureTests {
    private let answer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

    @Test("A stream is cut into records whatever the pieces are, and may begin anew", arguments: [1, 2, 7, 40, 1000])
    func pieces(size: Int) throws {
        let one = captureOctets([(resetPacket, .toController), (self.answer, .toHost)])
        let octets = one + captureOctets([(resetPacket, .toController)])
        var stream = CaptureStream()
        var packets: [[UInt8]] = []
        var rest = octets[...]
        while !rest.isEmpty {
            stream.append(rest.prefix(size))
            rest = rest.dropFirst(size)
            while let record = try stream.next() { packets.append(Array(record.packet.bytes.readableBytesView)) }
        }
        #expect(packets == [resetPacket, self.answer, resetPacket])
        #expect(stream.pendingOctetCount == 0)
    }

    @Test("What is no capture, or a damaged one, is said")
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

    @Test("A packet is a line with its time, direction, layer and meaning, or a JSON object")
    func lines() throws {
        let text = CapturePrinter(output: OutputFormat(isJSON: false, isVerbose: false))
        let json = CapturePrinter(output: OutputFormat(isJSON: true, isVerbose: false))
        var stream = CaptureStream()
        stream.append(captureOctets([(resetPacket, .toController), (self.answer, .toHost)]))
        let first = try #require(try stream.next())
        let second = try #require(try stream.next())
        #expect(text.line(first) == "   0.000000 > HCI   Reset")
        #expect(text.line(second)?.hasPrefix("   0.001500 < HCI   Command Complete Reset") == true)
        let line = try #require(json.line(second))
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        )
        #expect(object["direction"] as? String == "toHost")
        #expect(object["layer"] as? String == "HCI")
        #expect(object["packet"] as? String == "040E0401030C00")
        #expect(object["microseconds"] as? Int == 1_001_500)
        #expect(object["handle"] is NSNull)
    }

    @Test("Only the packets of the layers that are named are shown; times count from the first record")
    func layers() throws {
        let advertise: [UInt8] = [0x01, 0x0A, 0x20, 0x01, 0x01]
        var stream = CaptureStream()
        stream.append(captureOctets([(resetPacket, .toController), (advertise, .toController)]))
        let first = try #require(try stream.next())
        let second = try #require(try stream.next())
        func lines(_ layers: LayerName...) -> [String?] {
            let output = OutputFormat(isJSON: false, isVerbose: false)
            let printer = CapturePrinter(output: output, layers: Set(layers.map(\.layer)))
            return [printer.line(first), printer.line(second)]
        }
        #expect(lines(.hci) == ["   0.000000 > HCI   Reset", nil])
        #expect(lines(.gap, .smp) == [nil, "   0.001500 > GAP   Start advertising"])
        #expect(lines(.att, .gatt) == [nil, nil])
        #expect(LayerName.allCases.count == 6)
        #expect(LayerName.gatt.layer == .att)
    }
}
