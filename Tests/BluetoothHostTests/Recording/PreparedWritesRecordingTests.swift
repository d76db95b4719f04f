// What a recording keeps of prepared writes once as many as it keeps have come: after they were executed or cancelled it
// begins anew.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: prepared writes up to the limit")
struct PreparedWritesRecordingTests {
    @Test(
        "What was executed, refused or cancelled makes room for as much again",
        arguments: [("18 01", "19", 128), ("18 01", "01 18 01 00 07", 128), ("18 00", "19", 0)]
    )
    func roomAgain(request: String, answer: String, count: Int) {
        var transactions = ServerTransactions()
        var database = ObservedDatabase()
        let value = String(repeating: "01", count: 512)
        for handle in UInt16(1)...128 {
            let part = "\(ByteBuffer(integer: handle, endianness: .little).hex) 00 00 \(value)"
            transactions.receive("16 \(part)", "17 \(part)", into: &database)
        }
        transactions.receive(request, answer, into: &database)
        #expect(database.events.count == count)
        transactions.receive("16 81 00 00 00 02", "17 81 00 00 00 02", into: &database)
        transactions.receive("18 01", "19", into: &database)
        #expect(database.events.count == count + 1 && database.events.last?.handle == 0x81)
        // Nothing of it is left for the next one.
        transactions.receive("18 01", "19", into: &database)
        #expect(database.events.count == count + 1)
    }
}
