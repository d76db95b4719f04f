// A server that says that its database is another one than the client knows (Vol 3, Part G, 2.5.2.1): the procedure
// ends with the error first, then the user of the host hears of it.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: a database that is out of sync")
struct LEHostOutOfSyncTests {
    private final class User: LEHostDelegate {
        var lines: [String] = []

        func host(_ host: LEHost, didFindDatabaseOutOfSyncOn link: LinkID) {
            self.lines.append("out of sync on \(link.rawValue)")
        }
    }

    @Test("The error Database Out Of Sync (0x12) is told to the user, behind the end of the procedure, others are not")
    func told() throws {
        let testbed = HostTestbed.started()
        testbed.controller.dataIsAnswered = true
        let link = try #require(testbed.acceptLink(0x40))
        let user = User()
        testbed.host.delegate = user
        for (octet, isOutOfSync) in [(0x12, true), (0x0A, false), (0x13, false)] as [(UInt8, Bool)] {
            testbed.host.perform(ReadValue(3), on: link) { _ in user.lines.append("procedure") }
            testbed.run()
            testbed.controller.receive(0x40, channel: 4, [0x01, 0x0A, 0x03, 0x00, octet])
            testbed.run()
            #expect(user.lines == ["procedure"] + (isOutOfSync ? ["out of sync on \(link.rawValue)"] : []))
            user.lines = []
        }
    }
}
