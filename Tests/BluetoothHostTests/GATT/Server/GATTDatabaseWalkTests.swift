// Databases to which services are added and from which they are taken, on record, up to the last handle.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT database: a walk")
struct GATTDatabaseWalkTests {
    private static func definition(using generator: inout SeededGenerator) throws -> GATTServiceDefinition {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        let uuids: [BluetoothUUID] = [0xA000, 0xA001, try GATTServerFixture.full("07")]
        let characteristics = (0..<number(0...3)).map { _ in
            let value: ByteBuffer? =
                switch number(0...9) {
                case 0: octets(number(511...513))
                case 1...4: octets(number(0...3))
                default: nil
                }
            return GATTCharacteristicDefinition(
                uuid: uuids[number(0...2)],
                properties: CharacteristicProperties(rawValue: UInt8(number(0...255))),
                permissions: [[.readable], [.writeable], [], [.readable, .writeEncryptionRequired]][number(0...3)],
                value: value,
                subscriptionSecurity: number(0...1) == 0 ? .none : .authenticated,
                hasClientConfiguration: number(0...3) > 0,
                descriptors: (0..<number(0...2)).map { _ in
                    GATTDescriptorDefinition(
                        uuid: [0x2901, 0x2904, 0x2905, 0x2903, 0xD001][number(0...4)],
                        value: octets(number(0...20) == 0 ? 513 : 2),
                        permissions: number(0...1) == 0 ? .readable : [.readable, .writeable],
                        isDynamic: number(0...3) == 0
                    )
                }
            )
        }
        let handles: [AttributeHandle?] = [
            nil, nil, nil, 1, 0, AttributeHandle(number(1...40)), AttributeHandle(0xFFFF - number(0...12)),
        ]
        return GATTServiceDefinition(
            uuid: uuids[number(0...2)],
            isPrimary: number(0...3) > 0,
            handle: handles[number(0...6)],
            includedServices: (0..<number(0...1)).map { _ in AttributeHandle(number(1...12)) },
            characteristics: characteristics
        )
    }

    private static func text(_ attribute: GATTAttribute) -> String {
        let content =
            switch attribute.content {
            case .fixed(let value): "fixed \(hex(value))"
            case .application: "application"
            case .clientConfiguration(let handle, let properties): "configuration \(handle) \(properties.rawValue)"
            case .clientSupportedFeatures: "features"
            case .databaseHash: "hash"
            }
        let security = [attribute.readSecurity, attribute.writeSecurity].map { "\($0.level) \($0.minimumKeySize)" }
        return "\(attribute.handle) \(attribute.groupEnd) \(attribute.access.rawValue) \(security) \(attribute.type) "
            + "\(attribute.shortType) \(attribute.isService) \(attribute.isApplicationValue) \(content)"
    }

    @Test("services that come and go have handles of their own, and every attribute is found", arguments: [1, 2, 3])
    func services(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var database = GATTDatabase()
        for step in 0..<250 {
            let place = Int.random(in: 0...database.services.count, using: &generator)
            if Int.random(in: 0...2, using: &generator) == 0, place < database.services.count {
                let range = database.services[place]
                let other = database.remove(range.lowerBound &+ 1)
                #expect(other == nil || database.services.contains { $0.lowerBound == range.lowerBound } == true)
                RunRecord.note("\(step) \(database.remove(range.lowerBound).map { "\($0)" } ?? "none")")
            } else {
                let definition = try Self.definition(using: &generator)
                do throws(GATTDatabaseError) {
                    let handles = try database.add(definition)
                    #expect(handles.range.count == GATTServiceBuilder.handleCount(of: definition))
                    RunRecord.note("\(step) \(handles.range) \(handles.characteristics.map(\.value))")
                    RunRecord.note("\(step) \(handles.characteristics.map { "\($0.clientConfiguration ?? 0)" })")
                    RunRecord.note("\(step) \(handles.characteristics.map(\.descriptors))")
                    let index = database.firstIndex(from: handles.range.lowerBound)
                    for attribute in database.attributes[index...].prefix(handles.range.count) {
                        RunRecord.note("\(step) \(Self.text(attribute))")
                    }
                } catch {
                    RunRecord.note("\(step) \(error)")
                }
            }
            RunRecord.note("\(step) \(hex(database.hash().octets)) \(hex(database.hash().value))")
            let handles = database.attributes.map(\.handle)
            #expect(handles == handles.sorted() && Set(handles).count == handles.count)
            #expect(database.services.flatMap { Array($0) } == handles)
            for (index, handle) in handles.enumerated() {
                #expect(database.index(of: handle) == index && database.firstIndex(from: handle) == index)
            }
            for handle in [0, 1, 2, 7, 0x0100, 0xFFF7, 0xFFFE, 0xFFFF] as [AttributeHandle] {
                let first = handles.firstIndex { $0 >= handle } ?? handles.count
                #expect(database.firstIndex(from: handle) == first)
                #expect(database.index(of: handle) == (handles.contains(handle) ? first : nil))
            }
        }
    }
}
