// An embedded loop opens no sockets, so every connection is refused.

import BluetoothHCI
import BluetoothTransport
import Fixtures
import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAirService

@Suite("Joining the user's own air in virtual time")
struct UserAirTests {
    private let folder: TemporaryFolder
    private let loop = EmbeddedEventLoop()
    private let log = LogLines()

    init() throws { self.folder = try TemporaryFolder() }

    private func air(in folder: String? = nil, timeout: TimeAmount? = nil) -> UserAir {
        var configuration = UserAir.Configuration(folder: folder ?? self.folder.path)
        if let timeout { configuration.timeout = timeout }
        return UserAir(eventLoop: self.loop, configuration: configuration, logger: self.log.logger)
    }

    /// The result of a join; `nil` while it is pending.
    private final class Outcome {
        var error: TransportError?
        init(_ join: EventLoopFuture<any HCIChannel>) {
            join.assumeIsolated().whenFailure { self.error = $0 as? TransportError }
        }
    }

    private var attempts: Int { self.log.lines.value.count { $0.hasPrefix("not connected to the user's air yet") } }

    @Test("the delay between two attempts begins with 2 ms and doubles up to 100 ms; after 5 s the join ends")
    func delays() throws {
        let lock = try #require(try FileLock.take(self.folder("air.lock")))
        lock.writeProcessNumber()
        let outcome = Outcome(self.air().join())
        self.loop.run()
        var now = 0
        // A delay is at least half of its maximum, so the number after each of these times is certain.
        for (microseconds, count) in [
            (999, 1), (2_000, 2), (2_999, 2), (6_000, 3), (6_999, 3), (14_000, 4), (14_999, 4), (30_000, 5),
            (30_999, 5),
            (62_000, 6), (62_999, 6),
        ] {
            self.loop.advanceTime(by: .microseconds(Int64(microseconds - now)))
            now = microseconds
            #expect(self.attempts == count, "\(microseconds) µs")
        }
        self.loop.advanceTime(by: .microseconds(Int64(4_899_999 - now)))
        #expect(outcome.error == nil)
        #expect((54...106).contains(self.attempts))
        self.loop.advanceTime(by: .milliseconds(101))
        #expect(outcome.error?.code == .timedOut)
        let message = "the air at \(self.folder("air")) does not answer: end process \(getpid()) and try again"
        #expect(outcome.error?.message == message)
        let last = self.attempts
        self.loop.advanceTime(by: .seconds(10))
        #expect(self.attempts == last)
        withExtendedLifetime(lock) {}
    }

    @Test("a join ends when its air is closed, and every later one fails at once")
    func closed() throws {
        let lock = try #require(try FileLock.take(self.folder("air.lock")))
        let air = self.air()
        let outcome = Outcome(air.join())
        self.loop.advanceTime(by: .milliseconds(20))
        #expect(outcome.error == nil && air.server == nil)
        air.close()
        self.loop.advanceTime(by: .milliseconds(100))
        #expect(outcome.error == TransportError(.closed, "the process has left the user's air"))
        #expect(Outcome(air.join()).error?.code == .closed)
        withExtendedLifetime(lock) {}
    }

    @Test("a server that cannot listen returns the lock to the next one")
    func cannotListen() throws {
        let air = self.air()
        for _ in 0..<2 {
            let outcome = Outcome(air.join())
            self.loop.run()
            #expect(outcome.error?.code == .unsupported)
            #expect(self.attempts == 0 && air.server == nil)
        }
        #expect(FileLock.processNumber(in: self.folder("air.lock")) == Int(getpid()))
        #expect(try FileLock.take(self.folder("air.lock")) != nil)
    }

    @Test("names the process that serves already, if the lock names it")
    func taken() throws {
        let lock = try #require(try FileLock.take(self.folder("air.lock")))
        func message() -> String? {
            var error: TransportError?
            self.air().serve().assumeIsolated().whenFailure { error = $0 as? TransportError }
            return error?.message
        }
        let rest = "serves your own air already: end it, or serve another air with --listen"
        #expect(message() == "another process \(rest)")
        lock.writeProcessNumber()
        #expect(message()?.hasSuffix("(process \(getpid())) \(rest)") == true)
        withExtendedLifetime(lock) {}
    }

    @Test("the socket's path has 107 octets at most", arguments: [(107, true), (108, false)])
    func longestPath(octetCount: Int, isRight: Bool) throws {
        let place = self.folder(String(repeating: "x", count: octetCount - 5 - self.folder.path.utf8.count))
        #expect("\(place)/air".utf8.count == octetCount)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for isJoining in [true, false] {
            let air = self.air(in: place)
            var error: TransportError?
            if isJoining {
                error = Outcome(air.join()).error
            } else {
                air.serve().assumeIsolated().whenFailure { error = $0 as? TransportError }
            }
            #expect(error?.code == (isRight ? .unsupported : .badName))
            let message =
                "the socket path \(place)/air has 108 octets, at most 107 are possible: "
                + "set XDG_RUNTIME_DIR to a shorter folder"
            if !isRight { #expect(error?.message == message) }
        }
    }
}
