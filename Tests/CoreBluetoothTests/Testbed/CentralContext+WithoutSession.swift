// The table of a central manager's objects without a session behind it, and devices to fill it with.

import BluetoothTypes
import Testbed

@testable import CoreBluetooth

extension CentralContext {
    /// The objects of a manager that asks nobody for anything, on an adapter of their own.
    static func withoutSession(in testbed: Testbed) -> CentralContext {
        let commands = Mailbox<CentralCommand> { _ in }
        let endpoint = BluetoothAdapter.ManagerEndpoint(commands: commands, wakeQueue: {}, begin: {})
        return CentralContext(adapter: testbed.adapter(), lock: ObjectLock(), endpoint: endpoint)
    }
}

extension PeerDescription {
    /// A device without a name whose address is a number, with an identifier that no other one has.
    static func numbered(_ number: UInt64) -> PeerDescription {
        PeerDescription(identifier: UUID(), address: DeviceAddress(number, kind: .public), name: nil)
    }
}
