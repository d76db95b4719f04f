// Cutting and putting together.

import Fixtures
import Foundation
import Testbed
import Testing

@testable import BlueEar

@Suite("Messages in pieces")
struct MessagePiecesTests {
    private func cut(_ message: Data, _ limit: () -> Int) -> [Data] {
        var pieces = MessagePieces(message)
        var result: [Data] = []
        while !pieces.isComplete {
            let limit = limit()
            let piece = pieces.next(limit: limit)
            #expect(!piece.isEmpty && piece.count <= limit)
            #expect(piece == pieces.next(limit: limit))
            let isLast = pieces.isLast(piece)
            pieces.advance(past: piece)
            #expect(isLast == pieces.isComplete)
            result.append(piece)
        }
        return result
    }

    private func data(_ count: Int, _ generator: inout SeededNumbers) -> Data {
        // As a property list begins.
        Data("b".utf8) + Data((1..<max(1, count)).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    @Test("What is cut is put together again, at every length around the borders and at every limit")
    func roundTrip() {
        var generator = SeededNumbers(1)
        for limit in [20, 21, 23, 64, 182, 244, 509, 512] {
            for length in [1, 2, 19, 20, 21, 29, 30, 31, 38, 47, 511, 512, 513, 1024, 65_536] {
                let message = data(length, &generator)
                let pieces = cut(message) { limit }
                #expect((pieces.count == 1) == (length <= limit))
                if pieces.count == 1 { #expect(pieces[0] == message) }
                var assembler = MessageAssembler()
                for (index, piece) in pieces.enumerated() {
                    let (outcome, brokeOff) = assembler.receive(piece)
                    #expect(!brokeOff)
                    #expect(outcome == (index == pieces.count - 1 ? .message(message) : .piece))
                }
                #expect(!assembler.isCollecting)
            }
        }
    }

    @Test("The limit may change from piece to piece")
    func changingLimit() {
        var generator = SeededNumbers(2)
        for _ in 0..<50 {
            let message = data(.random(in: 513...5000, using: &generator), &generator)
            var numbers = generator
            let pieces = cut(message) { .random(in: 20...512, using: &numbers) }
            var assembler = MessageAssembler()
            #expect(pieces.dropLast().allSatisfy { assembler.receive($0).outcome == .piece })
            #expect(pieces.last.map { assembler.receive($0).outcome } == .message(message))
        }
    }

    @Test("The wire format is that of the documentation")
    func format() {
        let message = Data("bplist00, and so on and so on".utf8)
        let pieces = cut(message) { 20 }
        #expect(pieces[0] == Data([0xBE, 0, 0, 0, 29, 0x3E, 0x35, 0xFB, 0xAC]) + message.prefix(11))
        #expect(pieces[1] == Data([0xBF, 1]) + message.dropFirst(11))
        #expect(pieces.count == 2)
        // The check value of this CRC, as catalogues give it.
        #expect(CRC32.checksum(of: Data("123456789".utf8)) == 0xCBF4_3926)
    }

    @Test("A missing, doubled, swapped or broken piece loses the message, and that alone")
    func faults() {
        var generator = SeededNumbers(3)
        let message = data(300, &generator)
        let pieces = cut(message) { 40 }
        let faults: [(String, ([Data]) -> [Data])] = [
            ("missing", { Array($0[..<3] + $0[4...]) }),
            ("doubled", { Array($0[...3] + $0[3...]) }),
            ("swapped", { Array($0[..<3]) + [$0[4], $0[3]] + Array($0[5...]) }),
            ("broken", { $0.enumerated().map { $0 == 3 ? $1.dropLast() + [$1.last! ^ 1] : $1 } }),
            ("without beginning", { Array($0.dropFirst()) }),
        ]
        for (name, fault) in faults {
            var assembler = MessageAssembler()
            let outcomes = fault(pieces).map { assembler.receive($0).outcome }
            #expect(!outcomes.contains(.message(message)), "\(name)")
            #expect(outcomes.filter { $0 == .failure(.incomplete) }.count == 1, "\(name)")
            let next = pieces.map { assembler.receive($0).outcome }
            #expect(next.last == .message(message), "\(name)")
        }
    }

    @Test("A message that begins in the middle of another breaks that off")
    func brokenOff() {
        var generator = SeededNumbers(4)
        let message = data(300, &generator)
        let pieces = cut(message) { 40 }
        var assembler = MessageAssembler()
        _ = assembler.receive(pieces[0])
        let plain = assembler.receive(Data("bplist00".utf8))
        #expect(plain == (.message(Data("bplist00".utf8)), true))
        _ = assembler.receive(pieces[0])
        #expect(assembler.receive(pieces[0]) == (.piece, true))
        #expect(pieces.dropFirst().map { assembler.receive($0).outcome }.last == .message(message))
    }

    @Test("Lengths that are lies are refused, and nothing is kept for them")
    func lies() {
        var assembler = MessageAssembler()
        let tooLong = Data([0xBE, 0, 0x10, 0, 1, 0, 0, 0, 0, 1])
        #expect(assembler.receive(tooLong) == (.failure(.tooLong(1_048_577)), false))
        #expect(assembler.receive(Data([0xBF, 1, 2])) == (.skipped, false))
        #expect(assembler.receive(Data([0xBE])) == (.failure(.malformed), false))
        #expect(assembler.receive(Data([0xBE, 0, 0, 0, 2, 0, 0, 0, 0, 1, 2])) == (.failure(.malformed), false))
        #expect(assembler.receive(Data([0xBE, 0, 0, 0, 3, 0, 0, 0, 0, 1, 2])) == (.piece, false))
        #expect(assembler.receive(Data([0xBF, 1, 3, 4])) == (.failure(.incomplete), false))
        #expect(assembler.receive(Data([0xBF])) == (.skipped, false))
        #expect(assembler.receive(Data()) == (.message(Data()), false))
    }

    @Test("D12: a message of exactly the maximum length is put together, and one octet more is refused")
    func maximumLength() {
        let limit = BlueEarService.maximumMessageLength
        let message = Data(repeating: 0x62, count: limit)
        var assembler = MessageAssembler()
        let outcomes = cut(message) { 512 }.map { assembler.receive($0).outcome }
        #expect(outcomes.last == .message(message))
        #expect(outcomes.dropLast().allSatisfy { $0 == .piece })
        let longer = cut(message + [0x62]) { 512 }
        #expect(assembler.receive(longer[0]) == (.failure(.tooLong(limit + 1)), false))
        #expect(assembler.receive(longer[1]) == (.skipped, false))
    }

    @Test("D12: the same limit holds for a message in one value")
    func maximumLengthInOneValue() {
        let limit = BlueEarService.maximumMessageLength
        let message = Data(repeating: 0x62, count: limit)
        var assembler = MessageAssembler()
        #expect(assembler.receive(message) == (.message(message), false))
        #expect(assembler.receive(message + [0x62]) == (.failure(.malformed), false))
    }

    @Test("Anything at all is taken without a trap", arguments: 1...10 as ClosedRange<UInt64>)
    func fuzz(seed: UInt64) {
        var generator = SeededNumbers(seed)
        var assembler = MessageAssembler()
        for _ in 0..<5_000 {
            var value = Data(
                (0..<Int.random(in: 0...30, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
            )
            if !value.isEmpty, Bool.random(using: &generator) { value[0] = .random(in: 0xBE...0xBF, using: &generator) }
            if value.count > 5, Bool.random(using: &generator) { value.replaceSubrange(1..<4, with: [0, 0, 0]) }
            let (outcome, brokeOff) = assembler.receive(value)
            RunRecord.note("\(value.hex) \(outcome) \(brokeOff) \(assembler.isCollecting)")
            if case .message(let message) = outcome {
                #expect(message.count <= BlueEarService.maximumMessageLength)
            }
        }
    }

    @Test("A message is complete when it was sent, also one of no octets")
    func empty() {
        var pieces = MessagePieces(Data())
        #expect(!pieces.isComplete && !pieces.isCut)
        pieces = MessagePieces(Data([1]))
        #expect(!pieces.isComplete && !pieces.isCut)
        pieces.advance(past: pieces.next(limit: 20))
        #expect(pieces.isComplete && !pieces.isCut)
    }

    @Test("A piece behind a whole message has lost its beginning; so has one behind a message in one value")
    func strayPieces() {
        var generator = SeededNumbers(6)
        let message = data(100, &generator)
        var assembler = MessageAssembler()
        #expect(cut(message) { 40 }.map { assembler.receive($0).outcome }.last == .message(message))
        #expect(assembler.receive(Data([0xBF, 1, 2])) == (.failure(.incomplete), false))
        #expect(assembler.receive(Data("bplist00".utf8)) == (.message(Data("bplist00".utf8)), false))
        #expect(assembler.receive(Data([0xBF, 1, 2])) == (.failure(.incomplete), false))
        #expect(assembler.receive(Data([0xBF, 2, 3])) == (.skipped, false))
    }

    @Test("The limits that the documentation names")
    func limits() {
        #expect(BlueEarService.maximumMessageLength == 1_048_576 && BlueEarService.maximumWaitingMessages == 64)
        #expect(ListeningCentral.maximumSilent == 64 && ChallengeResponse.challengeLength == 16)
        var generator: any RandomNumberGenerator = SeededNumbers(1)
        #expect(ChallengeResponse.makeChallenge(using: &generator).count == 16)
    }
}
