// What `corebluetooth clone` calls its file, and how it counts.

import Fixtures
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth clone")
struct CloneCommandTests {
    @Test(
        "A file has the device's name, without what stands for folders or is no letter",
        arguments: [
            ("Lamp", "Lamp"), ("a-b_c9", "a-b_c9"), ("Küche 2", "Küche-2"), ("../a/b", "---a-b"), (".", "-"),
            ("", "clone"), ("漢字", "漢字"), ("a\nb", "a-b"),
        ]
    )
    func fileName(device: String, name: String) {
        #expect(CloneCommand.fileName(device) == name)
    }

    @Test("One is not many", arguments: [(0, "0 values"), (1, "1 value"), (2, "2 values")])
    func counts(count: Int, words: String) {
        #expect(CloneCommand.counted(count, "value") == words)
    }
}
