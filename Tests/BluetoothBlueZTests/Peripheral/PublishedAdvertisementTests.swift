import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothBlueZ

struct PublishedAdvertisementTests {
    @Test("starts and stops with the host's commands, legacy and extended")
    func effects() {
        var advertisement = PublishedAdvertisement()
        #expect(advertisement.sent(LESetAdvertisingEnable(isEnabled: true).packet()) == .start)
        #expect(advertisement.sent(LESetAdvertisingEnable(isEnabled: false).packet()) == .stop)
        let set = LESetExtendedAdvertisingEnable.AdvertisingSet(handle: AdvertisingHandle(rawValue: 0))
        let enable = LESetExtendedAdvertisingEnable(isEnabled: true, sets: [set])
        #expect(advertisement.sent(enable.packet()) == .start)
        #expect(advertisement.sent(Reset().packet()) == .stop)
        #expect(advertisement.sent(LESetScanEnable(isEnabled: true).packet()) == .none)
    }

    @Test("has what the host advertises, from data and scan response")
    func properties() {
        var data = AdvertisingData()
        data.appendServiceUUIDs([0x180F])
        data.append(.manufacturerSpecificData, ByteBuffer(bytes: [0x4C, 0x00, 1, 2]))
        var response = AdvertisingData()
        response.appendLocalName("Ball")
        var advertisement = PublishedAdvertisement()
        _ = advertisement.sent(LESetAdvertisingData(data: data.bytes).packet())
        _ = advertisement.sent(LESetScanResponseData(data: response.bytes).packet())
        let properties = advertisement.properties
        #expect(properties["Type"] == .string("peripheral") && properties["Discoverable"] == .boolean(true))
        #expect(properties["ServiceUUIDs"] == .strings(["0000180f-0000-1000-8000-00805f9b34fb"]))
        #expect(properties["LocalName"] == .string("Ball"))
        #expect(properties["ManufacturerData"]?.entries?.first?.value == .bytes(ByteBuffer(bytes: [1, 2])))
        #expect(Set(["Includes", "MinInterval", "SecondaryChannel"]).isDisjoint(with: properties.keys))
    }

    @Test("has the interval, the PHY of extended PDUs, and BlueZ's own transmit power, if they are asked for")
    func options() {
        let interval = ExtendedAdvertisingInterval(.milliseconds(500))
        var advertisement = PublishedAdvertisement()
        let parameters = LESetExtendedAdvertisingParameters(
            advertisingHandle: AdvertisingHandle(rawValue: 0),
            properties: [],
            minimumInterval: interval,
            maximumInterval: interval,
            primaryPHY: .leCoded,
            secondaryPHY: .leCoded
        )
        _ = advertisement.sent(parameters.packet())
        let data = LESetExtendedAdvertisingData(
            advertisingHandle: AdvertisingHandle(rawValue: 0),
            data: ByteBuffer(bytes: [2, 0x0A, 0])
        )
        _ = advertisement.sent(data.packet())
        let properties = advertisement.properties
        #expect(properties["Type"] == .string("broadcast") && properties["Includes"] == .strings(["tx-power"]))
        #expect(properties["MinInterval"] == .uint32(500) && properties["MaxInterval"] == .uint32(500))
        #expect(properties["SecondaryChannel"] == .string("Coded"))
    }
}
