// The session behind the page in a browser, in virtual time.

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

@Suite("eightball web")
struct WebSessionTests {
    /// A page that posts commands at times, in seconds, and prints each document.
    @MainActor
    private static func page(
        _ name: String,
        in run: inout SessionRun,
        does requests: [(seconds: Double, json: String)] = [],
        prompts: [(seconds: Double, show: @MainActor (WebSession) -> Void)] = []
    ) {
        let world = run.world
        let device = world.addDevice(name)
        run.start(on: device) {
            let session = WebSession(
                agent: ScreenPairingAgent(),
                name: name,
                output: OutputFormat(isJSON: false, isVerbose: false)
            )
            session.start { documents in
                guard let text = documents["en"] else { return }
                let second =
                    Double(world.now.components.attoseconds / 100_000_000_000_000_000) / 10
                    + Double(world.now.components.seconds)
                Console.print("\(second) \(name): \(Self.summary(text))")
            }
            for (seconds, json) in requests {
                world.onMain(after: .seconds(seconds)) { device.run { Self.post(json, to: session) } }
            }
            for (seconds, show) in prompts {
                world.onMain(after: .seconds(seconds)) { show(session) }
            }
            return session
        }
    }

    /// Posts a request; BALL stands for the identifier of the last ball of the page.
    @MainActor private static var ball = ""

    @MainActor
    private static func post(_ json: String, to session: WebSession) {
        let body = Array(json.replacing("BALL", with: ball).utf8)
        let response = session.answer(WebRequest(intent: .post(body), path: "do/en", languages: "en"))
        guard case .content(_, let octets) = response else { return Console.print("refused: \(json)") }
        let answer = String(decoding: octets, as: UTF8.self)
        if answer != #"{"hint":null}"# { Console.print(answer) }
    }

    /// The content of a document, without signal strengths and identifiers.
    @MainActor
    private static func summary(_ text: String) -> String {
        let object = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
        var parts = [object["role"] as? String ?? "-", object["status"] as? String ?? "-"]
        if let notice = object["notice"] as? String { parts.append(notice) }
        for ball in (object["central"] as? [String: Any])?["balls"] as? [[String: Any]] ?? [] {
            self.ball = ball["id"] as? String ?? ""
            parts.append(Self.words(ball, ["name", "gone", "stage", "question", "words"]))
        }
        if let peripheral = object["peripheral"] as? [String: Any] {
            parts.append(Self.words(peripheral, ["state", "hand", "open"]))
            for entry in peripheral["entries"] as? [[String: Any]] ?? [] {
                parts.append(Self.words(entry, ["number", "stage", "question", "words"]))
            }
        }
        if let pairing = object["pairing"] as? [String: Any] {
            parts.append(Self.words(pairing, ["number", "kind", "code"]))
        }
        return parts.joined(separator: " | ")
    }

    private static func words(_ object: [String: Any], _ keys: [String]) -> String {
        keys.compactMap { object[$0].flatMap { $0 is NSNull ? nil : "\($0)" } }.joined(separator: ", ")
    }

    // MARK: Questions

