// The pause behind a document of the 8-ball's page in a browser: it begins with the first one, before anything was
// asked for, and holds for what was asked for twice. Each test is a process of its own, in virtual time.

import BluetoothHost
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("The pause behind a document of eightball web", .onRecord)
struct WebPauseTests {
    /// A session to which something is done at a time; of each document the time is printed, and the number of the
    /// pairing in it.
    @MainActor
    private static func page(at milliseconds: Int, _ act: @escaping @MainActor (WebSession) -> Void) -> SessionRun {
        var run = SessionRun()
        let world = run.world
        run.start(on: world.addDevice("Crystal")) {
            let session = WebSession(
                agent: ScreenPairingAgent(),
                name: "Crystal",
                output: OutputFormat(isJSON: false, isVerbose: false)
            )
            session.start { documents in
                let text = documents["en"] ?? ""
                let number = (1...9).first { text.contains("\"number\":\($0),") } ?? 0
                let (seconds, attoseconds) = world.now.components
                Console.print("\(seconds * 1000 + attoseconds / 1_000_000_000_000_000) \(number)")
            }
            world.after(.milliseconds(milliseconds)) {
                DispatchQueue.main.async { MainActor.assumeIsolated { act(session) } }
            }
            return session
        }
        return run
    }

    private static func peer() throws -> PairingPeer {
        let identifier = try #require(UUID(uuidString: "0000000A-0000-0000-0000-000000000000"))
        return PairingPeer(identifier: identifier, name: "Anna")
    }

    @MainActor
    private static func early() throws -> SessionRun {
        let (anna, code) = (try peer(), try #require(Passkey(42)))
        return page(at: 30) { session in
            session.show(PairingPrompt(.displayPasskey(code), of: anna) { _ in })
        }
    }

    @Test("A change that comes before the first document is a tenth of a second old waits for that")
    func firstDocument() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(99),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await WebPauseTests.early().passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines == ["0 0", "100 1"])
    }

    @MainActor
    private static func twice() throws -> SessionRun {
        let (anna, code) = (try peer(), try #require(Passkey(42)))
        let show: @MainActor (WebSession) -> Void = { session in
            session.show(PairingPrompt(.displayPasskey(code), of: anna) { _ in })
        }
        let end: @MainActor (WebSession) -> Void = { session in session.ended(anna, .paired) }
        return page(at: 1000) { session in
            show(session)
            // It comes behind the document of the first change, and before any that the second one would have.
            DispatchQueue.main.async { MainActor.assumeIsolated { end(session) } }
            show(session)
        }
    }

    @Test("Two changes at once have one document between them, and what changes right behind it waits")
    func twoChanges() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(99),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await WebPauseTests.twice().passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines == ["0 0", "1000 2", "1100 0"])
    }
}
