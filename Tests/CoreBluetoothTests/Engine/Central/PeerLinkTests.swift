import BluetoothHCI
import BluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("The link to a peer")
struct PeerLinkTests {
    private typealias Action = PeerLink<String>.Action

    private let first = LinkID(rawValue: 1)

    private let second = LinkID(rawValue: 2)

    /// A link that this side opened for some connections.
    private func connected(_ connections: String..., reconnects: Bool = false) -> PeerLink<String> {
        var link = PeerLink<String>()
        for connection in connections { _ = link.add(connection, reconnects: reconnects, isDelayed: false) }
        _ = link.connected(self.first, isCentral: true)
        return link
    }

    @Test("connects for the first request, and gives the link to all that wait")
    func connect() {
        var link = PeerLink<String>()
        #expect(link.add("a", reconnects: false, isDelayed: false) == [.connect])
        #expect(link.add("b", reconnects: false, isDelayed: false) == [])
        #expect(link.phase(of: "a") == .pending)
        #expect(
            link.connected(self.first, isCentral: true) == [.establish("a", self.first), .establish("b", self.first)]
        )
        #expect(link.id == self.first)
        #expect(link.add("c", reconnects: false, isDelayed: false) == [.establish("c", self.first)])
        #expect(link.established == ["a", "b", "c"])
    }

    @Test("starts a delayed request only after its delay")
    func delay() {
        var link = PeerLink<String>()
        #expect(link.add("a", reconnects: false, isDelayed: true) == [])
        #expect(link.startDelayElapsed("a") == [.connect])
        #expect(link.startDelayElapsed("a") == [])
        #expect(link.add("b", reconnects: false, isDelayed: true) == [])
        #expect(link.cancel("b") == [.end("b", nil)])
        #expect(link.startDelayElapsed("b") == [])
        // A delayed request does not use the link.
        #expect(link.connected(self.first, isCentral: true) == [.establish("a", self.first)])
        #expect(link.startDelayElapsed("a") == [])
        #expect(link.add("c", reconnects: false, isDelayed: true) == [])
        #expect(link.startDelayElapsed("c") == [.establish("c", self.first)])
    }

    @Test("stops connecting when the last waiting request is cancelled")
    func cancelPending() {
        var link = PeerLink<String>()
        _ = link.add("a", reconnects: false, isDelayed: false)
        _ = link.add("b", reconnects: false, isDelayed: false)
        #expect(link.cancel("a") == [.end("a", nil)])
        #expect(link.cancel("a") == [])
        #expect(link.cancel("b") == [.end("b", nil), .cancelConnecting])
        #expect(link.isUnused)
    }

    @Test("ends a link that no request waits for")
    func cancelledMeanwhile() {
        var link = PeerLink<String>()
        _ = link.add("a", reconnects: false, isDelayed: false)
        _ = link.cancel("a")
        #expect(link.connected(self.first, isCentral: true) == [.disconnect(self.first)])
        #expect(link.id == nil)
        #expect(link.add("b", reconnects: false, isDelayed: false) == [])
        #expect(link.disconnected(.localHostTerminated) == [])
        #expect(link.connectIfWanted() == [.connect])
    }

    @Test("ends the link with its last connection, and reports that end when the link is gone")
    func cancelShared() {
        var link = self.connected("a", "b")
        #expect(link.cancel("a") == [.end("a", nil)])
        #expect(link.cancel("b") == [.leave("b"), .disconnect(self.first)])
        #expect(link.phase(of: "b") == .leaving)
        #expect(link.cancel("b") == [])
        #expect(link.disconnected(.localHostTerminated) == [.end("b", nil)])
        #expect(link.isUnused)
    }

    @Test("keeps a link that the peer opened")
    func peersLink() {
        var link = PeerLink<String>()
        _ = link.add("a", reconnects: false, isDelayed: false)
        #expect(link.connected(self.first, isCentral: false) == [.stopConnecting, .establish("a", self.first)])
        #expect(link.cancel("a") == [.end("a", nil)])
        #expect(link.id == self.first)
        #expect(!link.isUnused)
    }

    @Test("ignores a second link with the peer until the first has ended")
    func secondLink() {
        var link = self.connected("a")
        #expect(link.connected(self.second, isCentral: false) == nil)
        #expect(link.disconnected(.connectionTimeout) == [.end("a", .connectionTimeout)])
        #expect(link.connected(self.second, isCentral: false) == [])
        #expect(link.id == self.second)
    }

    @Test("ends the connections of a lost link, or lets them wait again")
    func lost() {
        var link = self.connected("a", reconnects: true)
        _ = link.add("b", reconnects: false, isDelayed: false)
        #expect(
            link.disconnected(.connectionTimeout) == [
                .reconnect("a", .connectionTimeout), .end("b", .connectionTimeout),
            ]
        )
        #expect(link.phase(of: "a") == .pending)
        #expect(link.connectIfWanted() == [.connect])
        #expect(link.connectIfWanted() == [])
    }

    @Test("connects again only after a cancelled link has ended")
    func flicker() {
        var link = self.connected("a")
        _ = link.cancel("a")
        #expect(link.add("b", reconnects: false, isDelayed: false) == [])
        #expect(link.disconnected(.localHostTerminated) == [.end("a", nil)])
        #expect(link.connectIfWanted() == [.connect])
        #expect(link.connected(self.second, isCentral: true) == [.establish("b", self.second)])
    }

    @Test("fails the requests that wait for a failed attempt, and no others")
    func failure() {
        var link = PeerLink<String>()
        _ = link.add("a", reconnects: true, isDelayed: false)
        _ = link.add("b", reconnects: false, isDelayed: true)
        #expect(link.connectingFailed(.connectionTimeout) == [.fail("a", .connectionTimeout)])
        #expect(link.connectingFailed(.connectionTimeout) == [] && link.phase(of: "b") == .delayed)
        var connected = self.connected("a")
        #expect(connected.connectingFailed(.connectionTimeout) == [] && connected.id == self.first)
        _ = connected.cancel("a")
        _ = connected.add("b", reconnects: false, isDelayed: false)
        #expect(connected.connectingFailed(.connectionTimeout) == [] && connected.phase(of: "b") == .pending)
    }
}
