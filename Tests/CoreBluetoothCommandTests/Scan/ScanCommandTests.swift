// How a scan ends its program is tested in the system layer.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import SessionTestbed
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth scan")
@MainActor
struct ScanCommandTests {
    @Test("passes devices with part of the name in any case, and with a strength that is known")
    func filters() {
        let heart = Self.discovery(1, -61, name: "Heart")
        let unknown = Self.discovery(1, nil, name: nil)
        func filter(_ name: String?, _ rssi: Int?) -> ScanSession.Filter {
            ScanSession.Filter(services: [], name: name, rssi: rssi)
        }
        #expect(filter(nil, nil).passes(heart))
        #expect(filter("EAR", -61).passes(heart))
        #expect(!filter("bear", nil).passes(heart))
        #expect(!filter(nil, -60).passes(heart))
        #expect(!filter(nil, -90).passes(unknown))
        #expect(!filter("x", nil).passes(unknown))
    }

    @Test("passes devices with data of a company or a service that begins with the octets that are asked for")
    func data() throws {
        let beacon = ScannedDevice(
            identifier: UUID(),
            manufacturerData: Data([0x4C, 0x00, 0x02, 0x15, 1]),
            serviceData: [(service: CBUUID(string: "FEAA"), data: Data([0x10, 0xEE]))]
        )
        for (arguments, isPassed) in [
            ("--manufacturer Apple", true), ("--manufacturer apple=0215", true), ("--manufacturer 76=02", true),
            ("--manufacturer 0x004C=0216", false), ("--manufacturer Google", false),
            ("--manufacturer Apple=02150102", false), ("--manufacturer Google --manufacturer Apple", true),
            ("--service-data FEAA", true), ("--service-data FEAA=10ee", true), ("--service-data FEAA=20", false),
            ("--service-data 180F", false), ("--service-data FEAA --manufacturer Google", false),
            ("--service-data FEAA=10 --manufacturer Apple=02", true),
        ] {
            let filter = try ScanCommand.parse(arguments.split(separator: " ").map(String.init)).filter
            #expect(filter.passes(beacon) == isPassed, "\(arguments)")
            #expect(!filter.passes(ScannedDevice(identifier: UUID())), "\(arguments)")
        }
    }

    @Test("shows a device once its data begins with the octets that are asked for")
    func later() throws {
        let filter = try ScanCommand.parse(["--manufacturer", "Apple=02"]).filter
        let reports = [1, 2, 2].map { (octet: UInt8) in
            ScannedDevice(
                identifier: UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
                manufacturerData: Data([0x4C, 0, octet])
            )
        }
        let lines = linesPrinted { output in
            let session = Self.session(.lines, filter: filter, output: output)
            for report in reports { session.show(report) }
        }
        #expect(filter.mayPassLater && lines == [reports[1].line])
    }

    private static func discovery(_ number: UInt8, _ rssi: Int?, name: String?) -> ScannedDevice {
        let identifier = UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
        return ScannedDevice(identifier: identifier, name: name, rssi: rssi)
    }

    private static func session(
        _ presentation: ScanSession.Presentation,
        filter: ScanSession.Filter? = nil,
        services: [CBUUID] = [],
        name: String? = nil,
        rssi: Int? = nil,
        order: ScanOrder? = nil,
        duplicates: Bool = false,
        output: OutputFormat = OutputFormat(isJSON: false, isVerbose: false) { _ in }
    ) -> ScanSession {
        ScanSession(
            filter: filter ?? ScanSession.Filter(services: services, name: name, rssi: rssi),
            presentation: presentation,
            order: order,
            duplicates: duplicates,
            timeout: nil,
            output: output
        )
    }

    // MARK: Lines

    private static let reports =
        ([(1, -71), (1, -70), (2, -60), (1, -50), (2, -90), (3, nil), (2, -70)] as [(UInt8, Int?)])
        .map { id, rssi in
            var device = discovery(id, rssi, name: "Device \(id)")
            device.time = Date(timeIntervalSince1970: 0)
            return device
        }

    /// The lines that are printed of these reports.
    private func lines(
        _ reports: [ScannedDevice],
        rssi: Int? = nil,
        order: ScanOrder? = nil,
        duplicates: Bool = false,
        isJSON: Bool = false
    ) -> [String] {
        linesPrinted(isJSON: isJSON) { output in
            let session = Self.session(.lines, rssi: rssi, order: order, duplicates: duplicates, output: output)
            for report in reports { session.show(report) }
        }
    }

    @Test("prints a device when it is first heard at the strength, or each time if that is asked for")
    func strength() {
        let once = [Self.reports[1].line, Self.reports[2].line]
        #expect(lines(Self.reports, rssi: -70) == once)
        let each = [1, 2, 3, 6].map { Self.reports[$0].line }
        #expect(lines(Self.reports, rssi: -70, duplicates: true) == each)
        #expect(lines(Self.reports, rssi: -70, duplicates: true, isJSON: true).count == 4)
        #expect(lines(Self.reports, rssi: -49, duplicates: true).isEmpty)
    }

    @Test("prints each report without a strength, since the scan leaves out duplicates, and none if they are sorted")
    func all() {
        for duplicates in [false, true] {
            #expect(lines(Self.reports, duplicates: duplicates) == Self.reports.map(\.line))
        }
        let objects = lines(Self.reports, isJSON: true)
        #expect(objects == Self.reports.map(\.object.text))
        // Sorted devices are printed at the end.
        for order in ScanOrder.allCases { #expect(lines(Self.reports, rssi: -70, order: order).isEmpty) }
    }

    /// Anna at 1 m from the beginning, and Bert at 12 m from 2 s on, nearer after 3 s; the lines of 5 s.
    private func scan(
        service: String? = nil,
        name: String? = nil,
        rssi: Int? = nil,
        duplicates: Bool = false
    ) -> [String] {
        let world = World(seed: 1)
        let advertisement = ScriptedPeripheral.Advertisement(interval: .seconds(1))
        let services = [ScriptedPeripheral.Service("180D", characteristics: [])]
        world.addPeripheral(ScriptedPeripheral(name: "Anna", services: services, advertisement: advertisement))
        let bert = world.addPeripheral(ScriptedPeripheral(name: "Bert", advertisement: advertisement), distance: 12)
        bert.isPowered = false
        world.after(.seconds(2)) { bert.isPowered = true }
        world.after(.seconds(3)) { bert.distance = 1 }
        let wanted = service.map { [CBUUID(string: $0)] } ?? []
        return linesPrinted { output in
            let session = world.addDevice("tool").run {
                let session = Self.session(
                    .lines,
                    services: wanted,
                    name: name,
                    rssi: rssi,
                    duplicates: duplicates,
                    output: output
                )
                session.start()
                return session
            }
            world.advance(by: .seconds(6))
            withExtendedLifetime(session) {}
        }
        .map { line in ["Anna", "Bert"].first { line.contains("dBm  \"\($0)\"") } ?? line }
    }

    @Test("hears devices with the service, the name and the strength that are asked for, each once or each time")
    func heard() {
        #expect(scan() == ["Anna", "Bert"])
        #expect(scan(name: "AN") == ["Anna"] && scan(name: "x").isEmpty)
        #expect(scan(service: "180D") == ["Anna"] && scan(service: "180F").isEmpty)
        // Bert comes near enough later.
        #expect(scan(rssi: -60) == ["Anna", "Bert"])
        // Each advertisement has its scan response.
        let reports = scan(name: "anna", duplicates: true)
        #expect(reports.count >= 8 && reports.count.isMultiple(of: 2) && Set(reports) == ["Anna"])
    }
}
