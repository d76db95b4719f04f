import BluetoothAir
import BluetoothTransport
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothAirService

@Suite("Real controllers behind a socket")
struct ServedAirTests {
    /// Commands that make a controller advertise "ball" from a random static address, one after the other.
    static let advertising: [[UInt8]] = [
        [0x01, 0x03, 0x0C, 0x00],
        [0x01, 0x05, 0x20, 0x06, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0],
        // 100 ms, connectable and scannable, own address random, all channels.
        [0x01, 0x06, 0x20, 0x0F, 0xA0, 0x00, 0xA0, 0x00, 0x00, 0x01, 0x00, 0, 0, 0, 0, 0, 0, 0x07, 0x00],
        [0x01, 0x08, 0x20, 0x20, 0x06, 0x05, 0x09] + Array("ball".utf8) + [UInt8](repeating: 0, count: 25),
        [0x01, 0x0A, 0x20, 0x01, 0x01],
    ]
    /// Commands that make a controller scan passively all the time and report each device once.
    static let scanning: [[UInt8]] = [
        [0x01, 0x03, 0x0C, 0x00],
        [0x01, 0x01, 0x0C, 0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F],
        [0x01, 0x01, 0x20, 0x08, 0xFF, 0xFF, 0x0F, 0, 0, 0, 0, 0],
        [0x01, 0x0B, 0x20, 0x07, 0x00, 0x30, 0x00, 0x30, 0x00, 0x00, 0x00],
        [0x01, 0x0C, 0x20, 0x02, 0x01, 0x01],
    ]
    /// The advertising report of that device, without its strength.
    static let report: [UInt8] =
        [0x04, 0x3E, 0x12, 0x02, 0x01, 0x00, 0x01, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0, 0x06, 0x05, 0x09]
        + Array("ball".utf8)

    /// Whether an event says that a command succeeded, whatever number of further commands it allows.
    static func isSuccess(_ event: [UInt8], of command: [UInt8]) -> Bool {
        event.count == 7 && event[..<3] == [0x04, 0x0E, 0x04] && event[4...] == [command[1], command[2], 0x00]
    }

    /// Runs a list of commands, each of which must succeed.
    func run(_ commands: [[UInt8]], on host: RawSocket, sourceLocation: SourceLocation = #_sourceLocation) {
        for command in commands {
            let opcode = UInt16(command[1]) | UInt16(command[2]) << 8
            let answer = host.complete(opcode, Array(command[4...]))
            #expect(Self.isSuccess(answer, of: command), "\(answer)", sourceLocation: sourceLocation)
        }
    }

    @Test(
        "one raw host hears what another advertises, from the socket on",
        arguments: [AirSettings.instant, .realistic]
    )
    func rawHosts(settings: AirSettings) async throws {
        let folder = try TemporaryFolder()
        let path = folder("a")
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let logger = LogLines().logger
        let server = try await loop.started {
            AirServer.serve(Air(eventLoop: loop, settings: settings, seed: 7), at: .unix(path: path), logger: logger)
        }
        let ball = try RawSocket(unix: path)
        let asker = try RawSocket(unix: path)
        // Two controllers, two public addresses.
        #expect(ball.complete(0x1009) != asker.complete(0x1009))
        self.run(Self.advertising, on: ball)
        self.run(Self.scanning, on: asker)
        let report = asker.read(Self.report.count + 1)
        #expect(Array(report.dropLast()) == Self.report)
        // One metre away.
        #expect(report.last.map(Int8.init(bitPattern:)) == -45)
        // A controller that leaves is heard no more by one that comes later.
        ball.hangUp()
        #expect(ball.endsWithin20Seconds())
        try await eventually { try await loop.run { server.value.clients.count } == 1 }
        #expect(try await loop.run { server.value.clients.count } == 1)
        try await loop.run { server.value.close() }
        #expect(asker.endsWithin20Seconds())
    }

    @Test("a device on a served air stands as far away as its adapter says, also after the host's Reset")
    func distance() async throws {
        let folder = try TemporaryFolder()
        let path = folder("a")
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let logger = LogLines().logger
        let server = try await loop.started {
            AirServer.serve(Air(eventLoop: loop, seed: 7), at: .unix(path: path), logger: logger)
        }
        let hostLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let source = try await hostLoop.run {
            let source = ControllerSource(
                .air(.unix(path: path)),
                location: .distance(.metres(10)),
                on: hostLoop,
                logger: logger
            )
            return NIOLoopBound(source, eventLoop: hostLoop)
        }
        let far = try await AirServiceHost.channel(hostLoop) { source.value.open() }
        for command in Self.advertising {
            try await far.send(command)
            try #require(await far.seen.wait { $0.contains { Self.isSuccess($0, of: command) } })
        }
        #expect(far.seen.value.count == Self.advertising.count)
        let asker = try RawSocket(unix: path)
        self.run(Self.scanning, on: asker)
        #expect(asker.read(Self.report.count + 1).last.map(Int8.init(bitPattern:)) == -65)
        try await far.leave()
        try await loop.run { server.value.close() }
    }

    @Test("octets at random never disturb the other hosts")
    func garbage() async throws {
        let folder = try TemporaryFolder()
        let path = folder("a")
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let logger = LogLines().logger
        let server = try await loop.started {
            AirServer.serve(Air(eventLoop: loop), at: .unix(path: path), logger: logger)
        }
        let ball = try RawSocket(unix: path)
        self.run(Self.advertising, on: ball)
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<100 {
            let client = try RawSocket(unix: path)
            var octets = (0..<200).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            // Mostly commands and data that frame well and mean nothing.
            octets[0] = [0x01, 0x01, 0x02, 0x05, 0x00][Int.random(in: 0..<5, using: &generator)]
            client.send(octets)
            client.hangUp()
        }
        let asker = try RawSocket(unix: path)
        self.run(Self.scanning, on: asker)
        #expect(Array(asker.read(Self.report.count + 1).dropLast()) == Self.report)
        try await eventually { try await loop.run { server.value.clients.count } == 2 }
        #expect(try await loop.run { server.value.clients.count } == 2)
        try await loop.run { server.value.close() }
    }
}
