// Packets as controllers report them (Vol 4, Part E, 7.7.65.2 and 7.7.65.13), and AD structures by the Supplement to
// the Core Specification, Part A, 1.

import BluetoothHCI
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("A scan of packets")
@MainActor
struct RawScanTests {
    private static let start = Date(timeIntervalSinceReferenceDate: 0)
    private static let address = DeviceAddress(0xC011_2233_4455, kind: .random)

    private static func legacy(
        _ type: LEAdvertisingReport.EventType,
        _ octets: [UInt8],
        _ address: DeviceAddress = address,
        rssi: Int8 = -45
    ) -> LEAdvertisingReport {
        LEAdvertisingReport(
            eventType: type,
            address: address,
            data: ByteBuffer(bytes: octets),
            rssi: RSSI(rawValue: rssi)
        )
    }

    private static func extended(
        _ type: LEExtendedAdvertisingReport.EventType,
        _ octets: [UInt8] = []
    ) -> LEExtendedAdvertisingReport {
        LEExtendedAdvertisingReport(
            eventType: type,
            address: address,
            primaryPHY: .leCoded,
            secondaryPHY: .le2M,
            setIdentifier: 3,
            txPower: TransmitPower(rawValue: 8),
            rssi: RSSI(rawValue: -70),
            data: ByteBuffer(bytes: octets)
        )
    }

    private static let name: [UInt8] = [2, 1, 6, 3, 9, 0x48, 0x69]

