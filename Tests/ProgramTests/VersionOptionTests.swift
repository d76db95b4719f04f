// Real processes of all programs: their version.

import CommandLineTool
import Testing

@Suite("--version")
struct VersionOptionTests {
    @Test(
        "Every program reports its version, also behind a command",
        arguments: ["eightball", "blueear", "corebluetooth"]
    )
    func version(program: String) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let command = program == "corebluetooth" ? "scan" : "peripheral"
        for arguments in [["--version"], [command, "--version"]] {
            let process = try testbed.start(program, arguments)
            #expect(try process.end() == 0)
            #expect(process.lines == [ProgramVersion.line(program)])
        }
    }
}
