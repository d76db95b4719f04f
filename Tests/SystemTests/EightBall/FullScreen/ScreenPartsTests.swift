// The two roles without the screen, by their keys.

import CoreBluetoothTesting
import Foundation
import TerminalScreen
import Testing

@testable import eightball

@Suite("The roles of eightball on the full screen")
struct ScreenPartsTests {
    /// Ends the process with 99 unless the keys of a text have ended a part with another status.
    @MainActor
    private static func press<Part: ScreenPart>(_ text: String, _ make: () -> Part) -> Never {
        let world = World(seed: 1)
        world.addDevice("device").run {
            let part = make()
            var parser = KeyParser()
            for key in parser.receive(text.utf8) + parser.flush() { part.receive(key) }
        }
        exit(99)
    }

    @Test(
        "ends a ball with q or Ctrl-D, and with no other key",
        arguments: [("q", 0), ("\u{4}", 0), ("\u{1B}", 99)] as [(String, Int32)]
    )
    func peripheralEnd(keys: String, status: Int32) async throws {
        await #expect(processExitsWith: .exitCode(status)) { @MainActor [keys] in
            ScreenPartsTests.press(keys) { PeripheralPart(texts: .english, name: "Crystal", onChange: {}) }
        }
    }

    @Test(
        "ends a central with Ctrl-D if the line is empty",
        arguments: [("\u{4}", 0), ("a\u{4}", 99), ("q", 99)] as [(String, Int32)]
    )
    func centralEnd(keys: String, status: Int32) async throws {
        await #expect(processExitsWith: .exitCode(status)) { @MainActor [keys] in
            ScreenPartsTests.press(keys) { CentralPart(texts: .english, onChange: {}) }
        }
    }
}
