import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothBlueZ

struct DevicePropertiesTests {
    @Test("reads what BlueZ knows of a device")
    func reads() throws {
        let properties = try #require(
            DeviceProperties(
                device([
                    "Name": .string("Ball"), "Alias": .string("Other"), "Connected": .boolean(true),
                    "ServicesResolved": .boolean(true), "RSSI": .int16(-62), "TxPower": .int16(4),
                    "Appearance": .uint16(0x0341),
                    "UUIDs": .strings(["0000180f-0000-1000-8000-00805f9b34fb", "56ac0001-4b5f-4b3b-8aff-ede134a8446a"]),
                    "ManufacturerData": .array(
                        "{qv}",
                        [.entry(.uint16(0x004C), .variant(.bytes(ByteBuffer(bytes: [1, 2]))))]
                    ),
                    "ServiceData": .properties([
                        "0000180f-0000-1000-8000-00805f9b34fb": .bytes(ByteBuffer(bytes: [3]))
                    ]),
                ])
            )
        )
        #expect(properties.address == DeviceAddress("C0:11:22:33:44:55", kind: .random))
        #expect(properties.name == "Ball")
        #expect(properties.isConnected && properties.isResolved && !properties.isPaired)
        #expect(properties.rssi == -62 && properties.txPower == 4 && properties.appearance == 0x0341)
        #expect(properties.uuids.map(\.octetCount) == [2, 16])
        #expect(properties.manufacturerData.map(\.company) == [0x004C])
        #expect(properties.serviceData == [AdvertisedServiceData(uuid: 0x180F, data: ByteBuffer(bytes: [3]))])
    }

    @Test(
        "is nothing without an address",
        arguments: [
            [:], ["Address": .string("C0:11:22:33:44:55")], ["AddressType": .string("random")],
            ["Address": .string("nonsense"), "AddressType": .string("random")],
            ["Address": .string("00:00:00:00:00:00"), "AddressType": .string("public")],
            ["Address": .uint32(5), "AddressType": .string("public")],
            ["Address": .string("C0:11:22:33:44:55"), "AddressType": .string("other")],
        ] as [ObjectTree.Properties]
    )
    func withoutAddress(properties: ObjectTree.Properties) { #expect(DeviceProperties(properties) == nil) }

    @Test(
        "counts a property of a wrong type as absent",
        arguments: [BusValue.uint32(7), .array("v", [.variant(.byte(1))]), .structure([.string("a")])]
    )
    func wrongTypes(value: BusValue) throws {
        let names = DeviceProperties.advertised.union(["Connected", "ServicesResolved", "Paired"])
        let all = Dictionary(uniqueKeysWithValues: names.map { ($0, value) })
        #expect(DeviceProperties(device(all)) == DeviceProperties(device()))
    }

    @Test("takes a strength out of range as the nearest one", arguments: [(Int16.min, -127), (Int16.max, 20)])
    func strengths(value: Int16, dBm: Int) {
        #expect(DeviceProperties(device(["RSSI": .int16(value)]))?.rssi?.dBm == dBm)
    }
}
