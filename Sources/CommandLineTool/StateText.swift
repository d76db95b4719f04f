// The state of a manager in words.

package import CoreBluetooth

/// A manager's state.
package enum StateText {
    /// A state in words.
    package static func text(_ state: CBManagerState) -> String {
        switch state {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "not available"
        case .unauthorized: "not permitted"
        case .poweredOff: "off"
        case .poweredOn: "on"
        @unknown default: "in an unrecognized state"
        }
    }
}
