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
        // The beginning of a property list.
        Data("b".utf8) + Data((1..<max(1, count)).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    @Test("cuts and joins messages of every length at every limit, even as slices of other data")
    func roundTrip() {
        var generator = SeededNumbers(1)
        for limit in [20, 21, 23, 64, 182, 244, 509, 512] {
            for length in [1, 2, 19, 20, 21, 29, 30, 31, 38, 47, 511, 512, 513, 1024, 65_536] {
                let message = data(length, &generator)
                let pieces = cut(part(message)) { limit }
                #expect((pieces.count == 1) == (length <= limit))
                if pieces.count == 1 { #expect(pieces[0] == message) }
                var assembler = MessageAssembler()
                for (index, piece) in pieces.enumerated() {
                    let (outcome, brokeOff) = assembler.receive(part(piece))
                    #expect(!brokeOff)
                    #expect(outcome == (index == pieces.count - 1 ? .message(message) : .piece))
                }
                #expect(!assembler.isCollecting)
            }
        }
    }

    @Test("cuts at a limit that changes from piece to piece")
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

    @Test("has the documented wire format")
    func format() {
        let message = Data("bplist00, and so on and so on".utf8)
        let pieces = cut(message) { 20 }
        #expect(pieces[0] == Data([0xBE, 0, 0, 0, 29, 0x3E, 0x35, 0xFB, 0xAC]) + message.prefix(11))
        #expect(pieces[1] == Data([0xBF, 1]) + message.dropFirst(11))
        #expect(pieces.count == 2)
        // The check value of this CRC in catalogues.
        #expect(CRC32.checksum(of: Data("123456789".utf8)) == 0xCBF4_3926)
    }

    @Test("loses only the message with a missing, doubled, swapped or corrupted piece")
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

    @Test("abandons a message when another one begins")
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

    @Test("refuses a false length, and a piece without a beginning")
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
        #expect(assembler.receive(Data([0xBF, 1, 2])) == (.failure(.incomplete), false))
        #expect(assembler.receive(Data([0xBF, 2, 3])) == (.skipped, false))
    }

    @Test("D12: joins a message of the maximum length, and refuses a longer one")
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
        // In one value, too.
        #expect(assembler.receive(message) == (.message(message), false))
        #expect(assembler.receive(message + [0x62]) == (.failure(.malformed), false))
    }

    @Test("accepts random values without a trap, and a message after them", arguments: simulationSeeds(3))
    func fuzz(seed: UInt64) {
        var generator = SeededNumbers(seed)
        var assembler = MessageAssembler()
        for _ in 0..<5_000 {
            var value = Data(
                (0..<Int.random(in: 0...30, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
            )
            if !value.isEmpty, Bool.random(using: &generator) { value[0] = .random(in: 0xBE...0xBF, using: &generator) }
            if value.count > 5, Bool.random(using: &generator) { value.replaceSubrange(1..<4, with: [0, 0, 0]) }
            if case .message(let message) = assembler.receive(value).outcome {
                #expect(message.count <= BlueEarService.maximumMessageLength)
            }
        }
        let message = self.data(300, &generator)
        #expect(self.cut(message) { 40 }.map { assembler.receive($0).outcome }.last == .message(message))
    }

    /// The octets as a slice of longer data, after three others.
    private func part(_ octets: Data) -> Data { (Data([9, 9, 9]) + octets + Data([9])).dropFirst(3).dropLast() }
}
