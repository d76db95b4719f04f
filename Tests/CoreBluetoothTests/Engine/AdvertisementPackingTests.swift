import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("11.2 Advertisement packing")
struct AdvertisementPackingTests {
    private let ball = BluetoothUUID("8E38140A-27BE-4090-8955-4FC4B5698D1E")

    private func pack(_ name: String?, _ services: [BluetoothUUID]) -> (AdvertisingData, AdvertisingData) {
        let (data, scanResponse) = AdvertisedContent(localName: name, services: services).packed()
        #expect(data.readableBytes <= 31)
        #expect(scanResponse.readableBytes <= 31)
        return (AdvertisingData(parsing: data), AdvertisingData(parsing: scanResponse))
    }

    @Test("C2: a shortened name means the whole one, and a line names both")
    func shortened() {
        #expect(AdvertisedName.isShortened("Crystal", of: "Crystal 🔮"))
        #expect(AdvertisedName.isShortened("Thermomete", of: "Thermometer"))
        #expect(AdvertisedName.isShortened("Thermome", of: "Thermometer"))
        #expect(!AdvertisedName.isShortened("Thermo", of: "Thermometer"))
        #expect(!AdvertisedName.isShortened("Crystal", of: "Crystals"))
        #expect(!AdvertisedName.isShortened("", of: "Crystal"))
        // Names of exactly the two lengths that there is space for are whole.
        #expect(!AdvertisedName.isShortened("Thermomete", of: "Thermomete"))
        #expect(!AdvertisedName.isShortened("Crystals", of: "Crystals"))
        let services = [BluetoothUUID(form: .full(1, 2))]
        let lines = ["Crystal", "Crystal 🔮"].map { name in
            AdvertisedName.line(name, AdvertisedContent(localName: name, services: services).packed().scanResponse)
        }
        let line = "the name \"Crystal 🔮\" is advertised as \"Crystal\": there is no space for more of it"
        #expect(lines == [nil, line])
    }

