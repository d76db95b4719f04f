// What is known of a kind of chips beside what it says of itself, in words. Where it is known from, and what was
// guessed of the models, is said at the presets.

import BluetoothAir
import BluetoothHCI

extension ControllerModel {
    /// What chips of this kind get wrong, or claim and refuse.
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
    /// Both kinds of scanning beside initiating.
    fileprivate static let scansWhileInitiating = LEStates(rawValue: 1 << 22 | 1 << 23)
}
