import CoreBluetooth
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("The capabilities of a program")
struct PairingCapabilitiesTests {
    @Test(
        "takes a user as able to do everything, or nothing if nobody can be asked",
        arguments: [true, false]
    )
    func asked(canAsk: Bool) async {
        await #expect(processExitsWith: .exitCode(canAsk ? 0 : 1)) { [canAsk] in
            // There is no terminal beside standard input.
            setsid()
            var ends: [CInt] = [-1, -1]
            _ = pipe(&ends)
            dup2(canAsk ? ends[0] : open("/dev/null", O_RDONLY), STDIN_FILENO)
            let options = try PairingOptions.parse([])
            let capabilities = [
                TerminalPairingAgent().capabilities,
                options.agent(OutputFormat(isJSON: true, isVerbose: false)).capabilities,
            ]
            if capabilities == [.keyboardAndDisplay, .keyboardAndDisplay] { exit(0) }
            exit(capabilities == [.none, .none] ? 1 : 2)
        }
    }
}
