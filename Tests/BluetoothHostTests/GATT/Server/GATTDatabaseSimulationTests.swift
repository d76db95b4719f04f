import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT database: simulation")
struct GATTDatabaseSimulationTests {
    private static func characteristic(_ choices: inout SeededChoices) -> GATTCharacteristicDefinition {
        let lengths: [Int?] = [nil, nil, 0, 3, choices.pick([511, 512, 512, 512, 513])]
        return GATTCharacteristicDefinition(
            uuid: choices.pick([0xA000, BluetoothUUID(form: .full(7, 7))]),
            properties: CharacteristicProperties(rawValue: UInt8(choices.below(256))),
            permissions: choices.pick([[.readable], [.writeable], [], [.readable, .writeEncryptionRequired]]),
            value: choices.pick(lengths).map { octets($0) },
            hasClientConfiguration: !choices.once(in: 4),
            descriptors: (0..<choices.below(3)).map { _ in
                GATTDescriptorDefinition(
                    uuid: choices.pick([0x2901, 0x2904, 0x2905, 0xD001, choices.once(in: 10) ? 0x2902 : 0xD002]),
                    value: octets(choices.once(in: 20) ? 513 : 2),
                    isDynamic: choices.once(in: 4)
                )
            }
        )
    }

    /// A service at any handle, often one of the first or the last ones.
    static func service(_ choices: inout SeededChoices) -> GATTServiceDefinition {
        let low = AttributeHandle(choices.below(40))
        return GATTServiceDefinition(
            uuid: choices.pick([0xA000, BluetoothUUID(form: .full(7, 7))]),
            isPrimary: !choices.once(in: 4),
            handle: choices.pick([nil, nil, nil, low, 0xFFFF - low / 3]),
            includedServices: choices.once(in: 3) ? [AttributeHandle(choices.below(12))] : [],
            characteristics: (0..<choices.below(4)).map { _ in Self.characteristic(&choices) }
        )
    }

    @Test("keeps services apart, in order and complete, and finds every attribute", arguments: simulationSeeds(3))
    func services(seed: UInt64) throws {
        var choices = SeededChoices(seed: seed)
        var database = GATTDatabase()
        for _ in 0..<120 {
            let before = database.attributes
            if choices.once(in: 3), !database.services.isEmpty {
                let service = choices.pick(database.services)
                if service.count > 1 { #expect(database.remove(service.lowerBound + 1) == nil, "not a declaration") }
                #expect(database.remove(service.lowerBound) == service)
                #expect(database.attributes.map(\.handle) == before.map(\.handle).filter { !service.contains($0) })
            } else {
                let definition = Self.service(&choices)
                do throws(GATTDatabaseError) {
                    let handles = try database.add(definition)
                    #expect(handles.range.count == GATTServiceBuilder.handleCount(of: definition))
                    #expect(handles.characteristics.count == definition.characteristics.count)
                    #expect(!before.contains { handles.range.contains($0.handle) })
                } catch {
                    #expect(database.attributes.count == before.count, "a refused service leaves nothing")
                }
            }
            let handles = database.attributes.map(\.handle)
            #expect(database.services.flatMap { Array($0) } == handles && handles == handles.sorted())
            let hash = database.hash()
            #expect(hash == GATTDatabase.Hash(of: database.attributes))
            for handle in [0, 1, 2, 7, 0x0100, 0xFFFE, 0xFFFF] + handles.prefix(1)
                + handles.shuffled(using: &choices).prefix(5)
            {
                let first = handles.firstIndex { $0 >= handle } ?? handles.count
                #expect(database.firstIndex(from: handle) == first)
                #expect(database.index(of: handle) == (handles.contains(handle) ? first : nil))
            }
        }
    }
}
