// Real processes: names for which an advertisement has no space, of the electronic lock and of the messenger.

import Foundation
import Testing

@Suite("Long names of blueear")
struct BlueEarNameTests {
    @Test(
        "A name that its advertisement shortens is reported",
        arguments: [["lock", "--secret", "sesame"], ["peripheral"]]
    )
    func longName(arguments: [String]) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try testbed.start("blueear", arguments + ["--name", "A door with a long name"])
        try eventually("the notice") {
            process.errorLines.contains { $0.contains("the name \"A door with a long name\" is advertised as \"") }
        }
    }
}
