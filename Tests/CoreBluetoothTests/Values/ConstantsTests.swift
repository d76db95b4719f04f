import CoreBluetooth
import Testbed
import Testing

@Suite("Constants and enumerations")
struct ConstantsTests {
    @Test("16 has one key for restore identifiers of both roles")
    func restoreIdentifiers() {
        #expect(CBCentralManagerOptionRestoreIdentifierKey == CBPeripheralManagerOptionRestoreIdentifierKey)
    }

    @Test("client-code 7: casts values as programs do")
    func casts() {
        let dictionary: [String: Any] = ["a": NSNumber(value: true), "b": true, "c": 5, "d": [CBUUID(string: "180D")]]
        #expect(dictionary["a"] as? Bool == true)
        #expect((dictionary["b"] as? NSNumber)?.boolValue == true)
        #expect((dictionary["c"] as? NSNumber)?.intValue == 5)
        #expect((dictionary["d"] as? NSArray)?.count == 1)
        let optional: [CBUUID?] = [CBUUID(string: "180D")]
        #expect((optional as Any) as? [CBUUID] == [CBUUID(string: "180D")])
    }

    @Test("1.4 allows Bluetooth without a manager")
    func authorization() {
        #expect(CBManager.authorization == .allowedAlways)
        #expect(CBCentralManager.authorization == .allowedAlways)
        #expect(CBPeripheralManager.authorization == .allowedAlways)
        #expect(CBCentralManager.supports([]))
        #expect(!CBCentralManager.supports(.channelSounding))
    }
}
