// Signal strengths as Core Bluetooth hands them to delegates.

import BluetoothTypes
import Foundation

extension RSSI? {
    /// The strength in dBm; 127 where it is not known.
    var number: NSNumber { NSNumber(value: Int(RSSI.octet(self))) }
}
