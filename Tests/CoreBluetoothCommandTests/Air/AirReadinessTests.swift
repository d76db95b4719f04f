// When the service manager is told that an air is ready: with the last of its places, not with the first, and with its
// own place where it was given none.

import BluetoothAir
import BluetoothTransport
import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("When an air is ready", .timeLimit(.minutes(2)))
struct AirReadinessTests {
    private static let addresses: [StreamAddress] = [.unix(path: "/run/a"), .unix(path: "/run/b")]

    /// Prints what the service manager is told, a message a line: a host joins behind the first place.
    @MainActor
    private static func tell(_ path: String, isOwnAir: Bool) throws {
        let receiver = try NotificationReceiver(path, limit: 5)
        setenv("NOTIFY_SOCKET", path, 1)
        let session = AirSession(
            plan: AirService.Plan(
                addresses: isOwnAir ? [] : Self.addresses,
                settings: AirSettings(hasAirTime: false, loss: LossProbability(0)),
                seed: 7,
                captureFile: nil,
                hostLimit: 4
            ),
            words: "instant, seed 7",
            output: OutputFormat(isJSON: false, isVerbose: false) { _ in }
        )
        session.report(.listening(Self.addresses[0], isOwnAir: isOwnAir))
        session.report(.joined(1, "blueear", count: 1))
        if !isOwnAir { session.report(.listening(Self.addresses[1], isOwnAir: false)) }
        for _ in 0..<2 { Console.print((receiver.message() ?? ["none"]).joined(separator: " ")) }
    }

    @Test("It is ready with the last place at which it listens, be it its own one", arguments: [false, true])
    func ready(isOwnAir: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder("notify")
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = path as String, isOwnAir = isOwnAir as Bool] in
            try await AirReadinessTests.tell(path, isOwnAir: isOwnAir)
            exit(0)
        }
        let lines = try #require(result).lines
        let (ready, status) = ("READY=1 STATUS=nobody is on the air", "STATUS=1 is on the air")
        #expect(lines == (isOwnAir ? [ready, status] : [status, ready]))
        withExtendedLifetime(folder) {}
    }
}
