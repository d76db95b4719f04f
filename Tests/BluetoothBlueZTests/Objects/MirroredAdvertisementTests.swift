import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothBlueZ

struct MirroredAdvertisementTests {
    private func parsed(_ properties: ObjectTree.Properties) throws -> (isLegacy: Bool, data: AdvertisingData) {
        let advertisement = MirroredAdvertisement(try #require(DeviceProperties(device(properties))))
        switch advertisement {
        case .legacy(let data, let response):
            #expect(data.readableBytes <= 31 && response.readableBytes <= 31)
            let both = AdvertisingData(parsing: data).elements + AdvertisingData(parsing: response).elements
            return (true, AdvertisingData(elements: both))
        case .extended(let data):
            #expect(data.readableBytes <= AdvertisingDataLimits.connectable)
            return (false, AdvertisingData(parsing: data))
        }
    }

    @Test("has all that BlueZ knows, in legacy PDUs if it fits")
    func legacy() throws {
        let (isLegacy, data) = try self.parsed([
            "Name": .string("Ball"), "TxPower": .int16(4),
            "UUIDs": .strings(["56ac0001-4b5f-4b3b-8aff-ede134a8446a"]),
            "AdvertisingFlags": .bytes(ByteBuffer(bytes: [6])),
        ])
        #expect(isLegacy)
        #expect(data.localName == "Ball" && data.txPowerLevel == 4 && data.flags?.rawValue == 6)
        #expect(data.serviceUUIDs == [BluetoothUUID("56ac0001-4b5f-4b3b-8aff-ede134a8446a")])
    }

    @Test("uses extended PDUs for more")
    func extended() throws {
        let uuids = (0..<6).map { "56ac000\($0)-4b5f-4b3b-8aff-ede134a8446a" }
        let (isLegacy, data) = try self.parsed(["Name": .string("Ball"), "UUIDs": .strings(uuids)])
        #expect(!isLegacy)
        #expect(data.serviceUUIDs.count == 6 && data.localName == "Ball")
    }

    @Test("leaves out what no PDU holds")
    func tooMuch() throws {
        let uuids =
            (10..<99).map { "56ac00\($0)-4b5f-4b3b-8aff-ede134a8446a" }
            + (10..<99).map { "0000\($0)00-0000-1000-8000-00805f9b34fb" }
        let data = ByteBuffer(repeating: 1, count: 4_000)
        _ = try self.parsed([
            "Name": .string(String(repeating: "a", count: 3_000)), "UUIDs": .strings(uuids),
            "ManufacturerData": .array("{qv}", [.entry(.uint16(1), .variant(.bytes(data)))]),
        ])
    }
}
