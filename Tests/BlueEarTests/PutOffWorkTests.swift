// Work of the messenger that was put off, which nobody keeps behind its end; and messages that are a part of other
// data, whose first octet has another index than 0.

import Fixtures
import Foundation
import Testing

@testable import BlueEar

@Suite("Work of the messenger that was put off")
struct PutOffWorkTests {
    @Test("Work that is done or called off is kept by nobody", arguments: [false, true])
    @MainActor
    func released(isCalledOff: Bool) async {
        let scheduler = RunLoopScheduler()
        let (isReleased, isDone) = await releaseOfWork { body in
            // What is not called off is done at once.
            let work = scheduler.schedule(after: isCalledOff ? 3600 : 0, body)
            if isCalledOff { work.cancel() }
        }
        #expect(isReleased)
        #expect(isDone == !isCalledOff)
    }
}

@Suite("Messages that are a part of other data")
struct PartOfDataTests {
    /// The octets as a part of longer data, behind three others.
    private func part(_ octets: Data) -> Data { (Data([9, 9, 9]) + octets + Data([9])).dropFirst(3).dropLast() }

    @Test("A message is cut at the same places, wherever it begins")
    func cut() {
        let message = Data((0..<100).map { UInt8($0) })
        var (whole, slice) = (MessagePieces(message), MessagePieces(self.part(message)))
        for _ in 0..<3 {
            let piece = whole.next(limit: 40)
            #expect(slice.next(limit: 40) == piece && slice.isLast(piece) == whole.isLast(piece))
            whole.advance(past: piece)
            slice.advance(past: piece)
        }
        // 31 octets, 38 and 31.
        #expect(whole.isComplete && slice.isComplete && whole.pieceCount == 3)
    }

    @Test("Pieces are put together, wherever they begin")
    func assembled() {
        let message = Data((0..<100).map { UInt8($0) })
        var pieces = MessagePieces(message)
        var assembler = MessageAssembler()
        var outcomes: [MessageAssembler.Outcome] = []
        while !pieces.isComplete {
            let piece = pieces.next(limit: 40)
            pieces.advance(past: piece)
            outcomes.append(assembler.receive(self.part(piece)).outcome)
        }
        #expect(outcomes == [.piece, .piece, .message(message)])
    }

    @Test("A property list is read, wherever it begins")
    func list() throws {
        let data = try PropertyListMessage.encode(["a": "b", "é": "☂"])
        #expect(PropertyListMessage.decode(self.part(data)) == ["a": "b", "é": "☂"])
        #expect(PropertyListMessage.decode(self.part(data).dropLast()) == nil)
    }
}
