import BluetoothHCI
import BluetoothTransport
import CommandLineTool
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("A packet that is shown or copied")
struct CapturePrinterTests {
    @Test("is a line with its time, direction, layer and meaning, or a JSON object")
    func lines() throws {
        let text = CapturePrinter(output: OutputFormat(isJSON: false, isVerbose: false))
        let json = CapturePrinter(output: OutputFormat(isJSON: true, isVerbose: false))
        var stream = CaptureReader()
        stream.append(ByteBuffer(bytes: captureOctets([(resetPacket, .toController), (resetAnswer, .toHost)])))
        let first = try #require(try stream.next())
        let second = try #require(try stream.next())
        #expect(text.line(first) == "   0.000000 > HCI   Reset")
        #expect(text.line(second)?.hasPrefix("   0.001500 < HCI   Command Complete Reset") == true)
        let line = try #require(json.line(second))
        let object = try jsonObject(line)
        #expect(object["direction"] as? String == "toHost")
        #expect(object["layer"] as? String == "HCI")
        #expect(object["packet"] as? String == "040E0401030C00")
        #expect(object["microseconds"] as? Int == 1_001_500)
        #expect(object["handle"] is NSNull)
        #expect(object["text"] as? String == text.line(second).map { String($0.dropFirst(20)) })
    }

    @Test("of which only a part was kept is shown as that, and nothing after it is taken for a part of it")
    func partial() {
        let printer = CapturePrinter(output: OutputFormat(isJSON: false, isVerbose: false))
        var record = BTSnoop.Record(
            packet: HCIPacket(h4: ByteBuffer(bytes: [0x04, 0x0E])),
            direction: .toHost,
            time: BTSnoop.Timestamp(microsecondsSince1970: 1_000_000)
        )
        record.missingOctetCount = 5
        #expect(printer.line(record)?.hasSuffix("only 2 of 7 octets were kept: 040E") == true)
    }

    @Test("is shown if its layer is among those that are named; times count from the first record")
    func layers() throws {
        var stream = CaptureReader()
        stream.append(
            ByteBuffer(bytes: captureOctets([(resetPacket, .toController), (advertisePacket, .toController)]))
        )
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
        let names = ["hci", "GAP", "L2cap", "att", "GATT", "smp", "x"].map { LayerName(argument: $0)?.layer }
        #expect(names == [.hci, .gap, .l2cap, .att, .att, .smp, nil])
    }

    @Test("is written with the packets that were dropped, over whatever file was there")
    func drops() throws {
        let folder = try TemporaryFolder()
        let path = folder("copy")
        try Data(repeating: 0x2A, count: 1000).write(to: URL(fileURLWithPath: path))
        let copy = try CaptureCopy(path)
        #expect(FileManager.default.contents(atPath: path).map { [UInt8]($0) } == captureOctets([]))
        let packets = [(resetPacket, BTSnoop.Direction.toController, 0), (resetAnswer, .toHost, UInt32.max)]
        for (octets, direction, drops) in packets {
            copy.write(
                BTSnoop.Record(
                    packet: HCIPacket(h4: ByteBuffer(bytes: octets)),
                    direction: direction,
                    time: BTSnoop.Timestamp(microsecondsSince1970: 1_000_000),
                    drops: drops
                )
            )
        }
        var stream = CaptureReader()
        stream.append(ByteBuffer(bytes: try #require(FileManager.default.contents(atPath: path))))
        for (octets, direction, drops) in packets {
            let record = try #require(try stream.next())
            #expect(Array(record.packet.bytes.readableBytesView) == octets && record.direction == direction)
            #expect(record.drops == drops && record.time.microsecondsSince1970 == 1_000_000)
        }
        #expect(try stream.next() == nil)
        let failure = #expect(throws: Failure.self) { try CaptureCopy("/nowhere/at/all") }
        #expect(failure?.line == "cannot write the capture file /nowhere/at/all: No such file or directory")
        withExtendedLifetime(folder) {}
    }
}
