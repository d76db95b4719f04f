import CommandLineTool
import Fixtures
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth learn")
struct LearnCommandTests {
    @Test("takes everything behind it for the course, options and help too")
    func arguments() throws {
        let words = ["1", "--try", "far", "--help", "--version", "--nonsense"]
        let command = try #require(try CoreBluetoothTool.parseAsRoot(["learn"] + words) as? LearnCommand)
        #expect(command.arguments == words)
    }

    @Test("says in one line where it looked for the course, and how to get it, if it is not there")
    func missing() throws {
        let folder = try TemporaryFolder()
        let command = try #require(try CoreBluetoothTool.parseAsRoot(["learn", "1"]) as? LearnCommand)
        let failure = #expect(throws: Failure.self) { try command.run(in: folder.path) }
        #expect(
            failure?.line == "the course is a program of its own, corebluetooth-learn, which is not in \(folder.path); "
                + "in a clone of OpenCoreBluetooth, swift run corebluetooth-learn builds and runs it"
        )
        withExtendedLifetime(folder) {}
    }
}
