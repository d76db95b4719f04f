// Links whose ends are overdue at the same time, and a user who lets the controller go when the first of them has
// ended.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: links that are overdue together")
struct LEHostOverdueLinksTests {
    /// Notes the links that have ended, and may detach from the controller at the first one.
    private final class User: LEHostDelegate {
        private let detaches: Bool
        private(set) var ended: [LinkID] = []

        init(detaches: Bool) { self.detaches = detaches }

        func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
            self.ended.append(link.id)
            if self.detaches, self.ended.count == 1 { host.detach() }
        }
    }

    @Test("The end of each link is told once, also where the user detaches when the first one has ended")
    func toldOnce() throws {
        for detaches in [false, true] {
            let testbed = HostTestbed.started()
            let first = try #require(testbed.acceptLink(0x40))
            let second = try #require(testbed.acceptLink(0x41))
            let user = User(detaches: detaches)
            testbed.host.delegate = user
            testbed.host.disconnect(first)
            testbed.host.disconnect(second)
            testbed.run(.seconds(35) - .nanoseconds(1))
            #expect(user.ended == [])
            testbed.run(.nanoseconds(1))
            #expect(user.ended == [first, second], "\(detaches)")
            #expect(testbed.host.links.isEmpty)
            let state: LEHostState = detaches ? .detached : .ready
            #expect(testbed.host.state == state)
        }
    }
}
