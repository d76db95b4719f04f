import BluetoothTypes
import Fixtures
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("11.2 Advertisement packing")
struct AdvertisementPackingTests {
    private static let ball = BluetoothUUID(form: .full(0x8E38_140A_27BE_4090, 0x8955_4FC4_B569_8D1E))
    private static let second = BluetoothUUID(form: .full(0x0CDB_E648_EED0_11E6, 0xBC64_9236_1F00_2671))
    private static let third = BluetoothUUID(form: .full(0x0CDB_E648_EED0_11E6, 0xBC64_9236_1F00_2672))

    private func pack(_ name: String?, _ services: [BluetoothUUID]) -> (AdvertisingData, AdvertisingData) {
        let (data, scanResponse) = AdvertisedContent(localName: name, services: services).packed()
        #expect(data.readableBytes <= 31)
        #expect(scanResponse.readableBytes <= 31)
        return (AdvertisingData(parsing: data), AdvertisingData(parsing: scanResponse))
    }

    /// Where the name goes: whole in the packet, whole in the scan response, or shortened there.
    struct NameRow: CustomTestStringConvertible, Sendable {
        var name: String?
        var services: [BluetoothUUID] = []
        var inPacket: String?
        var whole: String?
        var shortened: String?
        var testDescription: String { self.name ?? "no name" }
    }

    @Test(
        "puts a name into the packet if it fits, else into the scan response, cut at a character to 10 octets",
        arguments: [
            NameRow(name: "Crystals", services: [ball], inPacket: "Crystals"),
            NameRow(name: "Crystal_10", services: [ball], whole: "Crystal_10"),
            NameRow(name: "Kristallkugel", services: [ball], shortened: "Kristallku"),
            NameRow(name: "Kristallé!!!!", services: [ball], shortened: "Kristallé"),
            NameRow(name: "Kristallk🎱", services: [ball], shortened: "Kristallk"),
            NameRow(name: String(repeating: "n", count: 26), inPacket: String(repeating: "n", count: 26)),
            NameRow(name: String(repeating: "n", count: 27), shortened: "nnnnnnnnnn"),
            NameRow(name: "Crystals", services: [ball, second], inPacket: "Crystals"),
            NameRow(name: "Kristallkugel", services: [ball, second], shortened: "Kristallku"),
            NameRow(name: ""), NameRow(name: nil),
        ]
    )
    func names(row: NameRow) {
        let (data, scanResponse) = self.pack(row.name, row.services)
        #expect(data.flags == [.generalDiscoverable, .bredrNotSupported])
        #expect(data[.completeLocalName] == row.inPacket.map { ByteBuffer(string: $0) })
        #expect(scanResponse[.completeLocalName] == row.whole.map { ByteBuffer(string: $0) })
        #expect(scanResponse[.shortenedLocalName] == row.shortened.map { ByteBuffer(string: $0) })
        #expect(data.serviceUUIDs + scanResponse.serviceUUIDs == row.services && data.serviceUUIDs.count <= 1)
        #expect(scanResponse.manufacturerSpecificData == nil)
        #expect((data[.incomplete128BitServiceUUIDs] != nil) == (row.services.count == 2))
    }

    @Test("puts manufacturer data of 2 to 26 octets first")
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

    @Test("puts what tools advertise behind the manufacturer data, with space for the transmit power")
    func options() {
        var content = AdvertisedContent(localName: "Ten octets", services: [0x180D])
        content.manufacturerData = [0xFF, 0xFF]
        content.options.elements = [.init(type: .appearance, value: ByteBuffer(bytes: [0x41, 0x03]))]
        content.options.includesTxPower = true
        // 4, 4 and 3 octets of 28, the service's 4 and the name's 12 are one less than all.
        let types: [AdvertisingDataType] = [
            .flags, .manufacturerSpecificData, .appearance, .complete16BitServiceUUIDs, .completeLocalName,
        ]
        #expect(AdvertisingData(parsing: content.packed().data).elements.map(\.type) == types)
        content.manufacturerData = [0xFF, 0xFF, 1, 2]
        let (data, response) = content.packed()
        #expect(AdvertisingData(parsing: data).elements.map(\.type) == types.dropLast())
        #expect(AdvertisingData(parsing: response).localName == "Ten octets")
    }

    @Test("refuses what one packet cannot carry: 28 octets of legacy PDUs, or 242 of extended ones, with the name")
    func optionsThatDoNotFit() {
        func isValid(_ count: Int, manufacturerData: Int?, _ phy: PHY?, name: String? = nil) -> Bool {
            var content = AdvertisedContent(localName: name, permitsWholeName: true)
            content.manufacturerData = manufacturerData.map { [UInt8](repeating: 1, count: $0) }
            content.options.elements = [.init(type: .uri, value: ByteBuffer(repeating: 0, count: count - 2))]
            content.options.phy = phy
            return content.isValid
        }
        #expect(isValid(28, manufacturerData: nil, nil) && !isValid(29, manufacturerData: nil, nil))
        #expect(isValid(24, manufacturerData: 2, nil) && !isValid(25, manufacturerData: 2, nil))
        #expect(isValid(242, manufacturerData: nil, .le1M) && !isValid(243, manufacturerData: nil, .le1M))
        #expect(isValid(28, manufacturerData: nil, nil, name: "Name"))
        #expect(isValid(236, manufacturerData: nil, .leCoded, name: "Name"))
        #expect(!isValid(237, manufacturerData: nil, .leCoded, name: "Name"))
    }

