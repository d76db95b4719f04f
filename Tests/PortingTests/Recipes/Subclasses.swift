// The recipe "Delegate methods in a subclass" of the page "Porting an app".

import CoreBluetooth

class ManagerWrapper: NSObject, CBCentralManagerDelegate {
    private(set) var events: [String] = []

    func note(_ event: String) { self.events.append(event) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { self.note("state") }

    // Not called for the subclasses' sake alone: each method that one of them has is here, with an empty body.
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {}

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}
}

final class RestoringWrapper: ManagerWrapper {
    override func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {
        self.note("disconnected")
    }

    override func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        self.note("restored")
    }
}