    @Test("a 128-bit service and a name of 8 octets share the packet")
    func packet() throws {
        let (data, scanResponse) = self.pack("Crystals", [try #require(self.ball)])
        #expect(data.flags == [.generalDiscoverable, .bredrNotSupported])
        #expect(data.serviceUUIDs == [self.ball])
        #expect(data.localName == "Crystals")
        #expect(scanResponse.elements.isEmpty)
    }

    @Test("manufacturer data comes first, and leaves the rest of the packet to services and name")
    func manufacturerData() {
        var content = AdvertisedContent(localName: "Beacon", services: [0x180D])
        content.manufacturerData = [0xFF, 0xFF] + [UInt8](repeating: 7, count: 12)
        // 16 octets of 28 are taken; the service takes 4 and the name 8, which is all.
        let (data, scanResponse) = content.packed()
        #expect(data.readableBytes == 31)
        let parsed = AdvertisingData(parsing: data)
        #expect(
            parsed.elements.map(\.type) == [
                .flags, .manufacturerSpecificData, .complete16BitServiceUUIDs, .completeLocalName,
            ]
        )
        #expect(scanResponse.readableBytes == 0)
        content.manufacturerData?.append(7)
        let (tighter, response) = content.packed()
        #expect(AdvertisingData(parsing: tighter).localName == nil)
        #expect(AdvertisingData(parsing: response).localName == "Beacon")
        for (count, isValid) in [(1, false), (2, true), (26, true), (27, false)] {
            content.manufacturerData = [UInt8](repeating: 0, count: count)
            #expect(content.isValid == isValid, "\(count)")
        }
    }

    @Test("a name that does not fit goes into the scan response, whole up to 10 octets")
    func scanResponse() throws {
        let (data, scanResponse) = self.pack("Crystal_10", [try #require(self.ball)])
        #expect(data.localName == nil)
        #expect(scanResponse[.completeLocalName] == ByteBuffer(string: "Crystal_10"))
    }

    @Test("a longer name is cut at a character")
    func cut() throws {
        let (_, scanResponse) = self.pack("Kristallkugel", [try #require(self.ball)])
        #expect(scanResponse[.shortenedLocalName] == ByteBuffer(string: "Kristallku"))
        let (_, other) = self.pack("Kristallé!!!!", [try #require(self.ball)])
        #expect(other[.shortenedLocalName] == ByteBuffer(string: "Kristallé"))
        let (_, third) = self.pack("Kristallk🎱", [try #require(self.ball)])
        #expect(third[.shortenedLocalName] == ByteBuffer(string: "Kristallk"))
    }

    @Test("services fill the packet to its last octet")
    func fullOfServices() {
        let services = (0..<13).map { BluetoothUUID(0xA000 + UInt16($0)) }
        let (data, scanResponse) = self.pack(nil, services)
        #expect(data.bytes.readableBytes == 31)
        #expect(data.serviceUUIDs == services)
        #expect(data[.complete16BitServiceUUIDs] != nil)
        #expect(scanResponse.elements.isEmpty)
    }

    @Test("a name alone has 26 octets")
    func nameAlone() {
        let name = String(repeating: "n", count: 26)
        #expect(self.pack(name, []).0.localName == name)
        #expect(self.pack(name + "n", []).0.localName == nil)
        #expect(self.pack(name + "n", []).1.localName == String(repeating: "n", count: 10))
    }

    @Test("B6 a second long service goes into the scan response, with a name of 10 octets that does not fit either")
    func secondService() throws {
        let ball = try #require(self.ball)
        let second = try #require(BluetoothUUID("0CDBE648-EED0-11E6-BC64-92361F002671"))
        for (name, inPacket, inResponse) in [
            ("Crystals", "Crystals", nil), ("Kristallkugel", nil, "Kristallku"),
        ] as [(String, String?, String?)] {
            let (data, scanResponse) = self.pack(name, [ball, second])
            #expect(data.serviceUUIDs == [ball])
            #expect(data[.incomplete128BitServiceUUIDs] != nil)
            #expect(data.localName == inPacket)
            #expect(scanResponse.serviceUUIDs == [second])
            #expect(scanResponse.localName == inResponse)
            #expect(scanResponse.manufacturerSpecificData == nil)
        }
    }

    @Test("11.2 services that do not fit go to the overflow area")
    func overflow() throws {
        let ball = try #require(self.ball)
        let second = try #require(BluetoothUUID("0CDBE648-EED0-11E6-BC64-92361F002671"))
        let third = try #require(BluetoothUUID("0CDBE648-EED0-11E6-BC64-92361F002672"))
        let (data, scanResponse) = self.pack("Crystal", [ball, second, third])
        #expect(data.serviceUUIDs == [ball])
        #expect(data[.incomplete128BitServiceUUIDs] != nil)
        #expect(data.localName == "Crystal")
        let manufacturerData = try #require(scanResponse.manufacturerSpecificData)
        let area = try #require(OverflowArea(manufacturerData: manufacturerData))
        #expect(area.mayContain(second) && area.mayContain(third))
        #expect(scanResponse.serviceUUIDs.isEmpty)
        #expect(scanResponse.octetCount == 21)
    }

    @Test("11.2 services for the overflow area alone are there, and say that the other ones are not all")
    func overflowAlone() throws {
        let second = try #require(BluetoothUUID("0CDBE648-EED0-11E6-BC64-92361F002671"))
        for (name, services) in [(nil, []), ("Crystal", []), (nil, [0x180D]), ("Crystal", [0x180D])]
            as [(String?, [BluetoothUUID])]
        {
            let content = AdvertisedContent(localName: name, services: services, overflowServices: [second])
            let packed = content.packed()
            let data = AdvertisingData(parsing: packed.data)
            let scanResponse = AdvertisingData(parsing: packed.scanResponse)
            let isAlone = name == nil && services.isEmpty
            let manufacturerData = try #require((isAlone ? data : scanResponse).manufacturerSpecificData)
            #expect((isAlone ? scanResponse : data).manufacturerSpecificData == nil)
            let area = try #require(OverflowArea(manufacturerData: manufacturerData))
            #expect(area.mayContain(second))
            #expect(data.localName == name)
            #expect(data.serviceUUIDs == services)
            #expect(data[.complete16BitServiceUUIDs] == nil)
            #expect((data[.incomplete16BitServiceUUIDs] == nil) == services.isEmpty)
        }
    }

    @Test("11.2 overflow area and a name share the scan response")
    func overflowAndName() {
        let services = (0..<10).map { BluetoothUUID(form: .full(0x1234_5678_0000_0000 | $0, 1)) }
        let (_, scanResponse) = self.pack("A long name", services)
        #expect(scanResponse[.shortenedLocalName] == ByteBuffer(string: "A long n"))
        #expect(scanResponse.octetCount == 31)
    }

    @Test("short services come first, and one that comes twice is sent once")
    func shortServices() throws {
        let ball = try #require(self.ball)
        let long = BluetoothUUID(form: .full(0x0000_180D_0000_1000, 0x8000_0080_5F9B_34FB))
        let (data, _) = self.pack(nil, [ball, 0x180D, long, 0x1809])
        #expect(data.serviceUUIDs == [0x180D, 0x1809, ball])
        #expect(data[.complete16BitServiceUUIDs]?.readableBytes == 4)
    }

    @Test("11.1 nothing at all is allowed")
    func nothing() {
        let (data, scanResponse) = self.pack(nil, [])
        #expect(data.elements.count == 1)
        #expect(scanResponse.elements.isEmpty)
        #expect(self.pack("", []).1.elements.isEmpty)
    }

    @Test("whatever is advertised fits")
    func random() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<500 {
            let services = (0..<Int.random(in: 0...9, using: &generator)).map { _ -> BluetoothUUID in
                switch Int.random(in: 0...2, using: &generator) {
                case 0: BluetoothUUID(UInt16.random(in: 0...9, using: &generator))
                case 1: BluetoothUUID(form: .medium(.random(in: 0...0xFFFF_FFFF, using: &generator)))
                default: BluetoothUUID(form: .full(.random(in: 0...9, using: &generator), 2))
                }
            }
            let name = String(repeating: "é", count: Int.random(in: 0...20, using: &generator))
            let (data, scanResponse) = self.pack(name, services)
            #expect(!data.isTruncated && !scanResponse.isTruncated)
            let area = scanResponse.manufacturerSpecificData.flatMap(OverflowArea.init(manufacturerData:))
            for service in services {
                let isListed = data.serviceUUIDs.contains(service) || scanResponse.serviceUUIDs.contains(service)
                #expect(isListed || area?.mayContain(service) == true)
            }
        }
    }

    @Test("B6 a short name in the scan response leaves the rest of it to services")
    func shortName() throws {
        let ball = try #require(self.ball)
        // 11 services of 16 bits beside one of 128: 4 fit into the packet, and 10 with a name of 4 octets into the response.
        for (name, count) in [("Tiny", 4), ("Enormous!!", 10)] {
            let services = [ball] + (0..<13).map { BluetoothUUID(0xA000 + UInt16($0)) }
            let (data, scanResponse) = self.pack(name, services)
            #expect(scanResponse.localName == name)
            let cost = 2 + count
            #expect(scanResponse.serviceUUIDs.count == min(13 - data.serviceUUIDs.count + 1, (31 - cost - 2) / 2))
        }
    }
}
