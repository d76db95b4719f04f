// A served air with hosts on real sockets: which events it reports, under which numbers, at several addresses; what it
// does with captures, and where it cannot listen.

import BluetoothAir
import BluetoothTransport
import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("An air that is served", .timeLimit(.minutes(2)))
struct AirServiceTests {
    private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

    /// LE Set Random Address: C0:00:00:00:00 and an octet.
    private static func setAddress(_ octet: UInt8) -> [UInt8] { [0x01, 0x05, 0x20, 0x06, octet, 0, 0, 0, 0, 0xC0] }

    private static func plan(_ addresses: [StreamAddress], captureFile: String? = nil) -> AirService.Plan {
        AirService.Plan(
            addresses: addresses,
            settings: .instant,
            seed: 1,
            captureFile: captureFile,
            hostLimit: 1
        )
    }

    private static func words(_ event: AirService.Event) -> String {
        switch event {
        case .listening(_, let isOwnAir): "listening\(isOwnAir ? " at its own place" : "")"
        case .joined(let number, let peer, let count):
            "\(number) joined, \(peer == H4Peer.process(Int(getpid())).description ? "known" : peer), \(count)"
        case .addressed(let number, let address): "\(number) is \(address)"
        case .left(let number, let reason, let count): "\(number) left\(reason.isEmpty ? ", no reason" : ""), \(count)"
        case .failed: "failed"
        }
    }

    /// Waits until what was begun on the air's loop is done.
    private static func turn(_ service: AirService) async {
        for _ in 0..<2 {
            let isTurning = Watched(false)
            service.whenTurning { isTurning.update { $0 = true } }
            await isTurning.wait(until: { $0 })
        }
    }

    /// Serves at two addresses, at each of which one host may be, and prints what is reported.
    private static func serve(_ folder: String) async throws {
        let events = Watched<[AirService.Event]>([])
        let (a, b) = (folder + "/a", folder + "/b")
        let service = AirService(Self.plan([.unix(path: a), .unix(path: b)])) { event in
            events.update { $0.append(event) }
        }
        await events.wait(until: { $0.count >= 2 })
        let first = try RawSocket(unix: a)
        await events.wait(until: { $0.count >= 3 })
        let second = try RawSocket(unix: b)
        await events.wait(until: { $0.count >= 4 })
        // One that is refused has no number.
        let refused = try RawSocket(unix: a)
        refused.send(Self.reset)
        Console.print("refused: \(refused.read(7).last ?? 0)")
        for (host, octet) in [(first, 1), (second, 2), (second, 2), (second, 3)] as [(RawSocket, UInt8)] {
            host.send(Self.setAddress(octet))
            _ = host.read(7)
        }
        await events.wait(until: { $0.count >= 7 })
        first.hangUp()
        await events.wait(until: { $0.count >= 8 })
        await Self.turn(service)
        let third = try RawSocket(unix: a)
        await events.wait(until: { $0.count >= 9 })
        third.send(Self.setAddress(4))
        _ = third.read(7)
        await events.wait(until: { $0.count >= 10 })
        second.hangUp()
        await events.wait(until: { $0.count >= 11 })
        third.hangUp()
        await events.wait(until: { $0.count >= 12 })
        for event in events.value { Console.print(Self.words(event)) }
        withExtendedLifetime((service, first, second, third, refused)) {}
    }

    @Test("Each host is told as it comes, sets an address and goes, under a number of its own at all the addresses")
    func hosts() async throws {
        let folder = try TemporaryFolder()
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String] in
            try await AirServiceTests.serve(path)
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(
            lines == [
                "refused: 13", "listening", "listening", "1 joined, known, 1", "2 joined, known, 2",
                "1 is C0:00:00:00:00:01", "2 is C0:00:00:00:00:02", "2 is C0:00:00:00:00:03", "1 left, 1",
                "3 joined, known, 2", "3 is C0:00:00:00:00:04", "2 left, 1", "3 left, 0",
            ]
        )
        withExtendedLifetime(folder) {}
    }

    /// Serves to two hosts, one behind the other, and prints whether both got an answer.
    private static func serve(_ folder: String, capture: String?) async throws {
        let events = Watched<[AirService.Event]>([])
        let path = folder + "/a"
        let service = AirService(Self.plan([.unix(path: path)], captureFile: capture)) { event in
            events.update { $0.append(event) }
        }
        for round in 0..<2 {
            let before = 1 + 2 * round
            await events.wait(until: { $0.count >= before })
            let host = try RawSocket(unix: path)
            host.send(Self.reset)
            let answer = host.read(7)
            Console.print("\(answer.prefix(3) == [0x04, 0x0E, 0x04] && answer.suffix(3) == [0x03, 0x0C, 0x00])")
            host.hangUp()
            await events.wait(until: { $0.count >= before + 2 })
            await Self.turn(service)
        }
        withExtendedLifetime(service) {}
    }

    @Test("Each host has a capture of its own; where there can be none, that is said once, and hosts are served")
    func captures() async throws {
        for (name, count) in [(nil, 0), ("captures/x.btsnoop", 2), ("none/x.btsnoop", 0)] as [(String?, Int)] {
            let folder = try TemporaryFolder()
            try FileManager.default.createDirectory(atPath: folder("captures"), withIntermediateDirectories: false)
            let capture = name.map { folder($0) }
            let result = await #expect(
                processExitsWith: .exitCode(0),
                observing: [\.standardOutputContent, \.standardErrorContent]
            ) { [path = folder.path as String, capture = capture as String?] in
                try await AirServiceTests.serve(path, capture: capture)
                exit(0)
            }
            let process = try #require(result)
            #expect(process.lines == ["true", "true"])
            let warnings = process.errorLines.count { $0.contains("no more captures") }
            #expect(warnings == (name == "none/x.btsnoop" ? 1 : 0))
            let files = try FileManager.default.contentsOfDirectory(atPath: folder("captures"))
            #expect(files.count == count, "\(files)")
        }
    }

    /// Serves where it was told to, and prints the first event.
    private static func serveFirst(_ addresses: [StreamAddress]) async {
        let events = Watched<[AirService.Event]>([])
        let service = AirService(Self.plan(addresses)) { event in events.update { $0.append(event) } }
        await events.wait(until: { !$0.isEmpty })
        for event in events.value.prefix(1) {
            Console.print(Self.words(event))
            if case .failed(let reason) = event {
                Console.print("\(!reason.isEmpty && !reason.contains("TransportError"))")
            }
        }
        withExtendedLifetime(service) {}
    }

    @Test("Where it cannot listen, the reason is reported")
    func failed() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            await AirServiceTests.serveFirst([.unix(path: "/nowhere/a")])
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines == ["failed", "true"])
    }

    @Test("Without an address it is the user's own air")
    func own() async throws {
        let folder = try TemporaryFolder()
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String] in
            setenv("XDG_RUNTIME_DIR", path, 1)
            await AirServiceTests.serveFirst([])
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines == ["listening at its own place"])
        withExtendedLifetime(folder) {}
    }
}
