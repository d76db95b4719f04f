import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client and server: simulation")
struct GATTClientServerSimulationTests {
    private static func uuid(_ choices: inout SeededChoices) -> BluetoothUUID {
        choices.once(in: 2)
            ? BluetoothUUID(UInt16(0xA000 + choices.below(16)))
            : BluetoothUUID(form: .full(choices.next(), choices.next()))
    }

    private static func characteristic(_ choices: inout SeededChoices) -> GATTCharacteristicDefinition {
        let more: [CharacteristicProperties] = [[], .notify, .indicate, [.notify, .indicate], .extendedProperties]
        let isFixed = choices.once(in: 2)
        return GATTCharacteristicDefinition(
            uuid: Self.uuid(&choices),
            properties: isFixed ? .read : [.read, .write, choices.pick(more)],
            permissions: isFixed ? .readable : [.readable, .writeable],
            value: isFixed ? octets(choices.below(513)) : nil,
            descriptors: (0..<choices.below(3)).map { _ in
                let uuid = choices.once(in: 2) ? 0x2901 : Self.uuid(&choices)
                return GATTDescriptorDefinition(uuid: uuid, value: octets(choices.below(61)))
            }
        )
    }

    @Test("finds what a server publishes, at every MTU", arguments: simulationSeeds(7))
    func discovery(seed: UInt64) throws {
        var choices = SeededChoices(seed: seed)
        let mtu = [23, 24, 31, 64, 185, 247, 517][Int(seed % 7)]
        var pair = ClientAndServer(mtu: mtu)
        #expect(pair.run(.exchangeMTU(preferred: 517)) == .success(.mtu(mtu)))
        var published: [(definition: GATTServiceDefinition, handles: GATTServiceHandles, remote: GATTRemoteService)] =
            []
        for _ in 0...choices.below(12) {
            let definition = GATTServiceDefinition(
                uuid: Self.uuid(&choices),
                isPrimary: !choices.once(in: 4),
                includedServices: choices.some(published.map(\.handles.range.lowerBound)),
                characteristics: (0..<choices.below(7)).map { _ in Self.characteristic(&choices) }
            )
            let handles = try pair.add(definition)
            let remote = GATTRemoteService(
                uuid: definition.uuid,
                handles: handles.range,
                isPrimary: definition.isPrimary
            )
            published.append((definition, handles, remote))
        }

        let builtIn = [
            GATTRemoteService(uuid: 0x1800, handles: 0x0001...0x0005, isPrimary: true),
            GATTRemoteService(uuid: 0x1801, handles: 0x0006...0x000D, isPrimary: true),
        ]
        let primary = published.map(\.remote).filter(\.isPrimary)
        #expect(pair.run(.discoverServices(uuids: nil)) == .success(.services(builtIn + primary)))
        var filter: [BluetoothUUID] = []
        for service in published where !filter.contains(service.definition.uuid) {
            filter.append(service.definition.uuid)
        }
        let filtered = filter.flatMap { uuid in primary.filter { $0.uuid == uuid } }
        #expect(pair.run(.discoverServices(uuids: filter + filter)) == .success(.services(filtered)))
        for (definition, handles, _) in published {
            let included = definition.includedServices.flatMap { handle in
                published.map(\.remote).filter { $0.handles.lowerBound == handle }
            }
            #expect(pair.run(.discoverIncludedServices(handles.range)) == .success(.services(included)))
            try Self.check(definition, handles, &pair)
        }
    }

    /// The characteristics of a service, their descriptors and values are as they were published.
    private static func check(
        _ definition: GATTServiceDefinition,
        _ handles: GATTServiceHandles,
        _ pair: inout ClientAndServer
    ) throws {
        let ends = handles.characteristics.dropFirst().map { $0.value - 2 } + [handles.range.upperBound]
        var remote: [GATTRemoteCharacteristic] = []
        for (index, characteristic) in definition.characteristics.enumerated() {
            let value = handles.characteristics[index].value
            remote.append(
                GATTRemoteCharacteristic(characteristic.uuid, characteristic.properties, value - 1, value, ends[index])
            )
        }
        #expect(pair.run(.discoverCharacteristics(handles.range)) == .success(.characteristics(remote)))
        for (index, characteristic) in definition.characteristics.enumerated() {
            let own = handles.characteristics[index]
            guard case .success(.descriptors(let found))? = pair.run(.discoverDescriptors(remote[index])) else {
                Issue.record("no descriptors")
                return
            }
            let descriptors = zip(own.descriptors, characteristic.descriptors)
            #expect(
                found.filter { own.descriptors.contains($0.handle) }
                    == descriptors.map { GATTRemoteDescriptor(uuid: $1.uuid, handle: $0) }
            )
            #expect(found.first { $0.uuid == 0x2902 }?.handle == own.clientConfiguration)
            for (handle, descriptor) in descriptors {
                #expect(pair.run(.read(handle)) == .success(.value(descriptor.value)))
            }
            if let value = characteristic.value { #expect(pair.run(.read(own.value)) == .success(.value(value))) }
        }
    }
}
