// The commands that a scripted controller has got, with their parameters.

import BluetoothHCI
import NIOCore
import Testing

@testable import BluetoothHost

extension ScriptedController {
    /// The last command of a kind.
    func last<Command: HCICommand>(_ type: Command.Type) throws -> Command {
        var parameters = try #require(self.parameters[Command.opcode])
        return try Command(parsing: &parameters)
    }

    /// Refuses to initiate while it scans, and reports the end of each attempt that is cancelled.
    func scansOrInitiates() {
        self.whenCommanded = { controller, opcode in
            switch opcode {
            case LESetScanEnable.opcode:
                let isScanning = controller.parameters[opcode]?.readableBytesView.first == 1
                controller.refused[LECreateConnection.opcode] = isScanning ? .commandDisallowed : nil
            case LECreateConnectionCancel.opcode:
                controller.failConnection(.unknownConnectionIdentifier)
            default:
                break
            }
        }
    }
}
