// Replays the answers of a recorded characteristic. The nth read gets the answer of the nth recorded one, and a write
// those of equal writes, in order. After these, reads get the current value and writes the answer of the last equal
// one. Requests that were never recorded have no answer here; the player of the peripheral handles them.

package import NIOCore

/// The answers of a recorded characteristic.
package struct CharacteristicReplay: Sendable {
    private let record: RecordedCharacteristic
    private var nextRead = 0
    /// The number of writes of each value.
    private var written: [ByteBuffer: Int] = [:]
    /// The last value that was read, written or sent.
    private var present: ByteBuffer?

    /// Creates a replay from the beginning.
    package init(_ record: RecordedCharacteristic) { self.record = record }

    /// The answer to a read; `nil` if none was recorded.
    package mutating func read() -> Result<ByteBuffer, ATTErrorCode>? {
        if self.nextRead < self.record.reads.count {
            let result = self.record.reads[self.nextRead].result
            self.nextRead += 1
            if case .success(let value) = result { self.present = value }
            return result
        }
        return self.present.map { .success($0) } ?? self.record.reads.last?.result
    }

    /// The outcome of a write; `nil` if this value was never written.
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
        // Skips the reads that were recorded before the write.
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
