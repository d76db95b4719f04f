// Known faults of a chip that it does not report itself, in words. Their sources, and what was
// guessed in the models, are documented at the presets.

import BluetoothAir
import BluetoothHCI

extension ControllerModel {
    /// Faults of this chip, and features that it claims and refuses.
    var faults: [String] {
        var faults: [String] = []
        if excludedRoles.contains([.scanning, .initiating]), states.contains(.scansWhileInitiating) {
            faults.append("scanning and connecting exclude each other")
        }
        if quirks.contains(.refusesExtendedScanWithLinks) {
            faults.append("extended scanning is refused beside a link")
        }
        if quirks.contains(.reportsActiveScansOnly) { faults.append("passive scanning finds nobody") }
        for opcode in refusedCommands.sorted(by: { $0.rawValue < $1.rawValue }) {
            let name = HCICommandTable.command(opcode)?.name ?? "\(opcode)"
            faults.append("\(name) is listed and refused")
        }
        return faults
    }
}

extension LEStates {
    /// Active and passive scanning together with initiating.
    fileprivate static let scansWhileInitiating = LEStates(rawValue: 1 << 22 | 1 << 23)
}
