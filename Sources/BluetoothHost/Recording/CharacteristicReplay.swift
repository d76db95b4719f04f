// Answers as a recorded characteristic did. The nth read gets what the nth one got, and an equal write what equal
// writes got, in order; when these have been used up, reads get the present value and writes what the last equal one
// got. What was never recorded has no answer here: the one that plays the peripheral says so.

package import NIOCore

/// What a recorded characteristic answers.
package struct CharacteristicReplay: Sendable {
    private let record: RecordedCharacteristic
    private var nextRead = 0
    /// How often each value was written.
    private var written: [ByteBuffer: Int] = [:]
    /// The value that was last read, written or sent.
    private var present: ByteBuffer?

    /// The replay of a characteristic, from the beginning.
    package init(_ record: RecordedCharacteristic) { self.record = record }

    /// The answer to a read; `nil` where none was recorded.
    package mutating func read() -> Result<ByteBuffer, ATTErrorCode>? {
        if self.nextRead < self.record.reads.count {
            let result = self.record.reads[self.nextRead].result
            self.nextRead += 1
            if case .success(let value) = result { self.present = value }
            return result
        }
        return self.present.map { .success($0) } ?? self.record.reads.last?.result
    }

    /// What becomes of a write; `nil` where this value was never written.
    package mutating func write(_ value: ByteBuffer) -> RecordedCharacteristic.Write? {
        let count = self.written[value, default: 0]
        var found: (index: Int, write: RecordedCharacteristic.Write)?
        var number = 0
        for (index, write) in self.record.writes.enumerated() where write.value == value {
            found = (index, write)
            if number == count { break }
            number += 1
        }
        guard let found else { return nil }
        self.written[value] = count + 1
        guard found.write.error == nil else { return found.write }
        self.present = value
        // Reads from before the write are of no use any more.
        if let next = self.record.reads.firstIndex(where: { $0.writesBefore > found.index }) {
            self.nextRead = max(self.nextRead, next)
        } else {
            self.nextRead = self.record.reads.count
        }
        return found.write
    }

    /// A value was sent.
    package mutating func sent(_ value: ByteBuffer) { self.present = value }
}
