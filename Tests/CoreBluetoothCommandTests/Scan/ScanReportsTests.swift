// Which reports of a scan are lines: the first of a device, each, or none before the end; with and without a filter for
// strength, for a person and for a program.

import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The reports of a scan that are printed")
@MainActor
struct ScanReportsTests {
    private static func discovery(_ number: UInt8, _ rssi: Int?) -> Discovery {
        let identifier = UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
        return Discovery(identifier: identifier, name: "Device \(number)", rssi: rssi)
    }

    /// What is printed of these reports.
    private static func lines(
        _ reports: [Discovery],
        rssi: Int? = nil,
        order: ScanOrder? = nil,
        duplicates: Bool = false,
        isJSON: Bool = false
    ) -> [String] {
        let printed = Watched<[String]>([])
        let session = ScanSession(
            filter: ScanSession.Filter(services: [], name: nil, rssi: rssi),
            presentation: .lines,
            order: order,
            duplicates: duplicates,
            timeout: nil,
            output: OutputFormat(isJSON: isJSON, isVerbose: false) { line in printed.update { $0.append(line) } }
        )
        for report in reports { session.show(report) }
        for line in printed.value { RunRecord.note(line) }
        return printed.value
    }

    private static let reports = [
        discovery(1, -71), discovery(1, -70), discovery(2, -60), discovery(1, -50), discovery(2, -90),
        discovery(3, nil), discovery(2, -70),
    ]

    @Test("With a filter for strength a device is a line when it is first heard so, or each time, if that is asked for")
    func strength() {
        let once = [Self.reports[1].line, Self.reports[2].line]
        #expect(Self.lines(Self.reports, rssi: -70) == once)
        let each = [1, 2, 3, 6].map { Self.reports[$0].line }
        #expect(Self.lines(Self.reports, rssi: -70, duplicates: true) == each)
        #expect(Self.lines(Self.reports, rssi: -70, duplicates: true, isJSON: true).count == 4)
        #expect(Self.lines(Self.reports, rssi: -49, duplicates: true).isEmpty)
    }

    @Test("Without one each report is a line: the scan has left out those that were not asked for")
    func all() {
        for duplicates in [false, true] {
            #expect(Self.lines(Self.reports, duplicates: duplicates) == Self.reports.map(\.line))
        }
        let objects = Self.lines(Self.reports, isJSON: true)
        #expect(objects == Self.reports.map(\.object.text))
        #expect(objects.allSatisfy { $0.hasPrefix(#"{"event":"discovered","identifier":"#) })
    }

    @Test("Where they are sorted nothing is a line before the end", arguments: ScanOrder.allCases)
    func sorted(order: ScanOrder) {
        #expect(Self.lines(Self.reports, order: order).isEmpty)
        #expect(Self.lines(Self.reports, rssi: -70, order: order).isEmpty)
    }
}
