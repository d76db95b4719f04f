import Testing

@testable import CoreBluetooth

@Suite("A connection as its app sees it")
struct ObservedConnectionTests {
    /// A connection that is there, with its attempt.
    private func connected() throws -> (ObservedConnection, UInt32) {
        var connection = ObservedConnection()
        let begun = connection.connect()
        let attempt = try #require(begun)
        #expect(connection.connected(attempt) == .begins)
        return (connection, attempt)
    }

    @Test("connects, and disconnects when the end of a cancelled connection is reported")
    func life() throws {
        var pending = ObservedConnection()
        #expect(pending.connect() != nil && pending.connect() == nil && pending.state == .connecting)
        var (connection, attempt) = try self.connected()
        #expect(connection.state == .connected && connection.isConnected(attempt))
        #expect(connection.cancel() == attempt && connection.cancel() == nil)
        #expect(connection.state == .disconnecting)
        connection.disconnected(attempt)
        #expect(connection.state == .disconnected && connection.cancel() == nil)
    }

    @Test("D5 ignores reports of an earlier attempt")
    func earlierAttempt() throws {
        var (connection, first) = try self.connected()
        _ = connection.cancel()
        let begun = connection.connect()
        let second = try #require(begun)
        #expect(second != first && connection.connected(first) == nil)
        connection.disconnected(first)
        #expect(connection.state == .connecting)
        #expect(connection.connected(second) == .begins)
        #expect(connection.isConnected(second) && !connection.isConnected(first) && connection.connected(first) == nil)
        connection.disconnected(first)
        #expect(connection.state == .connected)
    }

    @Test("reports a connection that is asked for again once more")
    func repeated() throws {
        var (connection, attempt) = try self.connected()
        #expect(connection.connect() == attempt)
        #expect(connection.connected(attempt) == .goesOn)
        connection.disconnected(attempt)
        #expect(connection.state == .disconnected)
    }

    @Test("A3 waits for a connection that is asked for while the loss of its link is not known")
    func linkLostUnnoticed() throws {
        var (connection, attempt) = try self.connected()
        #expect(connection.connect() == attempt)
        #expect(connection.connect() == attempt)
        connection.disconnected(attempt)
        #expect(connection.state == .connecting)
        #expect(connection.connected(attempt) == .begins)
        connection.disconnected(attempt)
        #expect(connection.state == .disconnected)
    }

    @Test("A3 can be cancelled while it waits for the next link")
    func linkLostAndCancelled() throws {
        var (connection, attempt) = try self.connected()
        _ = connection.connect()
        connection.disconnected(attempt)
        #expect(connection.cancel() == attempt)
        connection.disconnected(attempt)
        #expect(connection.state == .disconnected)
    }

    @Test("waits for a reconnection under the same attempt")
    func reconnecting() throws {
        var (connection, attempt) = try self.connected()
        connection.disconnected(attempt, isReconnecting: true)
        #expect(connection.state == .connecting)
        #expect(connection.connected(attempt) == .begins)
    }

    @Test("ends all attempts when the adapter stops")
    func invalidated() throws {
        for isConnected in [true, false] {
            var connection = ObservedConnection()
            let begun = connection.connect()
            let attempt = try #require(begun)
            if isConnected { _ = connection.connected(attempt) }
            connection.invalidate()
            #expect(connection.state == .disconnected && connection.connected(attempt) == nil)
            #expect(connection.state == .disconnected)
        }
    }

    @Test("continues a restored connection")
    func restored() {
        var connection = ObservedConnection()
        connection.restore(attempt: 7, isConnected: true)
        #expect(connection.isConnected(7))
        connection.restore(attempt: nil, isConnected: false)
        #expect(connection.attempt == 8)
        #expect(connection.state == .connecting)
    }
}
