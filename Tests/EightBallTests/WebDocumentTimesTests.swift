// When the 8-ball's page in a browser gets a document, to the millisecond, and that a code which is shown stays in it
// whatever a page posts. Each test is a process of its own, in virtual time.

import BluetoothHost
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import LoopbackWeb
@testable import eightball

@Suite("The documents of eightball web in their time", .onRecord)
struct WebDocumentTimesTests {
    private static func milliseconds(_ time: Duration) -> Int64 {
        time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    }

    /// A session to which something is done at times; of each document the time is printed, and the number of the
    /// pairing in it.
    @MainActor
    private static func page(_ steps: [(milliseconds: Int, act: @MainActor (WebSession) -> Void)]) -> SessionRun {
        var run = SessionRun()
        let world = run.world
        let device = world.addDevice("Crystal")
        run.start(on: device) {
            let session = WebSession(
                agent: ScreenPairingAgent(),
                name: "Crystal",
                output: OutputFormat(isJSON: false, isVerbose: false)
            )
            session.start { documents in
                let text = documents["en"] ?? ""
                let number = (1...9).first { text.contains("\"number\":\($0),") } ?? 0
                Console.print("\(Self.milliseconds(world.now)) \(number)")
            }
            for (milliseconds, act) in steps {
                world.after(.milliseconds(milliseconds)) {
                    DispatchQueue.main.async { MainActor.assumeIsolated { act(session) } }
                }
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
    private static func pace() throws -> SessionRun {
        let (anna, code) = (try peer(), try #require(Passkey(42)))
        let show: @MainActor (WebSession) -> Void = { session in
            session.show(PairingPrompt(.displayPasskey(code), of: anna) { _ in })
        }
        let end: @MainActor (WebSession) -> Void = { session in session.ended(anna, .paired) }
        return page([(1000, show), (5030, end), (5060, show), (5129, end), (9070, show)])
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
        let (anna, code) = (try peer(), try #require(Passkey(42)))
        let show: @MainActor (WebSession) -> Void = { session in
            session.show(PairingPrompt(.displayPasskey(code), of: anna) { _ in Console.print("answered") })
        }
        let post: @MainActor (WebSession) -> Void = { session in
            let body = Array(#"{"do":"pair","number":1,"code":"123456","isAgreed":true}"#.utf8)
            _ = session.answer(WebRequest(intent: .post(body), path: "do/en", languages: "en"))
        }
        let end: @MainActor (WebSession) -> Void = { session in session.ended(anna, .paired) }
        let run = page([(1000, show), (2000, post), (4000, end)])
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
