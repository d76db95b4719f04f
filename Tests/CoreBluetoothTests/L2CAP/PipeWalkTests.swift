// The buffers and the two streams of a channel as values, on random walks: octets of all amounts in both directions,
// streams that are opened, read, written and closed, channels that end from either side.

import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("12.3 Walks through a channel's pipe")
struct PipeWalkTests {
    private static let seeds = 1...8 as ClosedRange<UInt64>

    @Test("12.3 a pipe with both streams", arguments: seeds)
    func pipe(seed: UInt64) {
        var chance = Chance(seed: seed)
        var state = ChannelPipe.State(window: (frames: 8, length: 100))
        var unsent = 0
        var sent = 0
        let sides = [ChannelPipe.Side.input, .output]
        for step in 0..<900 {
            var actions = ChannelPipe.Actions()
            let side = chance.pick(sides)
            var said = ""
            switch chance.below(24) {
            case 0, 1: state.open(side, &actions)
            case 2: if step > 600, chance.once(in: 10) { state.close(side, &actions) }
            case 3: if step > 700, chance.once(in: 20) { state.release(&actions) }
            case 4: if step > 750, chance.once(in: 20) { state.end(&actions) }
            case 5: if step > 800, chance.once(in: 20) { said = "\(state.detach(&actions))" }
            case 6...9:
                var octets = [UInt8](repeating: 0, count: chance.pick([0, 1, 90, 100, 255, 256, 1_000]))
                let attempt = octets.withUnsafeMutableBytes { state.read(into: $0, &actions) }
                said = "\(attempt) \(octets.reduce(0) { ($0 &* 31) &+ Int($1) })"
            case 10...13:
                let count = chance.pick([0, 1, 10, 4_095, 4_096, 4_097, 60_000, 65_536, 131_072])
                let octets = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: count)
                let attempt = octets.withUnsafeBytes { state.write($0, &actions) }
                if case .done(let written) = attempt { unsent += max(0, written) }
                said = "\(attempt)"
            case 14...16:
                state.receive(
                    (0..<chance.below(5)).map { _ in chance.buffer(chance.pick([0, 1, 100, 255, 256])) },
                    &actions
                )
            case 17, 18:
                let work = state.takeWork()
                let written = work.written.reduce(0) { $0 + $1.readableBytes }
                sent += written
                unsent -= written
                said = "\(written) \(work.written.count) \(work.consumed) \(work.isClosing)"
            case 19, 20:
                let count = chance.once(in: 3) ? sent : chance.below(sent + 1)
                sent -= count
                state.sent(count, &actions)
            case 21: said = "\(state.refuse(side, chance.pick([.EAGAIN, .ENOTCONN])))"
            default:
                let excluded: Stream.Event = chance.pick([[], .openCompleted, .hasBytesAvailable, .hasSpaceAvailable])
                said = state.takeEvent(side, excluding: excluded).map { "\($0.rawValue)" } ?? "nil"
            }
            let seen = sides.map { side in
                let error = (state.error(side) as? POSIXError)?.code.rawValue ?? 0
                let next = state.nextEvent(side)?.rawValue ?? 0
                return "\(state.isReady(side)) \(state.status(side).rawValue) \(error) \(next)"
            }
            RunRecord.note(
                "\(step) \(said) \(actions.wakesLoop) \(actions.reports.rawValue) \(actions.resumes.rawValue) \(seen)"
            )
            #expect(unsent >= 0)
        }
    }

    @Test("12.3 the state of one stream", arguments: seeds)
    func stream(seed: UInt64) {
        var chance = Chance(seed: seed)
        var stream = StreamState()
        for step in 0..<200 {
            switch chance.below(12) {
            case 0...2: stream.open()
            case 3: if chance.once(in: 12) { stream.close() }
            case 4: if chance.once(in: 12) { stream.fail(.EPIPE) }
            case 5: stream.refuse(.EAGAIN)
            case 6, 7: stream.arm()
            default:
                stream.report(
                    chance.pick([
                        .openCompleted, .hasBytesAvailable, .hasSpaceAvailable, .errorOccurred, .endEncountered,
                    ])
                )
            }
            for (isReady, isAtEnd) in [(false, false), (false, true), (true, false), (true, true)] {
                let condition = StreamState.Condition(isReady: isReady, isAtEnd: isAtEnd)
                let next = stream.nextEvent(.hasBytesAvailable, condition)?.rawValue ?? 0
                RunRecord.note("\(step) \(isReady) \(isAtEnd) \(stream.status(condition).rawValue) \(next)")
            }
            let code = (stream.error as? POSIXError)?.code.rawValue ?? 0
            RunRecord.note("\(step) \(stream.isOpen) \(stream.isClosed) \(code)")
        }
    }

    @Test("12.3 what is received and not read, in pieces of all lengths", arguments: seeds)
    func receiveBuffer(seed: UInt64) {
        var chance = Chance(seed: seed)
        var buffer = ReceiveBuffer(window: chance.pick([(frames: 8, length: 100), (frames: 1, length: 1), (3, 50)]))
        var expected: [UInt8] = []
        for step in 0..<400 {
            var said = ""
            switch chance.below(8) {
            case 0...3:
                let pieces = (0..<chance.below(4)).map { _ in chance.buffer(chance.pick([0, 1, 20, 255, 256, 257])) }
                for piece in pieces { expected += Array(piece.readableBytesView) }
                buffer.append(pieces)
            case 4, 5:
                var octets = [UInt8](repeating: 0, count: chance.pick([0, 1, 30, 300, 2_000]))
                let count = octets.withUnsafeMutableBytes { buffer.read(into: $0) }
                #expect(Array(octets.prefix(count)) == Array(expected.prefix(count)))
                expected.removeFirst(count)
                said = "\(count)"
            case 6: said = "\(buffer.takeConsumed())"
            default:
                if chance.once(in: 8) {
                    buffer.discard()
                    expected = []
                }
            }
            #expect(buffer.octets == expected.count && buffer.isEmpty == expected.isEmpty)
            RunRecord.note("\(step) \(said) \(buffer.octets) \(buffer.isReportDue)")
        }
    }

    @Test("12.3 what is written and not sent, up to the limit", arguments: seeds)
    func sendBuffer(seed: UInt64) {
        var chance = Chance(seed: seed)
        var buffer = SendBuffer()
        var taken = 0
        for step in 0..<400 {
            var said = ""
            switch chance.below(6) {
            case 0...2:
                let octets = chance.octets(chance.pick([0, 1, 100, 4_095, 4_096, 4_097]))
                said = "\(octets.withUnsafeBytes { buffer.write($0) })"
                if chance.once(in: 3) {
                    let many = [UInt8](repeating: 1, count: chance.pick([65_536, 131_071, 131_072, 131_073]))
                    said += " \(many.withUnsafeBytes { buffer.write($0) })"
                }
            case 3:
                let pieces = buffer.take()
                taken += pieces.reduce(0) { $0 + $1.readableBytes }
                said = "\(pieces.map(\.readableBytes))"
            default:
                let count = chance.once(in: 2) ? taken : chance.below(taken + 1)
                taken -= count
                said = "\(buffer.sent(count))"
            }
            RunRecord.note("\(step) \(said) \(buffer.isFull)")
        }
    }
}
