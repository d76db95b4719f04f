import BluetoothTransport
import Fixtures
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothAirService

@Suite("The user's own air", .timeLimit(.minutes(3)))
struct UserAirTests {
    /// Whether each member hears what each other one says.
    func expectTalk(_ members: [Member], _ round: UInt8, sourceLocation: SourceLocation = #_sourceLocation) async throws
    {
        // A connection stands before the server has made a controller for it; an answer shows that there is one.
        for member in members { try await member.send([0x01, round, 0xF0, 0x00]) }
        for member in members {
            #expect(await member.seen.wait { $0.contains([0x04, 0x0E, 0x04, 0x01, round, 0xF0, 0x01]) })
        }
        for (number, member) in members.enumerated() { try await member.say([round, UInt8(number)]) }
        for (listener, member) in members.enumerated() {
            for speaker in members.indices where speaker != listener {
                #expect(
                    await member.hears([round, UInt8(speaker)]),
                    "\(listener) did not hear \(speaker)",
                    sourceLocation: sourceLocation
                )
            }
        }
    }

    func servers(_ members: [Member]) async throws -> [Int] {
        var serving: [Int] = []
        for (number, member) in members.enumerated() where try await member.isServing() { serving.append(number) }
        return serving
    }

    @Test(
        "Who looks sees whether the air is served and by whom; an air can be served without a controller of one's own"
    )
    func status() async throws {
        let folder = try TemporaryFolder()
        #expect(try UserAirStatus(folder: folder.path).isServed == false)
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
        let member = try await Member.userAir(in: folder.path)
        #expect(try await self.servers([member]).isEmpty)
        let error = try await #require(throws: TransportError.self) { _ = try await serve() }
        #expect(error.code == .inUse)
        #expect(error.message.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
        try await member.leave()
        try await loop.run { air.value.close() }
        #expect(try UserAirStatus(folder: folder.path).isServed == false)
        #expect(folder.content == ["air.lock"])
    }

    @Test("The first serves, the second joins, and they hear each other")
    func two() async throws {
        let folder = try TemporaryFolder()
        let first = try await Member.userAir(in: folder.path)
        let second = try await Member.userAir(in: folder.path)
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
        var members: [Member] = []
        for number in 0..<12 {
            members.append(try await Member.userAir(in: folder.path, loop: loops[number % 4], waits: false))
        }
        for member in members { #expect(await member.opened.wait { $0 == 1 }) }
        #expect(try await self.servers(members).count == 1)
        try await self.expectTalk(members, 1)
        for member in members { try await member.leave() }
        // One may have been about to serve when it left.
        try await eventually { folder.content == ["air.lock"] }
        #expect(folder.content == ["air.lock"])
    }

    @Test("When the server leaves, one of the others serves and all come back")
    func election() async throws {
        let folder = try TemporaryFolder()
        var members: [Member] = []
        for _ in 0..<6 { members.append(try await Member.userAir(in: folder.path)) }
        for round in 1...5 {
            try await self.expectTalk(members, UInt8(round))
            let serving = try await self.servers(members)
            #expect(serving.count == 1)
            let leaver = members.remove(at: try #require(serving.first))
            try await leaver.leave()
            for member in members {
                #expect(await member.closed.wait { $0 == round })
                #expect(await member.opened.wait { $0 == round + 1 })
            }
        }
        #expect(members.count == 1)
        #expect(try await self.servers(members) == [0])
        for member in members { #expect(member.failures.value.isEmpty) }
    }

    @Test("What a killed server leaves behind is taken over at once")
    func stale() async throws {
        let folder = try TemporaryFolder()
        // A socket at which nobody listens any more, and a lock that the system has taken back.
        try "4711\n".write(toFile: folder("air.lock"), atomically: false, encoding: .utf8)
        do {
            let other = try TemporaryFolder()
            let dead = try await Member.userAir(in: other.path)
            #expect(rename(other("air"), folder("air")) == 0)
            try await dead.leave()
        }
        #expect(folder.content == ["air", "air.lock"])
        let first = try await Member.userAir(in: folder.path)
        #expect(try await first.isServing())
        let second = try await Member.userAir(in: folder.path)
        try await self.expectTalk([first, second], 1)
        try await first.leave()
        try await second.leave()
    }

    @Test("A server whose lock file was removed under it stays the server")
    func lockRemoved() async throws {
        let folder = try TemporaryFolder()
        let first = try await Member.userAir(in: folder.path)
        #expect(unlink(folder("air.lock")) == 0)
        let second = try await Member.userAir(in: folder.path)
        #expect(try await self.servers([first, second]) == [0])
        try await self.expectTalk([first, second], 1)
        try await first.leave()
        #expect(await second.opened.wait { $0 == 2 })
        #expect(try await second.isServing())
        try await second.leave()
    }

    @Test("Several adapters of one process share its membership")
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
        async let one = Member.channel(loop) { air.value.join() }
        async let two = Member.channel(loop) { air.value.join() }
        let members = try await [one, two]
        try await self.expectTalk(members, 1)
        try await loop.run { air.value.close() }
        #expect(folder.content == ["air.lock"])
        let late = await #expect(throws: TransportError.self) { try await loop.started { air.value.join() } }
        #expect(late?.code == .closed)
    }

    @Test("A server that has the lock and does not listen is named after a while")
    func silent() async throws {
        let folder = try TemporaryFolder()
        let lock = try #require(try FileLock.take(folder("air.lock")))
        lock.writeProcessNumber()
        let member = try await Member.userAir(in: folder.path, timeout: .milliseconds(150), waits: false)
        #expect(await member.failures.wait { !$0.isEmpty })
        #expect(
            member.failures.value == [
                "the air at \(folder("air")) does not answer: end process \(getpid()) and try again"
            ]
        )
        withExtendedLifetime(lock) {}
    }

    @Test("A place that cannot be is told in one line")
    func badPlaces() async throws {
        let folder = try TemporaryFolder()
        let long = folder(String(repeating: "x", count: 120))
        mkdir(long, 0o700)
        let member = try await Member.userAir(in: long, waits: false)
        #expect(await member.failures.wait { $0.first?.contains("set XDG_RUNTIME_DIR to a shorter folder") == true })
        let missing = try await Member.userAir(in: folder("no"), waits: false)
        #expect(await missing.failures.wait { $0.first?.contains("No such file or directory") == true })
        close(creat(folder("air"), 0o600))
        let blocked = try await Member.userAir(in: folder.path, waits: false)
        #expect(await blocked.failures.wait { $0.first?.contains("is not a socket") == true })
    }
}
