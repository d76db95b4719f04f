// A remote peripheral.

public import Foundation

/// A remote peripheral.
open class CBPeripheral: CBPeer {
    /// Who is told what happens.
    open weak var delegate: (any CBPeripheralDelegate)?
    /// The name.
    open var name: String? { preconditionFailure("in the making") }
    /// The signal strength that was last read, in dBm.
    @available(*, deprecated, message: "Use peripheral(_:didReadRSSI:error:).")
    open var rssi: NSNumber? { preconditionFailure("in the making") }
    /// How the peripheral stands with its manager.
    open var state: CBPeripheralState { preconditionFailure("in the making") }
    /// The services, as far as they were discovered.
    open var services: [CBService]? { preconditionFailure("in the making") }
    /// Whether there is room for a write without response.
    open var canSendWriteWithoutResponse: Bool { preconditionFailure("in the making") }
    /// Whether the peripheral may have Apple's notifications.
    open var ancsAuthorized: Bool { false }
    /// Measures the signal strength.
    open func readRSSI() { preconditionFailure("in the making") }
    /// Discovers services.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) { preconditionFailure("in the making") }
    /// Discovers included services.
    open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
        preconditionFailure("in the making")
    }
    /// Discovers characteristics.
    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        preconditionFailure("in the making")
    }
    /// Discovers descriptors.
    open func discoverDescriptors(for characteristic: CBCharacteristic) { preconditionFailure("in the making") }
    /// Reads a value.
    open func readValue(for characteristic: CBCharacteristic) { preconditionFailure("in the making") }
    /// Reads a descriptor.
    open func readValue(for descriptor: CBDescriptor) { preconditionFailure("in the making") }
    /// The longest value that one write can carry.
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        preconditionFailure("in the making")
    }
    /// Writes a value.
    open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        preconditionFailure("in the making")
    }
    /// Writes a descriptor.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) { preconditionFailure("in the making") }
    /// Turns notifications on or off.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        preconditionFailure("in the making")
    }
    /// Opens an L2CAP channel.
    open func openL2CAPChannel(_ PSM: CBL2CAPPSM) { preconditionFailure("in the making") }
}
