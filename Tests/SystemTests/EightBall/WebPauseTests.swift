// The pause behind a document of the 8-ball's page in a browser: it begins with the first one, before anything was
// asked for, and holds for what was asked for twice. Each test is a process of its own, in virtual time.

import BluetoothHost
import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("The pause behind a document of eightball web")
struct WebPauseTests {
    @MainActor
    private static func early() throws -> SessionRun {
        let (anna, code) = (try PairingPeer.anna(), try #require(Passkey(42)))
        let show: @MainActor (WebSession) -> Void = { session in
            session.show(PairingPrompt(.displayPasskey(code), of: anna) { _ in })
        }
        return .webPage([(30, show)])
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
        let (anna, code) = (try PairingPeer.anna(), try #require(Passkey(42)))
        let show: @MainActor (WebSession) -> Void = { session in
            session.show(PairingPrompt(.displayPasskey(code), of: anna) { _ in })
        }
        let end: @MainActor (WebSession) -> Void = { session in session.ended(anna, .paired) }
        let changes: @MainActor (WebSession) -> Void = { session in
            show(session)
            // It comes behind the document of the first change, and before any that the second one would have.
            DispatchQueue.main.async { MainActor.assumeIsolated { end(session) } }
            show(session)
        }
        return .webPage([(1000, changes)])
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
