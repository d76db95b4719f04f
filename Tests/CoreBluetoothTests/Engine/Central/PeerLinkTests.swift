import BluetoothHCI
import BluetoothHost
import Fixtures
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
        #expect(link.connected(self.first, isCentral: true) == [.establish("a"), .establish("b")])
        #expect(link.id == self.first)
        #expect(link.add("c", reconnects: false, isDelayed: false) == [.establish("c")])
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
        #expect(link.connected(self.first, isCentral: true) == [.establish("a")])
        #expect(link.startDelayElapsed("a") == [])
        #expect(link.add("c", reconnects: false, isDelayed: true) == [])
        #expect(link.cancel("a") == [.leave("a"), .disconnect(self.first)])
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

    @Test("ends a link that nobody waits for any more")
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
        #expect(link.connected(self.first, isCentral: false) == [.cancelConnecting, .establish("a")])
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

    @Test("connects anew only after a cancelled link has ended")
    func flicker() {
        var link = self.connected("a")
        _ = link.cancel("a")
        #expect(link.add("b", reconnects: false, isDelayed: false) == [])
        #expect(link.disconnected(.localHostTerminated) == [.end("a", nil)])
        #expect(link.connectIfWanted() == [.connect])
        #expect(link.connected(self.second, isCentral: true) == [.establish("b")])
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

@Suite("The link to a peer, random events")
struct PeerLinkSimulationTests {
    /// The host and the apps around one link.
    private struct World {
        var link = PeerLink<Int>()
        var isConnecting = false
        /// The links with the peer, and the one that the machine has been told of.
        var links: [LinkID] = []
        var current: LinkID?
        /// Connections that were asked for and have not ended.
        var alive: Set<Int> = []
        var established: Set<Int> = []

        mutating func perform(_ actions: [PeerLink<Int>.Action]) {
            for action in actions {
                switch action {
                case .connect:
                    #expect(!self.isConnecting && self.current == nil)
                    self.isConnecting = true
                case .cancelConnecting:
                    #expect(self.isConnecting)
                    self.isConnecting = false
                case .disconnect(let id): #expect(id == self.current)
                case .establish(let connection):
                    #expect(self.alive.contains(connection) && self.established.insert(connection).inserted)
                case .leave(let connection): #expect(self.established.remove(connection) != nil)
                case .reconnect(let connection, _): #expect(self.established.remove(connection) != nil)
                case .fail(let connection, _), .end(let connection, _):
                    // Each ends exactly once.
                    #expect(self.alive.remove(connection) != nil)
                    self.established.remove(connection)
                }
            }
        }

        mutating func open(_ id: LinkID, isCentral: Bool) {
            if isCentral { self.isConnecting = false }
            self.links.append(id)
            guard let actions = self.link.connected(id, isCentral: isCentral) else { return }
            self.current = id
            self.perform(actions)
        }

        /// Ends the link that the machine knows.
        mutating func close(_ reason: HCIErrorCode) {
            guard let current else { return }
            self.links.removeAll { $0 == current }
            self.current = nil
            self.perform(self.link.disconnected(reason))
            if let other = self.links.popLast() {
                self.open(other, isCentral: false)
            } else {
                self.perform(self.link.connectIfWanted())
            }
        }
    }

    @Test("ends each connection once, and leaves nothing when all have ended", arguments: simulationSeeds(20))
    func run(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var world = World()
        for step in 0..<500 {
            let connection = choices.below(5)
            switch choices.below(8) {
            case 0,
                1 where !world.alive.contains(connection):
                guard world.alive.insert(connection).inserted else { continue }
                world.perform(
                    world.link.add(connection, reconnects: choices.once(in: 3), isDelayed: choices.once(in: 4))
                )
            case 2: world.perform(world.link.startDelayElapsed(connection))
            case 3: world.perform(world.link.cancel(connection))
            case 4: if world.isConnecting { world.open(LinkID(rawValue: UInt32(step)), isCentral: true) }
            case 5:
                guard choices.once(in: 3), world.links.count < 2 else { continue }
                world.open(LinkID(rawValue: UInt32(step)), isCentral: false)
            case 6:
                guard world.isConnecting, choices.once(in: 3) else { continue }
                world.isConnecting = false
                world.perform(world.link.connectingFailed(.connectionTimeout))
            default: if choices.once(in: 2) { world.close(.connectionTimeout) }
            }
            #expect(Set(world.link.established) == world.established)
            #expect(world.established.isEmpty || world.link.id == world.current)
            #expect(Set(world.link.connections) == world.alive)
        }
        for connection in world.alive.sorted() { world.perform(world.link.cancel(connection)) }
        while world.current != nil { world.close(.localHostTerminated) }
        #expect(world.link.isUnused && world.alive.isEmpty && !world.isConnecting)
    }
}
