import BluetoothHCI
import BluetoothTransport
import Fixtures
import Foundation
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import BluetoothAirService

@Suite("The user's own air", .timeLimit(.minutes(3)))
struct UserAirTests {
    /// Whether each host hears what each other one says.
    func expectTalk(_ hosts: [TestHost], _ round: UInt8, sourceLocation: SourceLocation = #_sourceLocation) async throws
    {
        // A connection is made before the server has a controller for it; an answer shows that there is one.
        for host in hosts { try await host.send([0x01, round, 0xF0, 0x00]) }
        for host in hosts {
            #expect(await host.seen.wait { $0.contains([0x04, 0x0E, 0x04, 0x01, round, 0xF0, 0x01]) })
        }
        for (number, host) in hosts.enumerated() { try await host.say([round, UInt8(number)]) }
        for (listener, host) in hosts.enumerated() {
            for speaker in hosts.indices where speaker != listener {
                #expect(
                    await host.hears([round, UInt8(speaker)]),
                    "\(listener) did not hear \(speaker)",
                    sourceLocation: sourceLocation
                )
            }
        }
    }

    func servers(_ hosts: [TestHost]) async throws -> [Int] {
        var serving: [Int] = []
        for (number, host) in hosts.enumerated() where try await host.isServing() { serving.append(number) }
        return serving
    }

    @Test(
        "The status shows whether the air is served and by which process; it can be served without a controller of its own"
    )
    func status() async throws {
        let folder = try TemporaryFolder()
        let before = try UserAirStatus(folder: folder.path)
        #expect(!before.isServed && before.server == nil && !before.isSuspended)
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let logger = LogLines().logger
        let path = folder.path
        func serve() async throws -> NIOLoopBound<UserAir> {
            let air = try await loop.run {
                NIOLoopBound(
                    UserAir(eventLoop: loop, configuration: .init(folder: path), logger: logger),
                    eventLoop: loop
                )
            }
            _ = try await loop.started { air.value.serve() }
            return air
        }
        let air = try await serve()
        let status = try UserAirStatus(folder: folder.path)
        #expect(status.isServed)
        #expect(status.server?.number == Int(ProcessInfo.processInfo.processIdentifier))
        #expect(!status.isSuspended)
        let host = try await TestHost.userAir(in: folder.path)
        #expect(try await self.servers([host]).isEmpty)
        let error = try await #require(throws: TransportError.self) { _ = try await serve() }
        #expect(error.code == .inUse)
        #expect(error.message.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
        try await host.leave()
        try await loop.run { air.value.close() }
        #expect(try UserAirStatus(folder: folder.path).isServed == false)
        #expect(folder.content == ["air.lock"])
    }

    @Test("The first serves, the second joins, and they hear each other")
    func two() async throws {
        let folder = try TemporaryFolder()
        let first = try await TestHost.userAir(in: folder.path)
        let second = try await TestHost.userAir(in: folder.path)
        #expect(try await self.servers([first, second]) == [0])
        try await self.expectTalk([first, second], 1)
        try await second.leave()
        #expect(folder.content == ["air", "air.lock"])
        try await first.leave()
        #expect(folder.content == ["air.lock"])
    }

