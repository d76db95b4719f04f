import Testbed
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

    @Test("a connection comes and goes")
    func life() throws {
        var (connection, attempt) = try self.connected()
        #expect(connection.state == .connected)
        #expect(connection.isConnected(attempt))
        #expect(connection.cancel() == attempt)
        #expect(connection.cancel() == nil)
        #expect(connection.state == .disconnecting)
        connection.disconnected(attempt)
        #expect(connection.state == .disconnected)
        #expect(connection.cancel() == nil)
    }

    @Test("a connection that is waited for is not asked for twice")
    func pending() {
        var connection = ObservedConnection()
        #expect(connection.connect() != nil)
        #expect(connection.connect() == nil)
        #expect(connection.state == .connecting)
    }

    /// A second attempt that is waited for, behind a cancelled one.
    private func secondAttempt() throws -> (ObservedConnection, first: UInt32, second: UInt32) {
        var (connection, first) = try self.connected()
        _ = connection.cancel()
        let begun = connection.connect()
        let second = try #require(begun)
        #expect(second != first)
        return (connection, first, second)
    }

    @Test("D5: a connection that is reported of an earlier attempt changes nothing")
    func earlierAttemptConnected() throws {
        var (connection, first, second) = try self.secondAttempt()
        #expect(connection.connected(first) == nil)
        #expect(connection.state == .connecting)
        #expect(connection.connected(second) == .begins)
        #expect(connection.isConnected(second) && !connection.isConnected(first))
        #expect(connection.connected(first) == nil)
    }

    @Test("D5: a disconnection that is reported of an earlier attempt changes nothing")
    func earlierAttemptDisconnected() throws {
        var (connection, first, second) = try self.secondAttempt()
        connection.disconnected(first)
        #expect(connection.state == .connecting)
        #expect(connection.connected(second) == .begins)
        connection.disconnected(first)
        #expect(connection.state == .connected)
    }

    @Test("a connection that is asked for once more is reported once more")
    func repeated() throws {
        var (connection, attempt) = try self.connected()
        #expect(connection.connect() == attempt)
        #expect(connection.connected(attempt) == .goesOn)
        connection.disconnected(attempt)
        #expect(connection.state == .disconnected)
    }

    @Test("A3 a connection that is asked for while its link is lost unnoticed is waited for")
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

    @Test("A3 it can be cancelled while it is waited for")
    func linkLostAndCancelled() throws {
        var (connection, attempt) = try self.connected()
        _ = connection.connect()
        connection.disconnected(attempt)
        #expect(connection.cancel() == attempt)
        connection.disconnected(attempt)
        #expect(connection.state == .disconnected)
    }

    @Test("a reconnection is waited for under the same attempt")
    func reconnecting() throws {
        var (connection, attempt) = try self.connected()
        connection.disconnected(attempt, isReconnecting: true)
        #expect(connection.state == .connecting)
        #expect(connection.connected(attempt) == .begins)
    }

    @Test("an adapter that stopped ends all attempts")
    func invalidated() throws {
        var (connection, attempt) = try self.connected()
        connection.invalidate()
        #expect(connection.state == .disconnected)
        #expect(connection.connected(attempt) == nil)
    }

    @Test("a restored connection goes on")
    func restored() {
        var connection = ObservedConnection()
        connection.restore(attempt: 7, isConnected: true)
        #expect(connection.isConnected(7))
        connection.restore(attempt: nil, isConnected: false)
        #expect(connection.attempt == 8)
        #expect(connection.state == .connecting)
    }

    @Test("what is reported of an attempt from before the adapter stopped changes nothing")
    func stopped() throws {
        var connection = ObservedConnection()
        let begun = connection.connect()
        let attempt = try #require(begun)
        connection.invalidate()
        #expect(connection.state == .disconnected)
        #expect(connection.connected(attempt) == nil)
        #expect(connection.state == .disconnected)
    }
}
