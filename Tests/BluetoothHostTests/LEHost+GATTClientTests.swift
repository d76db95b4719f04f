// Procedures that a user asks for on a link that the host is about to end, since its server does not answer.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: procedures with a silent server")
struct LEHostGATTClientTests {
    @Test("After 30 s without an answer each procedure ends with that in the next turn, wherever it was to be queued")
    func silentServer() throws {
        let testbed = HostTestbed.started()
        let link = try #require(testbed.acceptLink(0x40))
        var results: [Result<ByteBuffer, GATTError>] = []
        testbed.host.perform(ReadValue(3), on: link) { results.append($0) }
        testbed.run(.seconds(30))
        #expect(results == [.failure(.transactionTimeout)])
        #expect(testbed.controller.takeCommands() == [Disconnect.opcode] && testbed.host.links.count == 1)
        let make: () -> ReadValue? = { ReadValue(5) }
        results = []
        testbed.host.perform(on: link, whenItsTurnComes: make) { results.append($0) }
        testbed.host.performNext(on: link, whenItsTurnComes: make) { results.append($0) }
        #expect(results.isEmpty, "nothing is called re-entrantly")
        testbed.run()
        #expect(results == [.failure(.transactionTimeout), .failure(.transactionTimeout)])
        testbed.controller.disconnect(0x40, reason: .connectionTimeout)
        testbed.run()
        #expect(results.count == 2)
    }
}
