import CommandLineTool
import CoreBluetooth
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The text of an error")
struct ErrorTextTests {
    @Test("B15: names an application's ATT error code")
    func applicationError() throws {
        let code = try #require(CBATTError.Code(rawValue: 0x80))
        #expect(ErrorText.text(CBATTError(code)).hasSuffix(" 0x80"))
    }

    @Test("is one clause without a full stop, behind what failed; a failure keeps its line as it is")
    func clauses() {
        let text = "Reading is not permitted."
        let error = NSError(domain: "tests", code: 2, userInfo: [NSLocalizedDescriptionKey: text])
        #expect(ErrorText.text(error) == "Reading is not permitted")
        #expect(ErrorText.text(DeviceFailure("reading failed", error)) == "reading failed: Reading is not permitted")
        #expect(ErrorText.text(Failure("a line.")) == "a line.")
    }
}