    @Test("has the address and its type, the PDU, the PHYs, the strength, and each AD structure in words and octets")
    func lines() {
        #expect(
            RawReport(Self.legacy(.connectableUndirected, Self.name), at: Self.start).line == """
                C0:11:22:33:44:55  random static  ADV_IND  1M  -45 dBm
                  01 Flags: LE General Discoverable, BR/EDR not supported  [06]
                  09 Complete Local Name: "Hi"  [48 69]
                """
        )
        #expect(
            RawReport(Self.extended([.connectable], [2, 0x0A, 0xFC]), at: Self.start).line == """
                C0:11:22:33:44:55  random static  ADV_EXT_IND connectable  Coded, 2M  set 3  -70 dBm  sent with 8 dBm
                  0A Tx Power Level: -4 dBm  [FC]
                """
        )
    }

    @Test(
        "names the PDU of each event type",
        arguments: [
            ([.legacy, .connectable, .scannable], "ADV_IND"), ([.legacy, .connectable, .directed], "ADV_DIRECT_IND"),
            ([.legacy, .scannable], "ADV_SCAN_IND"), ([.legacy], "ADV_NONCONN_IND"),
            ([.legacy, .connectable, .scannable, .scanResponse], "SCAN_RSP"), ([], "ADV_EXT_IND"),
            ([.scannable, .scanResponse], "AUX_SCAN_RSP"),
        ] as [(LEExtendedAdvertisingReport.EventType, String)]
    )
    func pdus(type: LEExtendedAdvertisingReport.EventType, pdu: String) {
        #expect(RawReport(Self.extended(type), at: Self.start).pdu == pdu)
    }

    @Test(
        "names the kind of an address",
        arguments: [
            (DeviceAddress(0xC000_0000_0000, kind: .random), "random static"),
            (DeviceAddress(0x4000_0000_0000, kind: .random), "random resolvable"),
            (DeviceAddress(0x0000_0000_0001, kind: .random), "random non-resolvable"),
            (DeviceAddress(0x0000_0000_0001, kind: .public), "public"),
            (DeviceAddress(0x0000_0000_0001, kind: .publicIdentity), "public identity, resolved"),
        ]
    )
    func addressTypes(address: DeviceAddress, type: String) {
        #expect(RawReport(Self.legacy(.scanResponse, [], address), at: Self.start).addressType == type)
    }

    @Test(
        "says what an AD structure means, and gives the octets of one that it cannot read",
        arguments: [
            ([0x08, 0x48, 0x69], "08 Shortened Local Name: \"Hi\"  [48 69]"),
            ([0x03, 0x0D, 0x18], "03 Complete List of 16-bit Service UUIDs: 180D Heart Rate  [0D 18]"),
            ([0x14, 0x0F, 0x18], "14 List of 16-bit Service Solicitation UUIDs: 180F Battery  [0F 18]"),
            ([0x16, 0x0F, 0x18, 0x57], "16 Service Data - 16-bit UUID: 180F Battery  [0F 18 57]"),
            ([0x19, 0xC1, 0x03], "19 Appearance: Human Interface Device: Keyboard  [C1 03]"),
            ([0x12, 6, 0, 12, 0], "12 Peripheral Connection Interval Range: 7.5 to 15 ms  [06 00 0C 00]"),
            ([0x1A, 0xA0, 0x00], "1A Advertising Interval: 100 ms  [A0 00]"),
            ([0xFF, 0x4C, 0x00, 0x01], "FF Manufacturer Specific Data: Apple  [4C 00 01]"),
            ([0xFF, 0x4C], "FF Manufacturer Specific Data: 4C"),
            ([0x12, 6], "12 Peripheral Connection Interval Range: 06"),
            ([0x7E, 1], "7E unknown type: 01"), ([0x01], "01 Flags: "),
        ] as [([UInt8], String)]
    )
    func elements(octets: [UInt8], line: String) {
        let element = AdvertisingData.Element(
            type: AdvertisingDataType(rawValue: octets[0]),
            value: ByteBuffer(bytes: octets.dropFirst())
        )
        #expect(AdvertisingElementText.line(element) == line)
    }

    private static func words(_ type: AdvertisingDataType, _ octets: [UInt8]) -> String? {
        AdvertisingElementText.words(.init(type: type, value: ByteBuffer(bytes: octets)))
    }

    @Test("decodes iBeacons and Eddystones, and no other data of their companies")
    func beacons() {
        let uuid: [UInt8] = (0..<16).map { $0 }
        #expect(
            Self.words(.manufacturerSpecificData, [0x4C, 0, 2, 0x15] + uuid + [0, 1, 0, 2, 0xC5])
                == "Apple, iBeacon 00010203-0405-0607-0809-0A0B0C0D0E0F, major 1, minor 2, -59 dBm at 1 m"
        )
        #expect(Self.words(.manufacturerSpecificData, [0x4C, 0, 2, 0x15, 1]) == "Apple")
        let label = UUIDText.label(ofService: CBUUID(string: "FEAA"))
        #expect(
            Self.words(.serviceData16Bit, [0xAA, 0xFE, 0x10, 0xEE, 3] + Array("example".utf8) + [0])
                == "\(label), Eddystone-URL https://example.com/, -18 dBm at 0 m"
        )
        #expect(
            Self.words(.serviceData16Bit, [0xAA, 0xFE, 0, 0xEE] + uuid)
                == "\(label), Eddystone-UID 00010203040506070809 0A0B0C0D0E0F, -18 dBm at 0 m"
        )
        #expect(
            Self.words(.serviceData16Bit, [0xAA, 0xFE, 0x20, 0, 0x0B, 0xB8, 0x15, 0x80, 0, 0, 0, 7, 0, 0, 0, 100])
                == "\(label), Eddystone-TLM 3000 mV, 21.5 °C, 7 packets, up for 10 s"
        )
        for frame in [[], [0x00, 1], [0x10, 1, 9], [0x20, 1], [0x30]] as [[UInt8]] {
            #expect(Self.words(.serviceData16Bit, [0xAA, 0xFE] + frame) == label)
        }
    }

    @Test("has words or none for any octets of any type")
    func anyOctets() {
        var choices = SeededChoices(seed: 1)
        for type in UInt8.min...UInt8.max {
            for count in 0..<27 {
                let value = ByteBuffer(bytes: choices.octets(count))
                #expect(!AdvertisingElementText.line(.init(type: .init(rawValue: type), value: value)).isEmpty)
            }
        }
    }

    // MARK: Printing

    private func printed(
        _ filter: ScanSession.Filter,
        isJSON: Bool = false,
        _ reports: [(LEAdvertisingReport, Double)]
    ) -> [String] {
        linesPrinted(isJSON: isJSON) { output in
            let scan = RawScan(filter, output)
            for (report, seconds) in reports { scan.receive([RawReport(report, at: Self.start + seconds)]) }
        }
    }

    private static let all = ScanSession.Filter(services: [], name: nil, rssi: nil)

    @Test("prints each packet, with the time since the last one of its kind from the advertiser")
    func intervals() throws {
        let other = DeviceAddress(7, kind: .public)
        let lines = printed(
            Self.all,
            isJSON: true,
            [
                (Self.legacy(.connectableUndirected, []), 0), (Self.legacy(.scanResponse, []), 0.001),
                (Self.legacy(.connectableUndirected, [], other), 0.05),
                (Self.legacy(.connectableUndirected, []), 0.1), (Self.legacy(.scanResponse, []), 0.1016),
            ]
        )
        #expect(try lines.map { try jsonObject($0)["interval"] as? Double } == [nil, nil, nil, 100, 100.6])
        let schema = try JSONSchema("output.schema.json")
        for line in lines { #expect(schema.problem(try jsonObject(line), as: "advertisement") == nil, "\(line)") }
    }

    @Test("prints all packets of an advertiser once one of them has the name or the service that is asked for")
    func filters() {
        let other = DeviceAddress(7, kind: .public)
        let reports: [(LEAdvertisingReport, Double)] = [
            (Self.legacy(.connectableUndirected, [3, 3, 0x0D, 0x18]), 0),
            (Self.legacy(.connectableUndirected, [], other), 0), (Self.legacy(.scanResponse, Self.name), 0),
            (Self.legacy(.connectableUndirected, [], rssi: -80), 1),
        ]
        func count(_ services: [String], _ name: String?, _ rssi: Int?) -> Int {
            printed(.init(services: services.map { CBUUID(string: $0) }, name: name, rssi: rssi), reports).count
        }
        #expect(count([], nil, nil) == 4)
        #expect(count([], "hI", nil) == 2)
        #expect(count(["180D"], nil, nil) == 3)
        #expect(count([], nil, -60) == 3)
        #expect(count(["180F"], nil, nil) == 0)
        // The service is in an advertisement, the name in a scan response.
        #expect(count(["180D"], "hI", nil) == 2)
    }

    @Test("prints all packets of an advertiser once one of them has the data that is asked for")
    func dataFilters() throws {
        let beacon: [UInt8] = [5, 0xFF, 0x4C, 0, 2, 0x15, 4, 0x16, 0xAA, 0xFE, 0x10]
        let reports: [(LEAdvertisingReport, Double)] = [
            (Self.legacy(.nonConnectableUndirected, beacon), 0), (Self.legacy(.scanResponse, Self.name), 1),
            (Self.legacy(.nonConnectableUndirected, Self.name, DeviceAddress(7, kind: .public)), 2),
        ]
        for (arguments, count) in [
            ("--manufacturer Apple=0215", 2), ("--manufacturer Apple=03", 0), ("--service-data FEAA", 2),
            ("--service-data FEAA=20", 0), ("--manufacturer Apple --service-data FEAA=10", 2),
            ("--name Hi --manufacturer Apple", 1),
        ] {
            let filter = try ScanCommand.parse(arguments.split(separator: " ").map(String.init)).filter
            #expect(printed(filter, reports).count == count, "\(arguments)")
        }
    }

    @Test("reads the reports of both kinds of scanning from the controller's events, and of no other event")
    func packets() {
        let observer = RawReportObserver { _ in }
        func reports(_ packet: HCIPacket) -> [RawReport] { observer.reports(of: packet, at: Self.start, now: .now()) }
        #expect(reports(LEReports.packet(Self.legacy(.scanResponse, Self.name))).map(\.pdu) == ["SCAN_RSP"])
        #expect(reports(LEReports.packet(Self.extended([.connectable]))).map(\.set) == [3])
        #expect(reports(HCIPacket(h4: ByteBuffer(bytes: [4, 5, 4, 0, 0, 0, 0]))).isEmpty)
    }

    @Test("has one report for the fragments of an extended advertisement, with all of its data")
    func fragments() {
        let observer = RawReportObserver { _ in }
        func reports(_ status: LEExtendedAdvertisingReport.DataStatus, _ octets: [UInt8]) -> [RawReport] {
            var type: LEExtendedAdvertisingReport.EventType = .connectable
            type.dataStatus = status
            return observer.reports(of: LEReports.packet(Self.extended(type, octets)), at: Self.start, now: .now())
        }
        #expect(reports(.incomplete, [5, 9, 0x48]).isEmpty)
        let whole = reports(.complete, [0x65, 0x79, 0x21])
        #expect(
            whole.map(\.line) == [
                """
                C0:11:22:33:44:55  random static  ADV_EXT_IND connectable  Coded, 2M  set 3  -70 dBm  sent with 8 dBm
                  09 Complete Local Name: "Hey!"  [48 65 79 21]
                """
            ]
        )
        #expect(whole.map(\.isTruncated) == [false])
    }
}