    @Test("fills the packet with services to its last octet, short ones first, each once")
    func services() {
        let services = (0..<13).map { BluetoothUUID(0xA000 + UInt16($0)) }
        let (data, scanResponse) = self.pack(nil, services)
        #expect(data.bytes.readableBytes == 31 && data.serviceUUIDs == services && scanResponse.elements.isEmpty)
        let long = BluetoothUUID(form: .full(0x0000_180D_0000_1000, 0x8000_0080_5F9B_34FB))
        let mixed = self.pack(nil, [Self.ball, 0x180D, long, 0x1809]).0
        #expect(mixed.serviceUUIDs == [0x180D, 0x1809, Self.ball])
        #expect(mixed[.complete16BitServiceUUIDs]?.readableBytes == 4)
    }

    @Test("sends services that do not fit in the overflow area, beside a name of 8 octets")
    func overflow() throws {
        let (data, scanResponse) = self.pack("Crystal", [Self.ball, Self.second, Self.third])
        #expect(data.serviceUUIDs == [Self.ball] && data[.incomplete128BitServiceUUIDs] != nil)
        #expect(data.localName == "Crystal" && scanResponse.serviceUUIDs.isEmpty && scanResponse.octetCount == 21)
        let manufacturerData = try #require(scanResponse.manufacturerSpecificData)
        let area = try #require(OverflowArea(manufacturerData: manufacturerData))
        #expect(area.mayContain(Self.second) && area.mayContain(Self.third))
        let services = (0..<10).map { BluetoothUUID(form: .full(0x1234_5678_0000_0000 | $0, 1)) }
        let full = self.pack("A long name", services).1
        #expect(full[.shortenedLocalName] == ByteBuffer(string: "A long n") && full.octetCount == 31)
    }

    @Test("sends an overflow area in the packet if there is nothing else, and marks other services as incomplete")
    func overflowAlone() throws {
        for (name, services) in [(nil, []), ("Crystal", []), (nil, [0x180D]), ("Crystal", [0x180D])]
            as [(String?, [BluetoothUUID])]
        {
            let content = AdvertisedContent(localName: name, services: services, overflowServices: [Self.second])
            let packed = content.packed()
            let data = AdvertisingData(parsing: packed.data)
            let scanResponse = AdvertisingData(parsing: packed.scanResponse)
            let isAlone = name == nil && services.isEmpty
            let manufacturerData = try #require((isAlone ? data : scanResponse).manufacturerSpecificData)
            #expect((isAlone ? scanResponse : data).manufacturerSpecificData == nil)
            let area = try #require(OverflowArea(manufacturerData: manufacturerData))
            #expect(area.mayContain(Self.second))
            #expect(data.localName == name)
            #expect(data.serviceUUIDs == services)
            #expect(data[.complete16BitServiceUUIDs] == nil)
            #expect((data[.incomplete16BitServiceUUIDs] == nil) == services.isEmpty)
        }
    }

    @Test("B6 gives the scan response beside a short name to services")
    func shortName() {
        for (name, count) in [("Tiny", 4), ("Enormous!!", 10)] {
            let services = [Self.ball] + (0..<13).map { BluetoothUUID(0xA000 + UInt16($0)) }
            let (data, scanResponse) = self.pack(name, services)
            #expect(scanResponse.localName == name)
            let cost = 2 + count
            #expect(scanResponse.serviceUUIDs.count == min(13 - data.serviceUUIDs.count + 1, (31 - cost - 2) / 2))
        }
    }

    @Test(
        "gives a name all of the scan response if that is permitted and leaves space for the services",
        arguments: [(0, "HORIZON 7.4 (a long name) 29"), (1, "HORIZON 7.4 (a long name) 29"), (3, "HORIZON 7.")]
    )
    func wholeName(longServiceCount: Int, advertised: String) {
        let services = [Self.ball, Self.second, Self.third]
        var content = AdvertisedContent(localName: "HORIZON 7.4 (a long name) 29")
        content.services = [0x180D] + services.prefix(longServiceCount)
        content.permitsWholeName = true
        let (_, response) = content.packed()
        #expect(response.readableBytes <= 31)
        let name = AdvertisingData(parsing: response).localName
        #expect(name.map { advertised.hasPrefix($0) && $0.utf8.count >= 7 } == true, "\(name ?? "")")
        if longServiceCount < 2 { #expect(name == advertised) }
    }
}

@Suite("11.2 Advertisement packing, random content")
struct AdvertisementPackingSimulationTests {
    @Test(
        "fits any content into 31 octets each, and loses no service and no manufacturer data",
        arguments: simulationSeeds(10)
    )
    func run(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        func uuid() -> BluetoothUUID {
            switch choices.below(3) {
            case 0: BluetoothUUID(UInt16(choices.below(10)))
            case 1: BluetoothUUID(form: .medium(UInt32(truncatingIfNeeded: choices.next())))
            default: BluetoothUUID(form: .full(UInt64(choices.below(10)), 2))
            }
        }
        for _ in 0..<200 {
            var content = AdvertisedContent()
            if !choices.once(in: 4) { content.localName = String(repeating: "é🎱", count: choices.below(8)) }
            content.services = (0..<choices.below(10)).map { _ in uuid() }
            if choices.once(in: 3) { content.manufacturerData = [1, 2] + choices.octets(choices.below(25)) }
            if choices.once(in: 4) { content.overflowServices = [uuid()] }
            let (data, scanResponse) = content.packed()
            #expect(data.readableBytes <= 31 && scanResponse.readableBytes <= 31)
            let read = Advertisement(data: data, scanResponse: scanResponse, isConnectable: true)
            for service in content.services + content.overflowServices {
                #expect(read.services.contains(service) || read.overflow?.mayContain(service) == true)
            }
            #expect(read.manufacturerData == content.manufacturerData.map { ByteBuffer(bytes: $0) })
            if let name = content.localName { #expect(name.hasPrefix(read.localName ?? "")) }
        }
    }
}
