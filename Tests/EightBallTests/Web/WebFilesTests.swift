import Testing

@testable import eightball

@Suite("Files of the page")
struct WebFilesTests {
    @Test("replaces all placeholders of the page in each language", arguments: Texts.all.map(\.language))
    func page(language: String) throws {
        let texts = try #require(Texts.all.first { $0.language == language })
        let page = String(decoding: WebFile.page.octets, as: UTF8.self)
        for place in page.split(separator: "{{").dropFirst() {
            let name = String(place.prefix { $0 != "}" })
            #expect(
                name == "language" || name == "answers" || name == "key" || TextKey(rawValue: name) != nil,
                "\(name)"
            )
        }
        let filled = String(decoding: WebFile.page.content(texts), as: UTF8.self)
        #expect(!filled.contains("{{") && filled.contains("<html lang=\"\(language)\">"))
        #expect(filled.contains(texts(.chooseRole)) && filled.contains("data-answer=\"19\""))
        // The policy would block these.
        #expect(!filled.contains("style=") && !filled.contains("onclick") && !filled.contains("<script>"))
    }

    @Test("escapes texts")
    func escaping() {
        let texts = Texts(language: "en", table: [.title: "<b> & \"x\""], answers: [])
        #expect(WebFile.filled("{{title}}|{{nothing}}|{{", texts) == "&lt;b&gt; &amp; &quot;x&quot;||{{")
    }
}
