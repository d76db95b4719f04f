import CommandLineTool
import Testing

@testable import LoopbackWeb
@testable import eightball

@Suite("Requests of the page")
@MainActor
struct WebSessionTests {
    /// An answer, in words.
    private static func answer(_ intent: WebRequest.Intent, _ path: String, languages: String = "") -> String {
        let session = WebSession(
            agent: ScreenPairingAgent(),
            name: "Crystal",
            output: OutputFormat(isJSON: false, isVerbose: false)
        )
        switch session.answer(WebRequest(intent: intent, path: path, languages: languages)) {
        case .content(let type, let octets): return "\(type): \(String(decoding: octets, as: UTF8.self))"
        case .events(let topic): return "events \(topic)"
        case .missing: return "missing"
        case .senseless: return "senseless"
        }
    }

    @Test("serves the files in the browser's language, and a stream of documents in each")
    func got() {
        for (languages, texts) in [("de", Texts.german), ("fr, en", Texts.english), ("", Texts.english)] {
            let page = Self.answer(.get, "", languages: languages)
            #expect(page == "text/html; charset=utf-8: " + String(decoding: WebFile.page.content(texts), as: UTF8.self))
            #expect(page.contains(texts(.webAnyAnswer)) && !page.contains("{{"))
        }
        for (path, file) in [("page.css", WebFile.style), ("page.js", WebFile.script), ("icon.svg", WebFile.icon)] {
            #expect(Self.answer(.get, path) == "\(file.type): \(String(decoding: file.octets, as: UTF8.self))")
            #expect(file.content(.german) == file.octets && !file.octets.isEmpty)
        }
        #expect(Self.answer(.get, "events/en") == "events en" && Self.answer(.get, "events/de") == "events de")
        for path in ["events/fr", "events/", "events", "do/en", "page.html", "/", "page.css/"] {
            #expect(Self.answer(.get, path) == "missing", "\(path)")
        }
    }

    @Test("accepts commands in each language, and refuses invalid ones")
    func posted() {
        let command = WebRequest.Intent.post(Array(#"{"do":"choose","ball":"x"}"#.utf8))
        for language in ["en", "de"] {
            #expect(Self.answer(command, "do/" + language) == #"application/json: {"hint":null}"#)
            #expect(Self.answer(.post([]), "do/" + language) == "senseless")
        }
        for path in ["do/fr", "do/", "do", "", "page.css", "events/en"] {
            #expect(Self.answer(command, path) == "missing", "\(path)")
            #expect(Self.answer(.post([]), path) == "missing", "\(path)")
        }
    }

    @Test("says why a page cannot be served, and what to do about it")
    func failures() {
        let end = "or omit it for any free one"
        for (failure, line) in [
            (.portInUse, "another program uses port 80; choose another one with --port, " + end),
            (.portForbidden, "you have no permission for port 80; choose one from 1024 up, " + end),
            (.other("no"), "the page cannot be served: no"),
        ] as [(WebServer.Failure, String)] {
            #expect(WebSession.failure(failure, port: 80).line == line)
        }
        #expect(
            WebSession.failure(CancellationError(), port: 80).line == "the page cannot be served: CancellationError()"
        )
    }
}