    @Test("Of many that come at once one serves, and all hear each other", arguments: 0..<5)
    func many(run: Int) async throws {
        let folder = try TemporaryFolder()
        let loops = (0..<4).map { _ in MultiThreadedEventLoopGroup(numberOfThreads: 1).next() }
        var hosts: [TestHost] = []
        for number in 0..<12 {
            hosts.append(try await TestHost.userAir(in: folder.path, loop: loops[number % 4], waits: false))
        }
        for host in hosts { #expect(await host.opened.wait { $0 == 1 }) }
        #expect(try await self.servers(hosts).count == 1)
        try await self.expectTalk(hosts, 1)
        for host in hosts { try await host.leave() }
        // One may have been about to serve when it left.
        try await eventually { folder.content == ["air.lock"] }
        #expect(folder.content == ["air.lock"])
    }

    @Test("When the server leaves, one of the others serves and all come back")
    func election() async throws {
        let folder = try TemporaryFolder()
        var hosts: [TestHost] = []
        for _ in 0..<6 { hosts.append(try await TestHost.userAir(in: folder.path)) }
        for round in 1...5 {
            try await self.expectTalk(hosts, UInt8(round))
            let serving = try await self.servers(hosts)
            #expect(serving.count == 1)
            let leaver = hosts.remove(at: try #require(serving.first))
            try await leaver.leave()
            for host in hosts {
                #expect(await host.closed.wait { $0 == round })
                #expect(await host.opened.wait { $0 == round + 1 })
            }
        }
        #expect(hosts.count == 1)
        #expect(try await self.servers(hosts) == [0])
        for host in hosts { #expect(host.failures.value.isEmpty) }
    }

    @Test("What a killed server leaves behind is taken over at once")
    func stale() async throws {
        let folder = try TemporaryFolder()
        // A socket without a listener, and a lock that the system has released.
        try "4711\n".write(toFile: folder("air.lock"), atomically: false, encoding: .utf8)
        do {
            let other = try TemporaryFolder()
            let dead = try await TestHost.userAir(in: other.path)
            #expect(rename(other("air"), folder("air")) == 0)
            try await dead.leave()
        }
        #expect(folder.content == ["air", "air.lock"])
        let first = try await TestHost.userAir(in: folder.path)
        #expect(try await first.isServing())
        let second = try await TestHost.userAir(in: folder.path)
        try await self.expectTalk([first, second], 1)
        try await first.leave()
        try await second.leave()
    }

    @Test("A server whose lock file was removed under it stays the server")
    func lockRemoved() async throws {
        let folder = try TemporaryFolder()
        let first = try await TestHost.userAir(in: folder.path)
        #expect(unlink(folder("air.lock")) == 0)
        let second = try await TestHost.userAir(in: folder.path)
        #expect(try await self.servers([first, second]) == [0])
        try await self.expectTalk([first, second], 1)
        try await first.leave()
        #expect(await second.opened.wait { $0 == 2 })
        #expect(try await second.isServing())
        try await second.leave()
    }

    @Test("Several adapters of one process join through one part in the air")
    func severalJoins() async throws {
        let folder = try TemporaryFolder()
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let logger = LogLines().logger
        let air = try await loop.run {
            let air = UserAir(eventLoop: loop, configuration: .init(folder: folder.path), logger: logger) {
                let air = FakeAir(eventLoop: loop)
                return { air.makeController() }
            }
            return NIOLoopBound(air, eventLoop: loop)
        }
        async let one = TestHost.channel(loop) { air.value.join() }
        async let two = TestHost.channel(loop) { air.value.join() }
        let hosts = try await [one, two]
        try await self.expectTalk(hosts, 1)
        try await loop.run { air.value.close() }
        #expect(folder.content == ["air.lock"])
        let late = await #expect(throws: TransportError.self) { try await loop.started { air.value.join() } }
        #expect(late?.code == .closed)
    }

    @Test("A server that has the lock and does not listen is named in the error after the timeout")
    func silent() async throws {
        let folder = try TemporaryFolder()
        let lock = try #require(try FileLock.take(folder("air.lock")))
        lock.writeProcessNumber()
        let host = try await TestHost.userAir(in: folder.path, timeout: .milliseconds(150), waits: false)
        #expect(await host.failures.wait { !$0.isEmpty })
        #expect(
            host.failures.value == [
                "the air at \(folder("air")) does not answer: end process \(getpid()) and try again"
            ]
        )
        withExtendedLifetime(lock) {}
    }

    @Test("A folder that cannot be used fails with one line")
    func badPlaces() async throws {
        let folder = try TemporaryFolder()
        let long = folder(String(repeating: "x", count: 120))
        mkdir(long, 0o700)
        let host = try await TestHost.userAir(in: long, waits: false)
        #expect(await host.failures.wait { $0.first?.contains("set XDG_RUNTIME_DIR to a shorter folder") == true })
        let missing = try await TestHost.userAir(in: folder("no"), waits: false)
        #expect(await missing.failures.wait { $0.first?.contains("No such file or directory") == true })
        close(creat(folder("air"), 0o600))
        let blocked = try await TestHost.userAir(in: folder.path, waits: false)
        #expect(await blocked.failures.wait { $0.first?.contains("is not a socket") == true })
    }
}

/// The attempts to join on an embedded loop, which opens no sockets: every connection is refused.
@Suite("Joining the user's own air in virtual time")
struct UserAirTimeTests {
    private let folder: TemporaryFolder
    private let loop = EmbeddedEventLoop()
    private let log = LogLines()

    init() throws { self.folder = try TemporaryFolder() }

    private func air(in folder: String? = nil, timeout: TimeAmount? = nil) -> UserAir {
        var configuration = UserAir.Configuration(folder: folder ?? self.folder.path)
        if let timeout { configuration.timeout = timeout }
        return UserAir(eventLoop: self.loop, configuration: configuration, logger: self.log.logger)
    }

    /// How a join ends, or how it has not ended.
    private final class Outcome {
        var error: TransportError?
        init(_ join: EventLoopFuture<any HCIChannel>) {
            join.assumeIsolated().whenFailure { self.error = $0 as? TransportError }
        }
    }

    private var attempts: Int { self.log.lines.value.count { $0.hasPrefix("not connected to the user's air yet") } }

    @Test("The delay between two attempts begins with 2 ms and doubles up to 100 ms; after 5 s the join ends")
    func delays() throws {
        let lock = try #require(try FileLock.take(self.folder("air.lock")))
        let outcome = Outcome(self.air().join())
        self.loop.run()
        var now = 0
        // A delay is at least half as long as it may be, so that after each of these times the number is certain.
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
        let message = "the air at \(self.folder("air")) does not answer: end the process that serves it and try again"
        #expect(outcome.error?.message == message)
        let last = self.attempts
        self.loop.advanceTime(by: .seconds(10))
        #expect(self.attempts == last)
        withExtendedLifetime(lock) {}
    }

    @Test("A join ends when its air is closed, and every later one fails at once")
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

    @Test("A server that cannot listen returns the lock, and the next one may try")
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

    @Test("A process that serves is named to one that wants to, where the lock names it")
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

    @Test("The socket's path has 107 octets at most", arguments: [(107, true), (108, false)])
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

    @Test("Limits and times where none are given")
    func defaults() {
        let configuration = UserAir.Configuration()
        #expect(configuration.timeout == .seconds(5) && configuration.suspensionLimit == .seconds(15))
        #expect(configuration.folder == nil && configuration.settings == .instant)
        #expect(configuration.limits == H4Server.Limits(connections: 256, refusals: 64, unsentOctets: 2 << 20))
        #expect(H4Channel.defaultUnsentLimit == 2 << 20)
    }
}
