// The table of a scan through a long walk, on record: random reports at random times, drawn in any width, height and
// order; and the lines and objects of random reports.

import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("A walk through a scan")
struct ScanWalkTests {
    private static func identifier(_ number: Int) -> UUID {
        UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
    }

    private static func discovery(_ generator: inout SeededGenerator, devices: Int) -> Discovery {
        func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? {
            Bool.random(using: &generator) ? value() : nil
        }
        let number = Int.random(in: 0..<devices, using: &generator)
        let names = ["anna", "Bert", "Wärme 日本語", "", "x\u{1B}[2J", "A name of thirty-one characters", "BERT"]
        let services = ["180D", "180F", "FFF0", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"].map { CBUUID(string: $0) }
        let octets = [[], [0x4C], [0x4C, 0], [0x4C, 0, 2, 0x15], [0xFE, 0xFF, 1], [0x59, 0, 0xAB]] as [[UInt8]]
        let name = maybe(names[number % names.count])
        let rssi = maybe(Int.random(in: -100 ... -30, using: &generator))
        let manufacturer = maybe(octets.randomElement(using: &generator) ?? [])
        let power = maybe(Int.random(in: -20...8, using: &generator))
        return Discovery(
            identifier: Self.identifier(number),
            name: name,
            rssi: rssi,
            isConnectable: Int.random(in: 0..<4, using: &generator) > 0,
            services: services.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 },
            manufacturerData: manufacturer.map { Data($0) },
            serviceData: services.filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }
                .map { ($0, Data([UInt8(number), 0xA0])) },
            txPower: power
        )
    }

    @Test(
        "A report has a line, an object and columns of its own; a later one adds what it says",
        arguments: 1...4 as ClosedRange<UInt64>
    )
    func discoveries(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var merged = Self.discovery(&generator, devices: 20)
        for _ in 0..<150 {
            let next = Self.discovery(&generator, devices: 20)
            merged.merge(next)
            for discovery in [next, merged] {
                RunRecord.note("\(discovery.line) \(discovery.object.text)")
                RunRecord.note("\(discovery.serviceWords) \(discovery.manufacturerWords)")
                _ = try JSONSerialization.jsonObject(with: Data(discovery.object.text.utf8))
            }
            for rssi in [nil, -60, -50] as [Int?] {
                for name in [nil, "ANN", "b"] as [String?] {
                    let filter = ScanSession.Filter(services: [], name: name, rssi: rssi)
                    RunRecord.note("\(filter.passes(next)) \(filter.passes(merged))")
                }
            }
        }
    }

    @Test(
        "Rows stay in their order, fit any terminal, and are drawn over the last ones",
        arguments: 1...3 as ClosedRange<UInt64>
    )
    func table(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = ScanTable()
        var now = Date(timeIntervalSinceReferenceDate: 0)
        var drawn = 0
        let orders: [ScanOrder?] = [nil, .rssi, .name, .time]
        for step in 0..<200 {
            table.add(Self.discovery(&generator, devices: 4 + step / 10), at: now)
            now += [0, 0.25, 1, 9.75, 10][Int.random(in: 0..<5, using: &generator)]
            let width = [1, 5, 11, 12, 16, 17, 20, 28, 36, 37, 40, 60, 80, 99, 100, 101, 120, 200][step % 18]
            let height = [0, 1, 2, 3, 4, 5, 8, 24][Int.random(in: 0..<8, using: &generator)]
            for order in orders {
                let lines = table.lines(width: width, height: height, now: now, order: order)
                for line in lines { #expect(ColumnWidth.columns(of: line.text) <= max(1, width - 1)) }
                let hasColors = step % 2 == 0
                RunRecord.note(ScanTable.drawing(lines, over: drawn, hasColors: hasColors))
                drawn = lines.count
                RunRecord.note("\(table.ordered(by: order, now: now).map(\.discovery.identifier))")
            }
            RunRecord.note("\(table.rows.map(\.meanRSSI))")
        }
    }

    @Test("A device is meant by its name, its identifier, or four characters of that")
    func queries() throws {
        let identifier = try #require(UUID(uuidString: "0D66ABCD-1234-4000-8000-00805F9B34FB"))
        let texts = [
            "", "0", "0D6", "0d66", "0D66A", "0D66-", "0D66ABCD-", "0d66abcd-1234", "ABCD",
            "0D66ABCD-1234-4000-8000-00805F9B34FB",
            "0D66ABCD-1234-4000-8000-00805F9B34FC", "0D66G", "anna", "ANNA", "Ann", "Annabel", "ＡＢＣＤ", "face", "FACE",
        ]
        for text in texts {
            for name in [nil, "Anna", "Face", "0D66", ""] as [String?] {
                let query = DeviceQuery(text)
                RunRecord.note("\(text) \(name ?? "-") \(query.matches(name: name, identifier: identifier))")
                RunRecord.note("\(query.text) \(query.identifier?.uuidString ?? "-")")
            }
        }
    }
}
