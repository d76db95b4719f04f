import BluetoothHCI
import BluetoothTransport
import Fixtures
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothAirService

@Suite("The user's own air")
struct UserAirSystemTests {
    /// Whether each host hears what each other one says.
    func expectTalk(
        _ hosts: [AirServiceHost],
        _ round: UInt8,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
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

    func servers(_ hosts: [AirServiceHost]) async throws -> [Int] {
        var serving: [Int] = []
        for (number, host) in hosts.enumerated() where try await host.isServing() { serving.append(number) }
        return serving
    }

    @Test(
        "the status shows whether the air is served and by which process; it can be served without a controller of its own"
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
        let host = try await AirServiceHost.userAir(in: folder.path)
        #expect(try await self.servers([host]).isEmpty)
        let error = try await #require(throws: TransportError.self) { _ = try await serve() }
        #expect(error.code == .inUse)
        #expect(error.message.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
        try await host.leave()
        try await loop.run { air.value.close() }
        #expect(try UserAirStatus(folder: folder.path).isServed == false)
        #expect(folder.content == ["air.lock"])
    }

    @Test("of many that come at once one serves, and all hear each other", arguments: 0..<5)
    func many(run: Int) async throws {
        let folder = try TemporaryFolder()
        let loops = (0..<4).map { _ in MultiThreadedEventLoopGroup(numberOfThreads: 1).next() }
        var hosts: [AirServiceHost] = []
        for number in 0..<12 {
            hosts.append(try await AirServiceHost.userAir(in: folder.path, loop: loops[number % 4], waits: false))
        }
        for host in hosts { #expect(await host.opened.wait { $0 == 1 }) }
        #expect(try await self.servers(hosts).count == 1)
        try await self.expectTalk(hosts, 1)
        for host in hosts { try await host.leave() }
        // One may have been about to serve when it left.
        try await eventually { folder.content == ["air.lock"] }
        #expect(folder.content == ["air.lock"])
    }

    @Test("when the server leaves, one of the others serves and all come back")
    func election() async throws {
        let folder = try TemporaryFolder()
        var hosts: [AirServiceHost] = []
        for _ in 0..<6 { hosts.append(try await AirServiceHost.userAir(in: folder.path)) }
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

    @Test("takes over the files of a killed server at once")
    func stale() async throws {
        let folder = try TemporaryFolder()
        // A socket without a listener, and a lock that the system has released.
        try "4711\n".write(toFile: folder("air.lock"), atomically: false, encoding: .utf8)
        do {
            let other = try TemporaryFolder()
            let dead = try await AirServiceHost.userAir(in: other.path)
            #expect(rename(other("air"), folder("air")) == 0)
            try await dead.leave()
        }
        #expect(folder.content == ["air", "air.lock"])
        let first = try await AirServiceHost.userAir(in: folder.path)
        #expect(try await first.isServing())
        let second = try await AirServiceHost.userAir(in: folder.path)
        try await self.expectTalk([first, second], 1)
        try await first.leave()
        try await second.leave()
    }

    @Test("a server whose lock file was removed under it stays the server")
    func lockRemoved() async throws {
        let folder = try TemporaryFolder()
        let first = try await AirServiceHost.userAir(in: folder.path)
        #expect(unlink(folder("air.lock")) == 0)
        let second = try await AirServiceHost.userAir(in: folder.path)
        #expect(try await self.servers([first, second]) == [0])
        try await self.expectTalk([first, second], 1)
        try await first.leave()
        #expect(await second.opened.wait { $0 == 2 })
        #expect(try await second.isServing())
        try await second.leave()
    }

    @Test("several adapters of one process join through one part in the air")
    func severalJoins() async throws {
        let folder = try TemporaryFolder()
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let logger = LogLines().logger
        let air = try await loop.run {
            let air = UserAir(eventLoop: loop, configuration: .init(folder: folder.path), logger: logger) {
                let air = ServedFakeAir(eventLoop: loop)
                return { air.makeController() }
            }
            return NIOLoopBound(air, eventLoop: loop)
        }
        async let one = AirServiceHost.channel(loop) { air.value.join() }
        async let two = AirServiceHost.channel(loop) { air.value.join() }
        let hosts = try await [one, two]
        try await self.expectTalk(hosts, 1)
        try await loop.run { air.value.close() }
        #expect(folder.content == ["air.lock"])
        let late = await #expect(throws: TransportError.self) { try await loop.started { air.value.join() } }
        #expect(late?.code == .closed)
    }

    @Test("a folder that cannot be used fails with one line")
    func badPlaces() async throws {
        let folder = try TemporaryFolder()
        let missing = try await AirServiceHost.userAir(in: folder("no"), waits: false)
        #expect(await missing.failures.wait { $0.first?.contains("No such file or directory") == true })
        close(creat(folder("air"), 0o600))
        let blocked = try await AirServiceHost.userAir(in: folder.path, waits: false)
        #expect(await blocked.failures.wait { $0.first?.contains("is not a socket") == true })
    }
}
