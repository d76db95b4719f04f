// Interviews with controllers that know, refuse, answer wrong and stop to answer, on record: what they are asked, and
// the report of each. Times of all kinds as percentiles and bars, and orders of the benchmark in pieces of any size.

import BluetoothHCI
import BluetoothTypes
import CommandLineTool
import Fixtures
import Foundation
import NIOCore
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("A walk through controllers")
struct ControllerWalkTests {
    private static func octets(_ generator: inout SeededGenerator, _ count: Int) -> [UInt8] {
        (0..<count).map { _ in
            Int.random(in: 0..<3, using: &generator) == 0 ? 0 : UInt8.random(in: .min ... .max, using: &generator)
        }
    }

    @Test(
        "Random controllers are asked what they may know, and are reported as far as they have said it",
        arguments: 1...60 as ClosedRange<UInt64>
    )
    func interviews(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var interview = ControllerInterview(roundTrips: Int(seed) % 5)
        var now = NIODeadline.uptimeNanoseconds(0)
        var asked: [String] = []
        // Nothing is asked yet.
        var isTaken = interview.receive(CommandStatus(status: .success, opcode: Reset.opcode).packet(), now: now)
        #expect(!isTaken)
        let goesOn = interview.timeOut()
        #expect(goesOn)
        while let packet = interview.next(now: now), asked.count < 40 {
            let opcode = try HCICommandPacket(packet).opcode
            asked.append("\(opcode)")
            now = now + .microseconds(Int64.random(in: 1...20_000, using: &generator))
            let isReset = opcode == Reset.opcode
            switch isReset ? 0 : Int.random(in: 0..<12, using: &generator) {
            case 0..<8:
                let status: UInt8 = Int.random(in: 0..<10, using: &generator) == 0 && !isReset ? 0x0C : 0
                let length = [64, 64, 64, 64, 64, 0, 1, 3].randomElement(using: &generator) ?? 64
                let body =
                    [1] + withUnsafeBytes(of: opcode.rawValue.littleEndian) { Array($0) } + [status]
                    + Self.octets(&generator, isReset ? 0 : length)
                let event = HCIPacket(h4: ByteBuffer(bytes: [0x04, 0x0E, UInt8(body.count)] + body))
                isTaken = interview.receive(event, now: now)
                asked.append("\(status) \(isTaken)")
            case 8:
                isTaken = interview.receive(CommandStatus(status: .unknownCommand, opcode: opcode).packet(), now: now)
                #expect(isTaken)
            default: asked.append("\(interview.timeOut())")
            }
            #expect(interview.refusal == nil)
        }
        RunRecord.note("\(asked)")
        for listsCommands in [false, true] {
            let fields = interview.report.fields(listsCommands: listsCommands)
            RunRecord.note(FieldText.text(fields, columns: 60))
        }
        RunRecord.note(JSONValue.object(interview.report.details(adapter: "hci\(seed)")).text)
    }

    @Test("Times have percentiles, a histogram and bars, in any number of columns", arguments: 0...40)
    func latency(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let times = (0..<count * 3).map { number -> Double in
            let base = Double.random(in: 0...12, using: &generator)
            return number % 17 == 0 ? base * 40 : count % 3 == 0 ? base.rounded() : base
        }
        for times in [times, times.map { _ in 2.5 }] {
            let latency = Latency(milliseconds: times)
            RunRecord.note("\(latency.json.text) \(latency.isEmpty) \(LatencyText.line(latency))")
            for share in [0, 0.001, 0.25, 0.5, 0.9, 0.99, 1, 1.5] { RunRecord.note("\(latency.percentile(share))") }
            for parts in [-1, 0, 1, 2, 8] {
                let histogram = latency.histogram(parts)
                #expect(parts <= 0 || histogram.reduce(0) { $0 + $1.count } == times.count)
                RunRecord.note("\(histogram)")
                for columns in [1, 20, 40, 79] { RunRecord.note("\(LatencyText.bars(histogram, columns: columns))") }
            }
            for columns in [nil, 1, 20, 40, 75, 76, 77, 78, 79, 80, 81, 82] as [Int?] {
                RunRecord.note(LatencyText.fields("read, \(count) times", LatencyText.line(latency), columns: columns))
            }
        }
        for number in [0, 0.005, 9.994, 9.995, 9.999, 10, 99.94, 99.95, 100, 12345.6] {
            RunRecord.note(LatencyText.number(number))
        }
    }

    @Test(
        "Orders in pieces of any size lead to the same effects, and no piece has two orders",
        arguments: 1...20 as ClosedRange<UInt64>
    )
    func orders(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var octets: [UInt8] = []
        for _ in 0..<20 {
            let count = [0, 1, 7, 8, 9, 100, 3000].randomElement(using: &generator) ?? 0
            let isSent = Bool.random(using: &generator)
            let number = isSent ? UInt64(count) | BenchmarkService.sendsBit : UInt64(count)
            octets += number.littleEndianData + (isSent ? [] : Self.octets(&generator, count))
        }
        var orders = BenchmarkOrders()
        var effects: [String] = []
        var rest = octets[...]
        while !rest.isEmpty {
            let capacity = Int.random(in: 8...1000, using: &generator)
            let limit = orders.readLimit(capacity)
            #expect(limit > 0 && limit <= capacity)
            let piece = rest.prefix(min(limit, Int.random(in: 1...200, using: &generator)))
            rest = rest.dropFirst(piece.count)
            let effect = orders.receive(piece)
            effects.append("\(limit) \(piece.count) \(effect.map { "\($0)" } ?? "-")")
        }
        #expect(effects.count { !$0.hasSuffix("-") } == 20)
        RunRecord.note("\(effects)")
    }

    @Test("Features, states and versions have names, bit by bit")
    func names() {
        for bit in 0..<64 {
            RunRecord.note("\(LEFeatures(rawValue: 1 << bit).names) \(LEStates(rawValue: 1 << bit).names)")
            RunRecord.note("\(LEFeatures(rawValue: UInt64.max >> bit).names.count)")
        }
        for number in UInt8.min...UInt8.max { RunRecord.note(ControllerReport.name(CoreVersion(rawValue: number))) }
        for number in 0...70 as ClosedRange<UInt64> {
            RunRecord.note("\((number << 8 | number).littleEndianData.hex) \(UInt16(number).littleEndianData.hex)")
            RunRecord.note("\(UInt32(littleEndianData: [UInt8](repeating: UInt8(number), count: Int(number % 7))))")
        }
    }
}
