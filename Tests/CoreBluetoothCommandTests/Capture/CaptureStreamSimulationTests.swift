// Captures of random packets in random pieces, cut anywhere or with an octet changed.

import BluetoothHCI
import BluetoothTransport
import CommandLineTool
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("Random captures")
struct CaptureStreamSimulationTests {
    /// The packets that are read of a stream in random pieces, and the octets that wait at its end; `nil` behind an error.
    private static func read(_ octets: [UInt8], _ choices: inout SeededChoices) -> (packets: [[UInt8]], pending: Int?) {
        var stream = CaptureStream()
        let printer = CapturePrinter(output: OutputFormat(isJSON: choices.once(in: 2), isVerbose: false))
        var packets: [[UInt8]] = []
        var rest = octets[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + choices.below(choices.pick([1, 30, 300])))
            rest = rest.dropFirst(piece.count)
            stream.append(piece)
            do {
                while let record = try stream.next() {
                    packets.append(Array(record.packet.bytes.readableBytesView))
                    #expect(printer.line(record)?.contains("\n") == false)
                }
            } catch {
                return (packets, nil)
            }
        }
        return (packets, stream.pendingOctetCount)
    }

    @Test(
        "are read the same in any pieces, to the last whole record if cut, and to the damage if damaged",
        arguments: simulationSeeds(40)
    )
    func records(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let packets = (0..<choices.below(12)).map { _ -> [UInt8] in
            choices.once(in: 2)
                ? choices.pick([resetPacket, resetAnswer, advertisePacket])
                : [UInt8(1 + choices.below(4))] + choices.octets(1 + choices.below(60))
        }
        let file = captureOctets(packets.map { ($0, choices.once(in: 2) ? .toHost : .toController) })
        // The ends of the records, each with a header of 24 octets.
        let ends = packets.reduce(into: [16]) { $0.append(($0.last ?? 0) + 24 + $1.count) }
        let whole = Self.read(file, &choices)
        #expect(whole.packets == packets && whole.pending == 0)

        let length = choices.below(file.count + 1)
        let cut = Self.read(Array(file.prefix(length)), &choices)
        let count = ends.count { $0 <= length } - 1
        #expect(cut.packets == Array(packets.prefix(max(0, count))))
        #expect(cut.pending == length - (count < 0 ? 0 : ends[count]))

        var damaged = file
        let place = choices.below(file.count)
        damaged[place] = damaged[place] ^ UInt8(1 + choices.below(255))
        let intact = max(0, ends.count { $0 <= place } - 1)
        #expect(Self.read(damaged, &choices).packets.prefix(intact) == packets.prefix(intact))
    }
}
