import Fixtures
import NIOCore
import Testing

@testable import BluetoothTypes

@Suite("Advertising data values")
struct AdvertisingDataValuesTests {
    @Test("writes and reads the advertising data of an 8-ball")
    func example() {
        var data = AdvertisingData()
        data.appendFlags([.generalDiscoverable, .bredrNotSupported])
        data.appendServiceUUIDs([0x180D, BluetoothUUID(form: .full(0x0011_2233_4455_6677, 0x8899_AABB_CCDD_EEFF))])
        data.appendLocalName("Hi")
        #expect(
            data.bytes.hex
                == normalized(
                    "02 01 06" + "03 03 0D 18" + "11 07 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 00" + "03 09 48 69"
                )
        )
        #expect(data.localName == "Hi")
        #expect(data.serviceUUIDs == [0x180D, BluetoothUUID("00112233-4455-6677-8899-AABBCCDDEEFF")])
    }

    @Test("writes lists of services: each size of UUID, complete and incomplete")
    func serviceUUIDs() {
        let uuids: [BluetoothUUID] = [0x1800, BluetoothUUID(form: .medium(0x1234_5678)), 0x1801]
        var data = AdvertisingData()
        data.appendServiceUUIDs(uuids, isComplete: false)
        #expect(data.bytes.hex == normalized("05 02 00 18 01 18" + "05 04 78 56 34 12"))
        data.appendServiceUUIDs([0x180A])
        #expect(data.serviceUUIDs == [0x1800, 0x1801, uuids[1], 0x180A])
        // Half a UUID at the end of a list is ignored.
        #expect(AdvertisingData(parsing: ByteBuffer(hex: "04 03 0D 18 0A")).serviceUUIDs == [0x180D])
        data = AdvertisingData(
            parsing: ByteBuffer(
                hex: "05 14 00 18 01 18 05 1F 78 56 34 12 11 15 02 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00"
            )
        )
        #expect(data.solicitedServiceUUIDs == [0x1800, 0x1801, uuids[1], BluetoothUUID(form: .full(1, 2))])
        #expect(data.serviceUUIDs.isEmpty)
    }

    @Test(
        "C2: a long name is shortened between characters, without a trailing space",
        arguments: [
            ("Kügel", 3, "Kü"), ("Kügel", 2, "K"), ("👩‍👩‍👧", 10, nil), ("Kügel", 6, "Kügel"), ("Crystal 🔮", 10, "Crystal"),
            ("     🔮", 6, nil),
        ] as [(String, Int, String?)]
    )
    func shortenedName(name: String, limit: Int, written: String?) {
        var data = AdvertisingData()
        data.appendLocalName(name, limit: limit)
        let type: AdvertisingDataType = name == written ? .completeLocalName : .shortenedLocalName
        #expect(data.elements.map(\.type) == (written == nil ? [] : [type]))
        #expect(data[type] == written.map { ByteBuffer(string: $0) } && data.localName == written)
    }

    @Test("a name of up to 248 octets is complete, as the GAP Device Name may be (Vol 3, Part C, 12.1)")
    func longestName() {
        for (count, type) in [(248, AdvertisingDataType.completeLocalName), (249, .shortenedLocalName)] {
            var data = AdvertisingData()
            data.appendLocalName(String(repeating: "a", count: count))
            #expect(data.elements.map(\.type) == [type])
            #expect(data.localName?.count == 248)
        }
    }

    @Test("prefers the complete name to the shortened one")
    func names() {
        #expect(AdvertisingData(parsing: ByteBuffer(hex: "02 08 48 03 09 48 69")).localName == "Hi")
        #expect(AdvertisingData(parsing: ByteBuffer(hex: "03 09 48 FF")).localName == "H\u{FFFD}")
        #expect(AdvertisingData().localName == nil)
    }

    @Test("reads and writes service data in each size of UUID")
    func serviceData() {
        let all = [
            AdvertisedServiceData(uuid: 0x180F, data: ByteBuffer(hex: "64")),
            AdvertisedServiceData(uuid: BluetoothUUID(form: .medium(0x0102_0304)), data: ByteBuffer()),
            AdvertisedServiceData(uuid: BluetoothUUID(form: .full(1, 2)), data: ByteBuffer(hex: "01 02")),
        ]
        var data = AdvertisingData()
        for element in all { data.appendServiceData(element) }
        #expect(data.elements.map(\.type.rawValue) == [0x16, 0x20, 0x21])
        #expect(data.elements[0].value == ByteBuffer(hex: "0F 18 64"))
        #expect(AdvertisingData(parsing: data.bytes).serviceData == all)
        #expect(AdvertisingData(parsing: ByteBuffer(hex: "02 16 0F")).serviceData.isEmpty)
    }

    @Test("manufacturer data begins with the company identifier")
    func manufacturerData() {
        let data = AdvertisingData(parsing: ByteBuffer(hex: "05 FF 4C 00 02 15"))
        #expect(data.manufacturerSpecificData == ByteBuffer(hex: "4C 00 02 15"))
        #expect(AdvertisingData(parsing: ByteBuffer(hex: "02 FF 4C")).manufacturerSpecificData == nil)
        let another = AdvertisingData(parsing: ByteBuffer(hex: "03 09 48 69 03 FF 4D 00"))
        #expect(another.manufacturerSpecificData == ByteBuffer(hex: "4D 00"), "not the name before it")
        let companyAlone = AdvertisingData(parsing: ByteBuffer(hex: "02 FF 4C 03 FF 4D 00"))
        #expect(companyAlone.manufacturerSpecificData == ByteBuffer(hex: "4D 00"))
    }

    @Test("reads the transmit power")
    func power() {
        #expect(AdvertisingData(parsing: ByteBuffer(hex: "02 0A F4")).txPowerLevel == -12)
        var data = AdvertisingData()
        data.appendTxPowerLevel(-12)
        data.appendSolicitedServiceUUIDs([0x1812, 0x1805])
        #expect(data.bytes == ByteBuffer(hex: "02 0A F4 05 14 12 18 05 18"))
    }

    @Test("a value of the wrong size reads as absent")
    func wrongSize() {
        let data = AdvertisingData(parsing: ByteBuffer(hex: "03 0A F4 00 01 01"))
        #expect(data.txPowerLevel == nil)
        #expect(data.flags == nil)
        // A later version may add octets to the flags.
        #expect(AdvertisingData(parsing: ByteBuffer(hex: "03 01 06 80")).flags?.rawValue == 0x06)
    }

    @Test("reads random data to its end, and writes the same octets", arguments: simulationSeeds(200))
    func randomData(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var bytes = ByteBuffer()
        for _ in 0..<choices.below(6) {
            let length = choices.below(19)
            bytes.writeBytes([UInt8(length), choices.pick(Array(0x00...0x34) + [0x3D, 0xFE, 0xFF])])
            bytes.writeBytes(choices.octets(max(0, length - 1)))
        }
        bytes.moveWriterIndex(to: bytes.writerIndex - min(bytes.readableBytes, choices.below(3)))
        let data = AdvertisingData(parsing: bytes)
        #expect(AdvertisingData(parsing: data.bytes).elements == data.elements)
        #expect(data.octetCount == data.bytes.readableBytes && data.octetCount <= bytes.readableBytes)
        // No value traps, whatever its element contains.
        _ = (data.flags, data.localName, data.serviceUUIDs, data.solicitedServiceUUIDs, data.serviceData)
        _ = (data.txPowerLevel, data.manufacturerSpecificData)
    }

    @Test("writes names within their limit, and reads back what it writes")
    func written() {
        for name in ["", "Lamp", "A lamp  in the hall", "Ä ö ü", "🔵🔵", "    ", "a b c d e f"] {
            for limit in 0...20 {
                var data = AdvertisingData()
                data.appendLocalName(name, limit: limit)
                #expect(data.elements.allSatisfy { $0.value.readableBytes <= limit })
            }
        }
        let uuids: [BluetoothUUID] = [
            0x180F, BluetoothUUID(form: .full(0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210)),
            BluetoothUUID(form: .medium(0x0001_2345)),
        ]
        for count in 0...uuids.count {
            var data = AdvertisingData()
            data.appendServiceUUIDs(Array(uuids.prefix(count)), isComplete: count > 1)
            for uuid in uuids.prefix(count) {
                data.appendServiceData(AdvertisedServiceData(uuid: uuid, data: ByteBuffer(hex: "AA BB")))
            }
            #expect(Set(data.serviceUUIDs) == Set(uuids.prefix(count)))
            #expect(Set(data.serviceData.map(\.uuid)) == Set(uuids.prefix(count)))
        }
    }
}
