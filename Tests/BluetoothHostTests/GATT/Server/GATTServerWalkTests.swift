// The server at its edges, on record: clients ask about attributes that are there and just beside, with values and
// offsets as long as the MTU and one octet more or less, on links of every kind of security, before and after bonding,
// and the application answers with values of such lengths. What the server does in each step is in the record.

import Fixtures
import Testing

@testable import BluetoothHost

@Suite("GATT server: a walk along its edges")
struct GATTServerWalkTests {
    @Test(arguments: Array(1...8) as [UInt64])
    func `Every action is on record, and no answer is longer than the MTU`(seed: UInt64) throws {
        var walk = try ServerWalk(seed: seed)
        for _ in 0..<4_000 { try walk.step() }
        walk.end()
        #expect(walk.opcodes.isSuperset(of: [.errorResponse, .readResponse, .writeResponse, .handleValueNotification]))
    }
}
