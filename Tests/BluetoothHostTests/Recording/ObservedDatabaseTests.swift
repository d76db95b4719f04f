// Values that are read in parts.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ObservedDatabase: reads")
struct ObservedDatabaseTests {
    private var database = ObservedDatabase()

    /// A line for each read.
    private func reads() -> [String] {
        self.database.events.compactMap { event in
            guard case .read(.success(let value)) = event.kind else { return nil }
            return "\(event.handle) on \(event.link): \(value.hex)"
        }
    }

    private mutating func read(_ octets: [UInt8], of handle: AttributeHandle, offset: Int = 0, on link: Int = 1) {
        self.database.read(ByteBuffer(bytes: octets), of: handle, offset: offset, on: link)
    }

    @Test("joins a part to the last read of the same attribute on the same link")
    mutating func part() {
        self.read([1], of: 3)
        self.read([2], of: 3, offset: 1, on: 2)
        self.read([3], of: 5, offset: 1)
        #expect(self.reads() == ["3 on 1: 01"])
        // A value that was sent meanwhile is no read.
        self.database.sent(ByteBuffer(bytes: [9]), of: 3, on: 1, at: 0)
        self.read([4], of: 3, offset: 1)
        #expect(self.reads() == ["3 on 1: 01 04"])
        self.read([5], of: 5, on: 2)
        self.read([6], of: 3, offset: 2)
        #expect(self.reads() == ["3 on 1: 01 04", "5 on 2: 05"])
    }

    @Test("begins anew with a value that is read again")
    mutating func readAgain() {
        self.read([1], of: 3)
        self.read([5], of: 3)
        self.read([2], of: 3, offset: 1)
        #expect(self.reads() == ["3 on 1: 01", "3 on 1: 05 02"])
    }

    @Test("leaves out a part beyond 512 octets (Vol 3, Part F, 3.2.9)")
    mutating func longest() {
        self.read([UInt8](repeating: 1, count: 510), of: 3)
        self.read([2, 2, 2], of: 3, offset: 510)
        #expect(self.reads().map(\.count) == ["3 on 1: ".count + 510 * 3 - 1])
        self.read([2, 2], of: 3, offset: 510)
        #expect(self.reads().map(\.count) == ["3 on 1: ".count + 512 * 3 - 1])
        self.read([3], of: 3, offset: 512)
        #expect(self.reads().map(\.count) == ["3 on 1: ".count + 512 * 3 - 1])
    }

    @Test("separates several values by the lengths that were read last")
    mutating func lengths() {
        self.read([1], of: 3)
        self.read([2], of: 3, offset: 1)
        self.database.read(ByteBuffer(bytes: [7, 8, 9]), of: [3, 5], on: 1)
        #expect(self.reads() == ["3 on 1: 01 02", "3 on 1: 07 08", "5 on 1: 09"])
        self.read([4, 4, 4], of: 3)
        self.database.read(ByteBuffer(bytes: [7, 8, 9]), of: [3, 5], on: 1)
        #expect(self.reads().suffix(2) == ["3 on 1: 07 08 09", "5 on 1: "])
    }

    @Test("takes several values up to one without a length, or one that is cut")
    mutating func unknownLengths() {
        self.read([1, 1], of: 3)
        self.database.read(ByteBuffer(bytes: [7, 8, 9]), of: [3, 5, 7], on: 1)
        #expect(self.reads() == ["3 on 1: 01 01", "3 on 1: 07 08"])
        self.database.read(ByteBuffer(bytes: [7]), of: [3, 5], on: 1)
        #expect(self.reads() == ["3 on 1: 01 01", "3 on 1: 07 08"])
    }
}
