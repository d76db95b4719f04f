import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("A value that is typed")
struct ValueEntryTests {
    private let characteristic = DevicePage.Characteristic(target: "0x0010", label: "FFF1", properties: .write)

    @Test(
        "becomes the session's line that writes it, in the type and with the response that were chosen",
        arguments: [
            ([], "0A 1b", "write 0x0010 --as hex -- \"0A 1b\""),
            ([.tab], "good day", "write 0x0010 --as text -- \"good day\""),
            ([.tab], "", "write 0x0010 --as text -- \"\""),
            ([.tab], "a \"b\" \\", "write 0x0010 --as text -- \"a \\\"b\\\" \\\\\""),
            ([.backTab, .tab, .tab, .backTab], "01", "write 0x0010 --as hex -- 01"),
            ([.tab, .tab, .tab, .tab], "300", "write 0x0010 --as uint16 -- 300"),
            ([.backTab, .control("r")], "-3.5", "write 0x0010 --as medfloat32 --without-response -- -3.5"),
        ] as [([Key], String, String)]
    )
    func line(keys: [Key], text: String, line: String) throws {
        var entry = ValueEntry(characteristic, hasResponse: true)
        for key in keys + [.text(text)] { #expect(entry.receive(key) == nil) }
        #expect(entry.receive(.enter) == line)
        // The session takes it.
        guard case .command(let action as WriteAction)? = try SessionCommands.parse(line) else {
            Issue.record("no write")
            return
        }
        #expect(action.value == text && action.characteristic.characteristic == "0x0010")
        #expect(action.withoutResponse == keys.contains(.control("r")))
    }

    @Test("stays with the reason if it is not of the type, until another key")
    func problem() {
        var entry = ValueEntry(characteristic, hasResponse: false)
        #expect(entry.prompt == "Write FFF1 as hex, without response")
        _ = entry.receive(.text("xyz"))
        #expect(entry.receive(.enter) == nil && entry.editor.text == "xyz")
        #expect(entry.prompt == "\"xyz\" is not hexadecimal: write pairs of digits such as 0A1B")
        _ = entry.receive(.tab)
        #expect(entry.prompt == "Write FFF1 as text, without response")
        #expect(entry.receive(.enter) == "write 0x0010 --as text --without-response -- xyz")
    }
}