    @Test("shows each step on both sides, and answers once")
    func question() async throws {
        let process = try await #require(processExitsWith: .exitCode(99), observing: .outputs) {
            try await SessionRun.minute { run in
                WebSessionTests.page(
                    "Crystal",
                    in: &run,
                    does: [
                        (1, #"{"do":"role","role":"peripheral"}"#), (2, #"{"do":"byHand","isOn":true}"#),
                        (3, #"{"do":"role","role":"central"}"#), (3, #"{"do":"ask","ball":"x","question":"x?"}"#),
                        (20, #"{"do":"answer","entry":0,"answer":0}"#), (21, #"{"do":"answer","entry":0,"answer":1}"#),
                    ]
                )
                WebSessionTests.page(
                    "asker",
                    in: &run,
                    does: [
                        (4, #"{"do":"role","role":"central"}"#), (10, #"{"do":"choose","ball":"BALL"}"#),
                        (10, #"{"do":"ask","ball":"BALL","question":"Will it rain"}"#),
                        (12, #"{"do":"ask","ball":"BALL","question":"Will it rain?"}"#), (13, #"{"do":"dance"}"#),
                    ]
                )
            }
        }
        #expect(process.errorLines.isEmpty)
        #expect(
            process.lines == [
                "0.0 Crystal: - | ", "0.0 asker: - | ",
                "1.0 Crystal: peripheral | no listeners | Waiting for a question … | "
                    + "nobody can find it at the moment, answers at random",
                "1.1 Crystal: peripheral | no listeners | Waiting for a question … | "
                    + "“Crystal” is a Magic 8-Ball now, answers at random",
                "2.0 Crystal: peripheral | no listeners | Waiting for a question … | "
                    + "“Crystal” is a Magic 8-Ball now, answers by hand",
                "4.0 asker: central | no ball | Bluetooth is not on; waiting for it",
                "4.1 asker: central | no ball | Looking for 8-balls nearby …",
                "4.8 asker: central | 1 ball | Crystal, none", #"{"hint":"a question ends with \"?\""}"#,
                "12.0 asker: central | 1 ball | Crystal, asking, Will it rain?, The question is on its way …",
                "12.0 Crystal: peripheral | 1 listener | Waiting for a question … | "
                    + "“Crystal” is a Magic 8-Ball now, answers by hand",
                "12.1 Crystal: peripheral | 1 listener | “Crystal” is a Magic 8-Ball now, answers by hand, 0 | "
                    + "0, open, Will it rain?, …",
                "12.2 asker: central | 1 ball | Crystal, confirmed, Will it rain?, The ball has the question …",
                #"refused: {"do":"dance"}"#,
                "20.0 Crystal: peripheral | 1 listener | “Crystal” is a Magic 8-Ball now, answers by hand | "
                    + "0, answered, Will it rain?, It is certain.",
                "20.1 Crystal: peripheral | no listeners | “Crystal” is a Magic 8-Ball now, answers by hand | "
                    + "0, answered, Will it rain?, It is certain.",
                "20.1 asker: central | 1 ball | Crystal, answered, Will it rain?, It is certain.",
            ]
        )
    }

    @Test("changes its role: the ball disappears, and asks")
    func leaving() async throws {
        let process = try await #require(processExitsWith: .exitCode(99), observing: .outputs) {
            try await SessionRun.minute { run in
                WebSessionTests.page(
                    "Crystal",
                    in: &run,
                    does: [
                        (1, #"{"do":"role","role":"peripheral"}"#), (10, #"{"do":"leave"}"#),
                        (20, #"{"do":"role","role":"central"}"#),
                    ]
                )
                WebSessionTests.page(
                    "other",
                    in: &run,
                    does: [
                        (2, #"{"do":"role","role":"central"}"#), (15, #"{"do":"leave"}"#),
                        (16, #"{"do":"role","role":"peripheral"}"#),
                    ]
                )
            }
        }
        #expect(process.errorLines.isEmpty)
        let lines = process.lines
        #expect(lines.contains("10.0 Crystal: - | ") && lines.contains("15.0 other: - | "))
        #expect(
            lines.contains { $0.contains("other: central | no ball") && $0.contains("Crystal, went offline, none") }
        )
        #expect(lines.last { $0.contains("Crystal: central") }?.contains("1 ball | other, none") == true)
    }

    // MARK: Pairing

    @Test("shows a pairing until it ends, answers only the newest, and reports a failure for ten seconds")
    func pairing() async throws {
        let process = try await #require(processExitsWith: .exitCode(99), observing: .outputs) {
            try await SessionRun.minute { run in
                func peer(_ digit: String, _ name: String?) throws -> PairingPeer {
                    let text = "0000000\(digit)-0000-0000-0000-000000000000"
                    return PairingPeer(identifier: try #require(UUID(uuidString: text)), name: name)
                }
                func prompt(_ question: PairingQuestion, _ peer: PairingPeer) -> @MainActor (WebSession) -> Void {
                    { $0.show(PairingPrompt(question, of: peer) { Console.print("answered: \($0)") }) }
                }
                let anna = try peer("A", "Anna")
                let other = try peer("B", nil)
                WebSessionTests.page(
                    "Crystal",
                    in: &run,
                    does: [
                        (2, #"{"do":"pair","number":2,"code":"123456"}"#),
                        (3, #"{"do":"pair","number":1,"isAgreed":true}"#),
                        (6, #"{"do":"pair","number":3,"code":"123456"}"#), (6, #"{"do":"pair","number":3,"code":"1"}"#),
                    ],
                    prompts: [
                        (1, prompt(.compareNumbers(try #require(Passkey(42))), anna)),
                        (4, prompt(.displayPasskey(try #require(Passkey(7))), anna)),
                        (5, prompt(.enterPasskey, anna)),
                        (7, prompt(.enterPasskey, anna)),
                        (8, { $0.ended(other, .paired) }),
                        (9, { $0.ended(anna, .failed("no")) }),
                        (30, prompt(.enterPasskey, other)),
                        (31, { $0.ended(other, .failed("the code is wrong")) }),
                        (32, { $0.ended(other, .paired) }),
                    ]
                )
            }
        }
        #expect(process.errorLines.isEmpty)
        #expect(
            process.lines == [
                "0.0 Crystal: - | ", "1.0 Crystal: - |  | 1, compare, 000042", "answered: numbersMatch(true)",
                "3.0 Crystal: - | ", "4.0 Crystal: - |  | 2, show, 000007", "5.0 Crystal: - |  | 3, enter",
                "answered: passkey(Optional(123456))", "6.0 Crystal: - | ", "7.0 Crystal: - |  | 4, enter",
                "9.0 Crystal: - |  | Pairing with Anna failed: no", "18.9 Crystal: - | ",
                "30.0 Crystal: - |  | 5, enter",
                "31.0 Crystal: - |  | Pairing with 0000000B failed: the code is wrong", "40.9 Crystal: - | ",
            ]
        )
    }

    // MARK: The pace

    @Test("publishes a change 0.1 s after the document before at the soonest, and two changes at once in one")
    func times() async throws {
        let process = try await #require(processExitsWith: .exitCode(99), observing: .outputs) {
            try await SessionRun.minute { run in
                let identifier = try #require(UUID(uuidString: "0000000A-0000-0000-0000-000000000000"))
                let anna = PairingPeer(identifier: identifier, name: "Anna")
                let (world, code) = (run.world, try #require(Passkey(42)))
                let device = world.addDevice("Crystal")
                let session = device.run {
                    WebSession(
                        agent: ScreenPairingAgent(),
                        name: "Crystal",
                        output: OutputFormat(isJSON: false, isVerbose: false)
                    )
                }
                run.start(on: device) {
                    // The time of each document, and the number of the pairing in it.
                    session.start { documents in
                        let text = documents["en"] ?? ""
                        let number = (1...9).first { text.contains("\"number\":\($0),") } ?? 0
                        Console.print("\(world.milliseconds) \(number)")
                    }
                    return session
                }
                @MainActor func show() {
                    session.show(PairingPrompt(.displayPasskey(code), of: anna) { _ in Console.print("answered") })
                }
                @MainActor func end() { session.ended(anna, .paired) }
                run.at(30) { show() }
                run.at(5030) { end() }
                // A change that is undone before its document is due is not published.
                run.at(5060) { show() }
                run.at(5129) { end() }
                run.at(9070) { show() }
                // A code is shown until the pairing ends, whatever a page posts.
                run.at(9500) {
                    let body = Array(#"{"do":"pair","number":3,"code":"123456","isAgreed":true}"#.utf8)
                    _ = session.answer(WebRequest(intent: .post(body), path: "do/en", languages: "en"))
                }
                run.at(11_000) { end() }
                run.at(12_000) {
                    show()
                    // It follows the document of the first change, and precedes one that the second would have.
                    DispatchQueue.main.async { MainActor.assumeIsolated { end() } }
                    show()
                }
            }
        }
        #expect(process.errorLines.isEmpty)
        #expect(process.lines == ["0 0", "100 1", "5030 0", "9070 3", "11000 0", "12000 5", "12100 0"])
    }
}
