// The definitions of the GATT server and the advertisement of a script.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Definitions of a script")
struct ScriptDefinitionTests {
    private typealias Security = ScriptedPeripheral.Security
    private typealias Characteristic = ScriptedPeripheral.Characteristic

    private static func definition(_ characteristic: Characteristic) throws -> GATTCharacteristicDefinition {
        let service = ScriptedPeripheral.Service("FFF0", characteristics: [characteristic])
        return try #require(service.definition(including: [:]).characteristics.first)
    }

    @Test("requires for each use of a characteristic its own security, or else that of the characteristic")
    func permissions() throws {
        let levels: [(Security, SecurityLevel)] = [
            (.none, .none), (.encrypted, .encrypted), (.authenticated, .authenticated),
        ]
        let properties: [CBCharacteristicProperties] = [
            .read, .write, .writeWithoutResponse, [.read, .write], .notify, [],
        ]
        for (security, level) in levels {
            for (own, ownLevel) in levels {
                for property in properties {
                    func found(_ change: (inout Characteristic) -> Void) throws -> [SecurityLevel?] {
                        var characteristic = Characteristic("FFF1", properties: property, security: security)
                        change(&characteristic)
                        let definition = try Self.definition(characteristic)
                        return [
                            definition.permissions.read?.level, definition.permissions.write?.level,
                            definition.subscriptionSecurity.level,
                        ]
                    }
                    let expected = {
                        (read: SecurityLevel, write: SecurityLevel, other: SecurityLevel) -> [SecurityLevel?] in
                        let isWritable = !property.isDisjoint(with: [.write, .writeWithoutResponse])
                        return [property.contains(.read) ? read : nil, isWritable ? write : nil, other]
                    }
                    let text = "\(property.rawValue) \(security) \(own)"
                    #expect(try found { _ in } == expected(level, level, level), "\(text)")
                    #expect(try found { $0.readSecurity = own } == expected(ownLevel, level, level), "\(text)")
                    #expect(try found { $0.writeSecurity = own } == expected(level, ownLevel, level), "\(text)")
                    #expect(try found { $0.subscriptionSecurity = own } == expected(level, level, ownLevel), "\(text)")
                }
            }
        }
    }

    @Test("gives the GATT server the characteristics and descriptors of a script")
    func definitions() throws {
        let definition = try Self.definition(
            Characteristic(
                "FFF1",
                properties: CBCharacteristicProperties(rawValue: 0x312),
                value: Data([1]),
                userDescription: "Tür",
                descriptors: [
                    .init("FFD1", value: Data([7]), isWritable: true, security: .encrypted),
                    .init("FFD2", value: Data(), security: .authenticated),
                ],
                hasClientConfiguration: false
            )
        )
        #expect(definition.uuid == 0xFFF1 && definition.properties.rawValue == 0x12 && definition.value == nil)
        #expect(!definition.hasClientConfiguration && definition.descriptors.map(\.uuid) == [0x2901, 0xFFD1, 0xFFD2])
        let values = [ByteBuffer(string: "Tür"), ByteBuffer(bytes: [7]), ByteBuffer()]
        #expect(definition.descriptors.map(\.value) == values)
        #expect(definition.descriptors.map(\.isDynamic) == [false, true, true])
        let reads: [SecurityLevel?] = definition.descriptors.map { $0.permissions.read?.level }
        let writes: [SecurityLevel?] = definition.descriptors.map { $0.permissions.write?.level }
        #expect(reads == [SecurityLevel.none, .encrypted, .authenticated] && writes == [nil, .encrypted, nil])
        let plain = try Self.definition(Characteristic("FFF1", properties: .read))
        #expect(plain.descriptors.isEmpty && plain.hasClientConfiguration)
    }

    @Test("includes existing services, with the kind and handle of the script")
    func services() {
        let uuids = ["FFF1", "FFF2", "FFF3"].map { CBUUID(string: $0) }
        for isPrimary in [false, true] {
            let service = ScriptedPeripheral.Service(
                "FFF0",
                isPrimary: isPrimary,
                characteristics: [],
                includes: uuids,
                handle: isPrimary ? 40 : nil
            )
            let definition = service.definition(including: [uuids[0]: 7, uuids[2]: 3])
            #expect(definition.uuid == 0xFFF0 && definition.isPrimary == isPrimary)
            #expect(definition.includedServices == [7, 3] && definition.handle == (isPrimary ? 40 : nil))
        }
    }

    @Test("needs no subscription if it sends to all, or cannot be subscribed to")
    func needsNoSubscription() {
        for (properties, has, sendsToAll, needsNone) in [
            (.notify, true, false, false), (.notify, true, true, true), (.notify, false, false, true),
            (.indicate, false, false, true), (.read, false, false, false), (.read, false, true, true),
            ([.read, .notify], false, false, true),
        ] as [(CBCharacteristicProperties, Bool, Bool, Bool)] {
            let characteristic = Characteristic(
                "FFF1",
                properties: properties,
                hasClientConfiguration: has,
                sendsToAll: sendsToAll
            )
            #expect(characteristic.needsNoSubscription == needsNone, "\(properties.rawValue) \(has) \(sendsToAll)")
        }
    }

    private struct Advertised {
        var services: Int
        var manufacturer: Int?
        var serviceData: Int?
        var name: String?
        /// The types of fields in the advertisement and in the scan response.
        var data: [UInt8]
        var scanResponse: [UInt8] = []
        var isMistake = false
    }

