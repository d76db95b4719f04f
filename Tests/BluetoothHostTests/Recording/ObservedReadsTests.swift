// What a recording keeps of values that come in parts, and of answers that lie outside of their questions: direct calls
// of the database, and PDUs of one link.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: parts of values, and answers outside of the question")
struct ObservedReadsTests {
    private var database = ObservedDatabase()

    /// What was read, a line for each read.
    private func reads() -> [String] {
        self.database.events.compactMap { event in
            guard case .read(.success(let value)) = event.kind else { return nil }
            return "\(event.handle) on \(event.link): \(value.hex)"
        }
    }

    private mutating func read(_ octets: [UInt8], of handle: AttributeHandle, offset: Int = 0, on link: Int = 1) {
        self.database.read(ByteBuffer(bytes: octets), of: handle, offset: offset, on: link)
    }

    // MARK: Parts of a value

    @Test("A part belongs to the last read where that is of the same attribute, on the same link")
    mutating func part() {
        self.read([1], of: 3)
        self.read([2], of: 3, offset: 1, on: 2)
        self.read([3], of: 5, offset: 1)
        #expect(self.reads() == ["3 on 1: 01"])
        // What was sent meanwhile is no read.
        self.database.sent(ByteBuffer(bytes: [9]), of: 3, on: 1, at: 0)
        self.read([4], of: 3, offset: 1)
        #expect(self.reads() == ["3 on 1: 01 04"])
        self.read([5], of: 5, on: 2)
        self.read([6], of: 3, offset: 2)
        #expect(self.reads() == ["3 on 1: 01 04", "5 on 2: 05"])
    }

    @Test("A value that is read again begins anew, and a part continues the second one")
    mutating func readAgain() {
        self.read([1], of: 3)
        self.read([5], of: 3)
        self.read([2], of: 3, offset: 1)
        #expect(self.reads() == ["3 on 1: 01", "3 on 1: 05 02"])
    }

    @Test("A value has 512 octets at most (Vol 3, Part F, 3.2.9): a part beyond them is left out")
    mutating func longest() {
        self.read([UInt8](repeating: 1, count: 510), of: 3)
        self.read([2, 2, 2], of: 3, offset: 510)
        #expect(self.reads().map(\.count) == ["3 on 1: ".count + 510 * 3 - 1])
        self.read([2, 2], of: 3, offset: 510)
        #expect(self.reads().map(\.count) == ["3 on 1: ".count + 512 * 3 - 1])
        self.read([3], of: 3, offset: 512)
        #expect(self.reads().map(\.count) == ["3 on 1: ".count + 512 * 3 - 1])
    }

    @Test("Several values are separated by the length of the whole value that was read last in parts")
    mutating func lengths() {
        self.read([1], of: 3)
        self.read([2], of: 3, offset: 1)
        self.database.read(ByteBuffer(bytes: [7, 8, 9]), of: [3, 5], on: 1)
        #expect(self.reads() == ["3 on 1: 01 02", "3 on 1: 07 08", "5 on 1: 09"])
        self.read([4, 4, 4], of: 3)
        self.database.read(ByteBuffer(bytes: [7, 8, 9]), of: [3, 5], on: 1)
        #expect(self.reads().suffix(2) == ["3 on 1: 07 08 09", "5 on 1: "])
    }

    @Test("Of several values those are known that stand in front of one without a length, or of one that is cut")
    mutating func unknownLengths() {
        self.read([1, 1], of: 3)
        self.database.read(ByteBuffer(bytes: [7, 8, 9]), of: [3, 5, 7], on: 1)
        #expect(self.reads() == ["3 on 1: 01 01", "3 on 1: 07 08"])
        self.database.read(ByteBuffer(bytes: [7]), of: [3, 5], on: 1)
        #expect(self.reads() == ["3 on 1: 01 01", "3 on 1: 07 08"])
    }

    // MARK: Answers outside of the question

    /// A request and its answer.
    private static func database(after request: String, _ answer: String) -> ObservedDatabase {
        var database = ObservedDatabase()
        var transactions = ServerTransactions()
        transactions.receive(request, answer, into: &database)
        return database
    }

    @Test(
        "An answer that ends in front of the question counts for no handle, one that ends at its beginning for that",
        arguments: [
            ("08 05 00 0A 00 03 28", "09 07 02 00 02 03 00 01 2A", [:]),
            ("08 05 00 0A 00 03 28", "09 07 05 00 02 06 00 01 2A", [.characteristics: [5...5]]),
            ("04 05 00 06 00", "05 01 04 00 02 29", [:]),
            ("04 05 00 06 00", "05 01 05 00 02 29", [.descriptors: [5...5]]),
        ] as [(String, String, [ObservedDatabase.Question: [AttributeHandleRange]])]
    )
    func inFront(request: String, answer: String, questions: [ObservedDatabase.Question: [AttributeHandleRange]]) {
        #expect(Self.database(after: request, answer).questions == questions)
    }

    @Test("A list of services that ends in front of the question is none", arguments: [(3, false), (5, true)])
    func services(end: Int, isListed: Bool) {
        let answer = "11 06 01 00 0\(end) 00 0D 18"
        #expect(Self.database(after: "10 05 00 FF FF 00 28", answer).wasListed == isListed)
    }

    @Test(
        "An included service has a first handle that is not 0 and not behind its last one",
        arguments: [("10 00 12 00", true), ("10 00 10 00", true), ("12 00 10 00", false), ("00 00 10 00", false)]
    )
    func include(range: String, isKnown: Bool) {
        let database = Self.database(after: "08 01 00 FF FF 02 28", "09 08 02 00 \(range) 0F 18")
        #expect((database.includes[2] != nil) == isKnown)
        #expect(database.services.keys.sorted() == (isKnown ? [0x10] : []))
    }

    @Test("A declaration has its value behind it", arguments: [("01 00", false), ("02 00", false), ("03 00", true)])
    func declaration(valueHandle: String, isKnown: Bool) {
        let database = Self.database(after: "08 01 00 FF FF 03 28", "09 07 02 00 02 \(valueHandle) 01 2A")
        #expect(database.declarations.keys.sorted() == (isKnown ? [2] : []))
    }
}
