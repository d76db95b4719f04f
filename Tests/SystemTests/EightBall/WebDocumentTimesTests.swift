// When the 8-ball's page in a browser gets a document, to the millisecond, and that a code which is shown stays in it
// whatever a page posts. Each test is a process of its own, in virtual time.

import BluetoothHost
import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import LoopbackWeb
@testable import eightball

@Suite("The documents of eightball web in their time")
struct WebDocumentTimesTests {
    @MainActor
    private static func pace() throws -> SessionRun {
        let (anna, code) = (try PairingPeer.anna(), try #require(Passkey(42)))
        let show: @MainActor (WebSession) -> Void = { session in
            session.show(PairingPrompt(.displayPasskey(code), of: anna) { _ in })
        }
        let end: @MainActor (WebSession) -> Void = { session in session.ended(anna, .paired) }
        return .webPage([(1000, show), (5030, end), (5060, show), (5129, end), (9070, show)])
    }

    @Test("A change is told at once, unless the document before is younger than a tenth of a second")
    func times() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(99),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await WebDocumentTimesTests.pace()
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        // What has changed and is as it was when its time comes is not told.
        #expect(process.lines == ["0 0", "1000 1", "5030 0", "9070 3"])
    }

    @MainActor
    private static func shownCode() throws -> SessionRun {
        let (anna, code) = (try PairingPeer.anna(), try #require(Passkey(42)))
        let show: @MainActor (WebSession) -> Void = { session in
            session.show(PairingPrompt(.displayPasskey(code), of: anna) { _ in Console.print("answered") })
        }
        let post: @MainActor (WebSession) -> Void = { session in
            let body = Array(#"{"do":"pair","number":1,"code":"123456","isAgreed":true}"#.utf8)
            _ = session.answer(WebRequest(intent: .post(body), path: "do/en", languages: "en"))
        }
        let end: @MainActor (WebSession) -> Void = { session in session.ended(anna, .paired) }
        let run = SessionRun.webPage([(1000, show), (2000, post), (4000, end)])
        run.mark("- 3000", at: 3)
        return run
    }

    @Test("A code that is shown is not answered by the page, and stays until the pairing ends")
    func code() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(99),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await WebDocumentTimesTests.shownCode()
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines == ["0 0", "1000 1", "- 3000", "4000 0"])
    }
}
