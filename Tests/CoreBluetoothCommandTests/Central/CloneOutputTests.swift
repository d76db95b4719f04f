// The output of `corebluetooth clone` is tried before anything else is done: where it cannot be written, that is said
// at once, and nothing is left behind. Each test is a process of its own.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The output of corebluetooth clone", .timeLimit(.minutes(2)))
struct CloneOutputTests {
    @Test(
        "A description and a capture that cannot be written are refused before the device is looked for",
        arguments: ["/nowhere/lamp.json", "/nowhere/lamp.JSON", "/nowhere/lamp.btsnoop", "/nowhere/lamp"]
    )
    func unwritable(output: String) async throws {
        let folder = try TemporaryFolder()
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor [path = folder.path as String, output = output as String] in
            // A device that is looked for all the same is not waited for.
            endProcess(after: 60)
            setenv("TMPDIR", path, 1)
            do {
                try CloneCommand.parse(["Lamp", "--output", output]).run()
            } catch let failure as Failure {
                Console.print(failure.line)
            }
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines == ["cannot write the capture file \(output): No such file or directory"])
        #expect(folder.content.isEmpty)
    }
}
