import BluetoothAir
import BluetoothHCI
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("11 Advertising")
struct AdvertisingTests {
    @Test("11.1 advertises without a dictionary, and accepts optionals in it")
    func dictionaries() {
        let talk = Conversation { $0.manager.startAdvertising(nil) }
        #expect(talk.ball.calls.last == "advertising true")
        talk.central.manager.scanForPeripherals(withServices: nil)
        #expect(talk.testbed.run { talk.central.calls.last == "discover -" })
        talk.ball.manager.stopAdvertising()
        let services: [CBUUID?] = [IDs.service]
        talk.ball.manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: services])
        talk.testbed.run()
        talk.central.manager.scanForPeripherals(withServices: [IDs.service])
        #expect(talk.testbed.run { talk.central.count("discover -") == 2 })
    }

    @Test("advertises manufacturer data only if the adapter permits it", arguments: [true, false])
    func manufacturerData(isPermitted: Bool) throws {
        let testbed = Testbed()
        let peripheral = testbed.ball(on: testbed.adapter { $0.permitsManufacturerData = isPermitted })
        let central = testbed.central(on: testbed.adapter())
        func advertise(_ count: Int) -> String? {
            peripheral.manager.startAdvertising([
                CBAdvertisementDataLocalNameKey: "Beacon",
                CBAdvertisementDataManufacturerDataKey: Data([0xFF, 0xFF] + [UInt8](repeating: 7, count: count - 2)),
            ])
            testbed.run()
            return peripheral.calls.last
        }
        // One octet more than the packet has space for.
        #expect(advertise(27) == (isPermitted ? "advertising false CBErrorDomain 1" : "advertising true"))
        peripheral.manager.stopAdvertising()
        #expect(advertise(26) == "advertising true")
        central.manager.scanForPeripherals(withServices: nil)
        #expect(testbed.run { !central.advertisements.isEmpty })
        let data = central.advertisements.last?[CBAdvertisementDataManufacturerDataKey] as? Data
        #expect(data == (isPermitted ? Data([0xFF, 0xFF] + [UInt8](repeating: 7, count: 24)) : nil))
        #expect(central.advertisements.last?[CBAdvertisementDataLocalNameKey] as? String == "Beacon")
    }
}
