// The ball that is chosen on the page in a browser, where there are several: the choice is in the next document. The
// test is a process of its own, in virtual time.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import LoopbackWeb
@testable import eightball

@Suite("The choice of a ball on the page of eightball web")
struct WebChoiceTests {
    /// What stands in the newest document.
    @MainActor
    private final class Shown {
        private(set) var identifiers: [String: String] = [:]
        private(set) var chosen = "nobody"

        func take(_ text: String) {
            let object = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
            let central = object?["central"] as? [String: Any]
            for ball in central?["balls"] as? [[String: Any]] ?? [] {
                if let name = ball["name"] as? String { identifiers[name] = ball["id"] as? String }
            }
            let identifier = central?["chosen"] as? String
            chosen = identifiers.first { $0.value == identifier }?.key ?? "nobody"
        }
    }

    @MainActor
    private static func post(_ json: String, to session: WebSession) {
        _ = session.answer(WebRequest(intent: .post(Array(json.utf8)), path: "do/en", languages: "en"))
    }

    @MainActor
    private static func page() -> SessionRun {
        var run = SessionRun()
        for name in ["Anna", "Bert"] { run.addBall(name) }
        let world = run.world
        let device = world.addDevice("asker")
        run.start(on: device) {
            let shown = Shown()
            let session = WebSession(
                agent: ScreenPairingAgent(),
                name: "asker",
                output: OutputFormat(isJSON: false, isVerbose: false)
            )
            session.start { documents in shown.take(documents["en"] ?? "") }
            world.onMain(after: .seconds(1)) {
                device.run { Self.post(#"{"do":"role","role":"central"}"#, to: session) }
            }
            for (seconds, ball) in [(10, "Bert"), (11, "Anna"), (12, "Carl"), (13, "Bert")] as [(Double, String)] {
                world.onMain(after: .seconds(seconds)) {
                    let identifier = shown.identifiers[ball] ?? ball
                    device.run { Self.post(#"{"do":"choose","ball":"\#(identifier)"}"#, to: session) }
                }
                world.onMain(after: .seconds(seconds + 0.5)) { Console.print(shown.chosen) }
            }
            return session
        }
        return run
    }

    @Test("A ball that is there is chosen, and one that is not changes nothing")
    func choice() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(99),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = await WebChoiceTests.page()
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines == ["Bert", "Anna", "Anna", "Bert"])
    }
}
