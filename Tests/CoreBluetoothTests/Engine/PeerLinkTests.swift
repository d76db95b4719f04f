import BluetoothHCI
import BluetoothHost
import Testbed
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

    @Test("the first request connects, and all that wait get the link")
    func connect() {
        var link = PeerLink<String>()
        #expect(link.add("a", reconnects: false, isDelayed: false) == [.connect])
        #expect(link.add("b", reconnects: false, isDelayed: false) == [])
        #expect(link.phase(of: "a") == .pending)
        #expect(link.connected(self.first, isCentral: true) == [.establish("a"), .establish("b")])
        #expect(link.id == self.first)
        #expect(link.add("c", reconnects: false, isDelayed: false) == [.establish("c")])
        #expect(link.established == ["a", "b", "c"])
    }

    @Test("a delayed request waits for its delay alone")
    func delay() {
        var link = PeerLink<String>()
        #expect(link.add("a", reconnects: false, isDelayed: true) == [])
        #expect(link.startDelayElapsed("a") == [.connect])
        #expect(link.startDelayElapsed("a") == [])
        #expect(link.add("b", reconnects: false, isDelayed: true) == [])
        #expect(link.cancel("b") == [.end("b", nil)])
        #expect(link.startDelayElapsed("b") == [])
        // One that waits is no user of the link.
        #expect(link.connected(self.first, isCentral: true) == [.establish("a")])
        #expect(link.startDelayElapsed("a") == [])
        #expect(link.add("c", reconnects: false, isDelayed: true) == [])
        #expect(link.cancel("a") == [.leave("a"), .disconnect(self.first)])
    }

    @Test("the last one that waits withdraws the request")
    func cancelPending() {
        var link = PeerLink<String>()
        _ = link.add("a", reconnects: false, isDelayed: false)
        _ = link.add("b", reconnects: false, isDelayed: false)
        #expect(link.cancel("a") == [.end("a", nil)])
        #expect(link.cancel("a") == [])
        #expect(link.cancel("b") == [.end("b", nil), .cancelConnecting])
        #expect(link.isUnused)
    }

    @Test("a link that is made although nobody waits any more is ended")
    func cancelledMeanwhile() {
        var link = PeerLink<String>()
        _ = link.add("a", reconnects: false, isDelayed: false)
        _ = link.cancel("a")
        #expect(link.connected(self.first, isCentral: true) == [.disconnect(self.first)])
        #expect(link.id == nil)
        // A request that comes now waits until that link is gone.
        #expect(link.add("b", reconnects: false, isDelayed: false) == [])
        #expect(link.disconnected(.localHostTerminated) == [])
        #expect(link.connectIfWanted() == [.connect])
    }

    @Test("the link ends with the last connection that has it, which is notified when it has ended")
    func cancelShared() {
        var link = self.connected("a", "b")
        #expect(link.cancel("a") == [.end("a", nil)])
        #expect(link.cancel("b") == [.leave("b"), .disconnect(self.first)])
        #expect(link.phase(of: "b") == .leaving)
        #expect(link.cancel("b") == [])
        #expect(link.disconnected(.localHostTerminated) == [.end("b", nil)])
        #expect(link.isUnused)
    }

    @Test("a link that the peer opened stays")
    func peersLink() {
        var link = PeerLink<String>()
        _ = link.add("a", reconnects: false, isDelayed: false)
        #expect(link.connected(self.first, isCentral: false) == [.cancelConnecting, .establish("a")])
        #expect(link.cancel("a") == [.end("a", nil)])
        #expect(link.id == self.first)
        #expect(!link.isUnused)
    }

    @Test("a second link with the peer is left alone until the first one has ended")
    func secondLink() {
        var link = self.connected("a")
        #expect(link.connected(self.second, isCentral: false) == nil)
        #expect(link.disconnected(.connectionTimeout) == [.end("a", .connectionTimeout)])
        #expect(link.connected(self.second, isCentral: false) == [])
        #expect(link.id == self.second)
    }

    @Test("a lost link ends its connections, or makes them wait again")
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

    @Test("cancel and connect at once waits for the end of the link")
    func flicker() {
        var link = self.connected("a")
        _ = link.cancel("a")
        #expect(link.add("b", reconnects: false, isDelayed: false) == [])
        #expect(link.disconnected(.localHostTerminated) == [.end("a", nil)])
        #expect(link.connectIfWanted() == [.connect])
        #expect(link.connected(self.second, isCentral: true) == [.establish("b")])
    }

    @Test("a failure ends all that wait, and only while it is waited")
    func failure() {
        var link = PeerLink<String>()
        _ = link.add("a", reconnects: true, isDelayed: false)
        _ = link.add("b", reconnects: false, isDelayed: true)
        #expect(link.connectingFailed(.connectionTimeout) == [.fail("a", .connectionTimeout)])
        #expect(link.connectingFailed(.connectionTimeout) == [])
        #expect(!link.isUnused)
        _ = link.cancel("b")
        #expect(link.isUnused)
    }

    @Test("a failure concerns no link that is there, and nobody who waits for its end")
    func failureWithoutAttempt() {
        var connected = self.connected("a")
        #expect(connected.connectingFailed(.connectionTimeout) == [])
        #expect(connected.id == self.first)
        _ = connected.cancel("a")
        #expect(connected.add("b", reconnects: false, isDelayed: false) == [])
        #expect(connected.connectingFailed(.connectionTimeout) == [])
        #expect(connected.phase(of: "b") == .pending)
        #expect(connected.disconnected(.localHostTerminated) == [.end("a", nil)])
        #expect(connected.connectIfWanted() == [.connect])
    }
}
