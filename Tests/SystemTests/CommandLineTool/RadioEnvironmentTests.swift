// What the options of the radio leave in the environment, for all managers of the process and for its children.

import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("The options of the radio, applied")
struct RadioEnvironmentTests {
    private static let variables = ["IDENTITY", "DISTANCE", "POSITION", "PRIVACY", "CAPTURE"]

    @Test(
        "Each option takes the place of its variable, and one that is not given leaves it",
        arguments: [
            ("", "", "- - - - -"), ("", "IDENTITY=a DISTANCE=2 PRIVACY=60", "a 2 - 60 -"),
            ("--identity b", "IDENTITY=a", "b - - - -"), ("--distance 3", "POSITION=1,1 DISTANCE=2", "- 3.0 - - -"),
            ("--position 4,5", "DISTANCE=2", "- 2 4,5 - -"), ("--privacy", "", "- - - on -"),
            ("--privacy", "PRIVACY=off", "- - - on -"), ("--privacy", "PRIVACY=60", "- - - 60 -"),
            ("--capture /dev/null", "", "- - - - /dev/null"),
        ]
    )
    func environment(options: String, before: String, after: String) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [options, before] in
            for name in RadioEnvironmentTests.variables { unsetenv("COREBLUETOOTH_" + name) }
            for assignment in before.split(separator: " ") {
                let parts = assignment.split(separator: "=").map(String.init)
                setenv("COREBLUETOOTH_" + parts[0], parts[1], 1)
            }
            let radio = try RadioOptions.parse(options.split(separator: " ").map(String.init))
            try radio.apply()
            let values = RadioEnvironmentTests.variables.map { name in
                getenv("COREBLUETOOTH_" + name).map { String(cString: $0) } ?? "-"
            }
            Console.print(values.joined(separator: " "))
            // Without what is registered for the end.
            fflush(nil)
            _exit(0)
        }
        let text = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        #expect(text == after + "\n")
    }
}
