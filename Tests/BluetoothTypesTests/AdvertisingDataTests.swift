import Fixtures
import NIOCore
import Testing

@testable import BluetoothTypes

@Suite("Advertising data")
struct AdvertisingDataTests {
    @Test("keeps elements in order, including unknown types")
    func order() {
        let data = AdvertisingData(parsing: ByteBuffer(hex: "02 01 06 03 EE 01 02 01 77 02 01 04"))
        #expect(data.elements.map(\.type.rawValue) == [0x01, 0xEE, 0x77, 0x01])
        #expect(data.elements[1].value == ByteBuffer(hex: "01 02"))
        #expect(data.elements[2].value.readableBytes == 0)
        #expect(data[.flags] == ByteBuffer(hex: "06"))
        #expect(!data.isTruncated)
        #expect(data.bytes.hex == "02 01 06 03 EE 01 02 01 77 02 01 04")
        #expect(data.octetCount == 12)
        #expect(data.elements[1].type.description == "0xEE")
    }

    @Test("types have their numbers in Assigned Numbers (2.3)")
    func types() {
        // Each run counts on from its first number.
        let runs: [(UInt8, [AdvertisingDataType])] = [
            (
                0x01,
                [
                    .flags, .incomplete16BitServiceUUIDs, .complete16BitServiceUUIDs, .incomplete32BitServiceUUIDs,
                    .complete32BitServiceUUIDs, .incomplete128BitServiceUUIDs, .complete128BitServiceUUIDs,
                    .shortenedLocalName, .completeLocalName, .txPowerLevel,
                ]
            ),
            (
                0x0D,
                [
                    .classOfDevice, .simplePairingHashC192, .simplePairingRandomizerR192, .securityManagerTKValue,
                    .securityManagerOutOfBandFlags, .peripheralConnectionIntervalRange,
                ]
            ),
            (
                0x14,
                [
                    .solicited16BitServiceUUIDs, .solicited128BitServiceUUIDs, .serviceData16Bit,
                    .publicTargetAddress, .randomTargetAddress, .appearance, .advertisingInterval, .deviceAddress,
                    .role, .simplePairingHashC256, .simplePairingRandomizerR256, .solicited32BitServiceUUIDs,
                    .serviceData32Bit, .serviceData128Bit, .secureConnectionsConfirmationValue,
                    .secureConnectionsRandomValue, .uri, .indoorPositioning, .transportDiscoveryData,
                    .supportedFeatures, .channelMapUpdateIndication, .pbADV, .meshMessage, .meshBeacon, .bigInfo,
                    .broadcastCode, .resolvableSetIdentifier, .advertisingIntervalLong, .broadcastName,
                    .encryptedAdvertisingData, .periodicAdvertisingResponseTiming,
                ]
            ),
            (0x34, [.electronicShelfLabel]),
            (0x3D, [.information3D]),
            (0xFF, [.manufacturerSpecificData]),
        ]
        for (first, types) in runs {
            for (index, type) in types.enumerated() { #expect(type.rawValue == first + UInt8(index)) }
        }
    }

    @Test("a length of zero ends the data early")
    func earlyTermination() {
        let data = AdvertisingData(parsing: ByteBuffer(hex: "02 01 06 00 03 09 48 69"))
        #expect(data.elements.count == 1)
        #expect(!data.isTruncated)
        // The end is final.
        for hex in ["02 01 06 00 03 09 48 69", "02 01 06 05 01", "02 01 06"] {
            var reader = AdvertisingDataReader(ByteBuffer(hex: hex))
            #expect(reader.next() != nil && reader.next() == nil && reader.next() == nil && reader.next() == nil)
        }
    }

    @Test("an element that runs past the end is ignored and noted", arguments: ["05 09 48 69", "01", "FF"])
    func truncated(tail: String) {
        let data = AdvertisingData(parsing: ByteBuffer(hex: "02 01 06 " + tail))
        #expect(data.elements.count == 1)
        #expect(data.isTruncated)
        #expect(data.flags == [.generalDiscoverable, .bredrNotSupported])
    }

    @Test("reads nothing after an element that runs past the end")
    func readerBehindTornElement() {
        var reader = AdvertisingDataReader(ByteBuffer(hex: "02 0A 04 05 09 02 01 06"))
        #expect(reader.next()?.type == .txPowerLevel)
        #expect(!reader.isTruncated)
        for _ in 0..<3 { #expect(reader.next() == nil && reader.isTruncated) }
    }
}
