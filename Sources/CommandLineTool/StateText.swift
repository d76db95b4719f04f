// The state of a manager in words.

package import CoreBluetooth

/// A manager's state.
package enum StateText {
    /// The words for a state.
    package static func text(_ state: CBManagerState) -> String {
        switch state {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "not available"
        case .unauthorized: "not permitted"
        case .poweredOff: "off"
        case .poweredOn: "on"
        @unknown default: "in a state of its own"
        }
    }
}
