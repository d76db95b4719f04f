// A central's request to read or write a value.

public import Foundation

/// A central's request to read or write a value.
open class CBATTRequest: NSObject {
    init(central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?) {
        self.centralStorage = central
        self.characteristicStorage = characteristic
        self.offsetStorage = offset
        self.value = value
        super.init()
    }
    private let centralStorage: CBCentral
    private let characteristicStorage: CBCharacteristic
    private let offsetStorage: Int

    /// Who asks.
    open var central: CBCentral { self.centralStorage }
    /// The characteristic: the very object that the app published.
    open var characteristic: CBCharacteristic { self.characteristicStorage }
    /// The octet of the value at which reading or writing starts.
    open var offset: Int { self.offsetStorage }
    /// What is to be written; what was read, set by the app.
    open var value: Data?
}
