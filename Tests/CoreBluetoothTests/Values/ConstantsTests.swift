import CoreBluetooth
import Testbed
import Testing

@Suite("Constants and enumerations")
struct ConstantsTests {
    @Test("client-code 8: raw values of the keys")
    func keys() {
        #expect(CBAdvertisementDataLocalNameKey == "kCBAdvDataLocalName")
        #expect(CBAdvertisementDataOverflowServiceUUIDsKey == "kCBAdvDataHashedServiceUUIDs")
        #expect(CBAdvertisementDataIsConnectable == "kCBAdvDataIsConnectable")
        #expect(CBCentralManagerScanOptionAllowDuplicatesKey == "kCBScanOptionAllowDuplicates")
        #expect(CBUUIDL2CAPPSMCharacteristicString == "ABDD3056-28FA-441D-A470-55A75A52553A")
        #expect(
            CBConnectionEventMatchingOption.peripheralUUIDs.rawValue
                == "kCBConnectionEventMatchingOptionPeripheralUUIDs"
        )
    }

    @Test("16 both restore identifier keys are one")
    func restoreIdentifiers() {
        #expect(CBCentralManagerOptionRestoreIdentifierKey == CBPeripheralManagerOptionRestoreIdentifierKey)
    }

    @Test("1.5 states are ordered")
    func states() {
        let states: [CBManagerState] = [.unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn]
        #expect(states.map(\.rawValue) == Array(0...5))
    }

    @Test("bits of properties and permissions")
    func bits() {
        let properties: [CBCharacteristicProperties] = [
            .broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate, .authenticatedSignedWrites,
            .extendedProperties, .notifyEncryptionRequired, .indicateEncryptionRequired,
        ]
        #expect(properties.map(\.rawValue) == (0..<10).map { 1 << UInt($0) })
        let permissions: [CBAttributePermissions] = [
            .readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired,
        ]
        #expect(permissions.map(\.rawValue) == [1, 2, 4, 8])
        #expect(CBCentralManager.Feature.channelSounding.rawValue == 0x400)
    }

    @Test("client-code 7: casts that programs make")
    func casts() {
        let dictionary: [String: Any] = ["a": NSNumber(value: true), "b": true, "c": 5, "d": [CBUUID(string: "180D")]]
        #expect(dictionary["a"] as? Bool == true)
        #expect((dictionary["b"] as? NSNumber)?.boolValue == true)
        #expect((dictionary["c"] as? NSNumber)?.intValue == 5)
        #expect((dictionary["d"] as? NSArray)?.count == 1)
        let optional: [CBUUID?] = [CBUUID(string: "180D")]
        #expect((optional as Any) as? [CBUUID] == [CBUUID(string: "180D")])
    }

    @Test("client-code 12: Core Foundation's time")
    func time() {
        let now: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
        let span: CFTimeInterval = 1
        #expect(abs(now - Date().timeIntervalSinceReferenceDate) < span * 60)
    }

    @Test("1.4 Bluetooth is allowed")
    func authorization() {
        #expect(CBManager.authorization == .allowedAlways)
        #expect(CBCentralManager.authorization == .allowedAlways)
        #expect(CBCentralManager.supports([]))
        #expect(!CBCentralManager.supports(.channelSounding))
    }
}