    @Test("puts what does not fit into the advertisement into the scan response, or reports a mistake")
    func advertised() throws {
        func name(_ count: Int) -> String { String(repeating: "n", count: count) }
        let all: [Advertised] = [
            Advertised(services: 0, data: [0x01]),
            Advertised(services: 1, data: [0x01, 0x03]),
            Advertised(services: 1, manufacturer: 22, data: [0x01, 0x03, 0xFF]),
            Advertised(services: 1, manufacturer: 23, data: [0x01, 0x03], scanResponse: [0xFF]),
            Advertised(services: 1, manufacturer: 22, name: "Lamp", data: [0x01, 0x03, 0xFF], scanResponse: [0x09]),
            Advertised(services: 1, manufacturer: 23, name: "Lamp", data: [0x01, 0x03, 0x09], scanResponse: [0xFF]),
            Advertised(services: 0, manufacturer: 26, serviceData: 27, data: [0x01, 0xFF], scanResponse: [0x16]),
            Advertised(services: 0, manufacturer: 26, serviceData: 28, data: [0x01, 0xFF], isMistake: true),
            Advertised(services: 0, manufacturer: 29, serviceData: 24, data: [0x01, 0x16], scanResponse: [0xFF]),
            Advertised(services: 0, manufacturer: 30, data: [0x01], isMistake: true),
            Advertised(services: 0, name: name(26), data: [0x01, 0x09]),
            Advertised(services: 0, name: name(27), data: [0x01], scanResponse: [0x09]),
            Advertised(services: 0, name: name(29), data: [0x01], scanResponse: [0x09]),
            Advertised(services: 0, name: name(30), data: [0x01], scanResponse: [0x08]),
            Advertised(services: 13, name: "Lamp", data: [0x01, 0x03], scanResponse: [0x09]),
        ]
        for (number, expected) in all.enumerated() {
            var script = ScriptedPeripheral(name: expected.name)
            script.advertisement.services = (0..<expected.services).map { CBUUID(string: "FF\(10 + $0)") }
            script.advertisement.manufacturerData = expected.manufacturer.map { Data(repeating: 1, count: $0) }
            if let count = expected.serviceData {
                script.advertisement.serviceData = [
                    (service: CBUUID(string: "FFF1"), data: Data(repeating: 2, count: count))
                ]
            }
            let world = World(seed: 1)
            let device = world.addPeripheral(script, as: "Thing")
            let octets = device.player.advertisedOctets
            let data = AdvertisingData(parsing: octets.data).elements.map { $0.type.rawValue }
            let scanResponse = AdvertisingData(parsing: octets.scanResponse).elements.map { $0.type.rawValue }
            #expect(data == expected.data && scanResponse == expected.scanResponse, "\(number)")
            #expect(octets.data.readableBytes <= 31 && octets.scanResponse.readableBytes <= 31)
            if expected.isMistake {
                let error = #expect(throws: WorldError.self) { try world.run(until: true) }
                #expect(error?.reason.contains("more than 31 octets and 31 of scan response") == true)
            } else {
                try world.run(until: true)
            }
        }
    }

    @Test("advertises the primary services by default, and a recorded advertisement unchanged")
    func advertisedServices() {
        var script = ScriptedPeripheral(
            services: [
                .init("FFF0", characteristics: []), .init("FFF2", isPrimary: false, characteristics: []),
                .init("FFF4", characteristics: []),
            ]
        )
        let world = World(seed: 1)
        let plain = world.addPeripheral(script, as: "plain").player.advertisedOctets
        #expect(Array(plain.data.readableBytesView) == [2, 1, 6, 5, 3, 0xF0, 0xFF, 0xF4, 0xFF])
        #expect(plain.scanResponse.readableBytes == 0)
        script.recordedAdvertisement = .init(data: Data([2, 1, 4]), scanResponse: Data([1, 2, 3]))
        let recorded = world.addPeripheral(script, as: "recorded").player.advertisedOctets
        #expect(Array(recorded.data.readableBytesView) == [2, 1, 4])
        #expect(Array(recorded.scanResponse.readableBytesView) == [1, 2, 3])
        withExtendedLifetime(world) {}
    }

    @Test("orders characteristics by their handles")
    func order() throws {
        let world = World(seed: 1)
        let device = world.addPeripheral(
            ScriptedPeripheral(
                name: "Thing",
                services: [
                    .init("FFF0", characteristics: [.init("FFF1", properties: .notify)], handle: 60),
                    .init(
                        "FFF2",
                        characteristics: [.init("FFF3", properties: .read), .init("FFF5", properties: .read)],
                        handle: 40
                    ),
                ]
            )
        )
        #expect(device.player.handles == [42, 44, 62])
        #expect(device.player.characteristics == ["FFF3", "FFF5", "FFF1"].map { CBUUID(string: $0) })
        #expect(device.notify(Data([1]), for: "FFF9") == 0)
        let error = #expect(throws: WorldError.self) { try world.run(until: true) }
        #expect(error?.reason.hasSuffix("\"Thing\" has no characteristic FFF9; it has FFF3, FFF5, FFF1") == true)
        #expect(device.value(of: CBUUID(string: "FFF9")) == nil && !device.hasSubscriber(for: CBUUID(string: "FFF9")))
    }
}
