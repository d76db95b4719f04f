import Testing

@testable import CommandLineTool

@Suite("Printable text")
struct PrintableTextTests {
    @Test("replaces control characters and line breaks")
    func printable() {
        #expect(PrintableText.text("a\nb\u{1B}[0m\u{7F}\u{202E}c") == "a\u{FFFD}b\u{FFFD}[0m\u{FFFD}\u{FFFD}c")
        #expect(PrintableText.text("a\u{2066}b\u{E0041}\u{E0000}c") == "a\u{FFFD}b\u{FFFD}\u{FFFD}c")
        #expect(PrintableText.text("Will it rain? ☂ ¿Sí?") == "Will it rain? ☂ ¿Sí?")
        #expect(PrintableText.quoted("Cry\u{7}stal") == "\"Cry\u{FFFD}stal\"")
    }

    @Test("matches a device by its whole name, or by the name that an advertisement shortened")
    func names() {
        let whole = "A name of more than twenty-nine octets"
        for (name, isMatch) in [(whole, true), ("A name of", true), ("A name o", true), ("Anna", false), ("", false)] {
            #expect(DeviceName.matches(name, whole) == isMatch, "\(name)")
        }
        #expect(DeviceName.matches("Anna\0\0", "Anna") && !DeviceName.matches("Anna\0b", "Anna"))
        #expect(PrintableText.quoted("Anna\0\0") == "\"Anna\"" && PrintableText.text("A\0b\0") == "A\u{FFFD}b")
        #expect(PrintableText.text("\0").isEmpty)
        #expect(DeviceName.matches("Anna", "Anna") && !DeviceName.matches("Ann", "Anna"))
    }
}
