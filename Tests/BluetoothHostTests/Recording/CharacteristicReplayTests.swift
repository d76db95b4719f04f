// The answers of a recorded characteristic whose reads and writes are repeated.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("CharacteristicReplay")
struct CharacteristicReplayTests {
    private static func value(_ octet: UInt8) -> ByteBuffer { ByteBuffer(bytes: [octet]) }

    private static func replay(
        reads: [(UInt8?, writesBefore: Int)] = [],
        writes: [RecordedCharacteristic.Write] = []
    ) -> CharacteristicReplay {
        var record = RecordedCharacteristic(uuid: 0x2A37, properties: [.read, .write], handle: 3)
        record.reads = reads.map { octet, writesBefore in
            .init(octet.map { .success(self.value($0)) } ?? .failure(.readNotPermitted), writesBefore: writesBefore)
        }
        record.writes = writes
        return CharacteristicReplay(record)
    }

    private static func write(
        _ octet: UInt8,
        error: ATTErrorCode? = nil,
        answer: UInt8? = nil
    )
        -> RecordedCharacteristic.Write
    {
        let answers = answer.map { [RecordedCharacteristic.Answer(handle: 5, delay: .zero, value: self.value($0))] }
        return .init(value: self.value(octet), error: error, answers: answers ?? [])
    }

    /// The octet of the next read; `nil` for an error.
    private static func read(_ replay: inout CharacteristicReplay) -> UInt8? {
        guard case .success(let value) = replay.read() else { return nil }
        return value.getInteger(at: value.readerIndex)
    }

    @Test("answers the nth read like the nth recorded one, and later ones with the last value")
    func reads() {
        var replay = Self.replay(reads: [(1, 0), (nil, 0), (2, 0), (nil, 0)])
        #expect((0..<6).map { _ in Self.read(&replay) } == [1, nil, 2, nil, 2, 2])
        replay.sent(Self.value(9))
        #expect(Self.read(&replay) == 9)
    }

    @Test("refuses again if it always did, and answers with a sent value if it was never read")
    func withoutValue() {
        var refused = Self.replay(reads: [(nil, 0)])
        #expect(refused.read() == .failure(.readNotPermitted) && refused.read() == .failure(.readNotPermitted))
        var unread = Self.replay()
        #expect(unread.read() == nil)
        unread.sent(Self.value(9))
        #expect(Self.read(&unread) == 9)
    }

    @Test("answers reads after a write with those recorded after it, otherwise with the written value, each once")
    func readsAfterWrites() {
        let (reads, writes) = ([(1, 0), (2, 0), (3, 1), (4, 2)] as [(UInt8?, Int)], [Self.write(7), Self.write(8)])
        var replay = Self.replay(reads: reads, writes: writes)
        #expect(Self.read(&replay) == 1)
        #expect(replay.write(Self.value(7)) != nil)
        #expect([Self.read(&replay), Self.read(&replay), Self.read(&replay)] == [3, 4, 4])
        replay = Self.replay(reads: reads, writes: writes)
        #expect(replay.write(Self.value(8)) != nil)
        #expect(Self.read(&replay) == 4)
        #expect(replay.write(Self.value(7)) != nil)
        #expect(Self.read(&replay) == 7)
        replay = Self.replay(reads: [(1, 0), (2, 0)], writes: writes)
        #expect(replay.write(Self.value(8)) != nil)
        #expect(Self.read(&replay) == 8)
    }

    @Test("refuses a refused write again, which changes nothing")
    func refusedWrite() {
        var replay = Self.replay(reads: [(1, 0), (2, 1)], writes: [Self.write(7, error: .valueNotAllowed)])
        #expect(replay.write(Self.value(7))?.error == .valueNotAllowed)
        #expect([Self.read(&replay), Self.read(&replay), Self.read(&replay)] == [1, 2, 2])
    }

    @Test("answers equal writes in order, later ones like the last one, and other values not at all")
    func equalWrites() {
        var replay = Self.replay(writes: [
            Self.write(7, answer: 1), Self.write(8, answer: 2), Self.write(7, answer: 3), Self.write(7, answer: 4),
        ])
        func answer(_ octet: UInt8) -> [ByteBuffer]? { replay.write(Self.value(octet))?.answers.map(\.value) }
        #expect([answer(7), answer(7), answer(8)] == [[Self.value(1)], [Self.value(3)], [Self.value(2)]])
        #expect([answer(7), answer(7), answer(8)] == [[Self.value(4)], [Self.value(4)], [Self.value(2)]])
        #expect(answer(9) == nil)
    }
}
