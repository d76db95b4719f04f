import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client and server")
struct GATTClientServerTests {
    @Test("writes and reads back values of every length", arguments: [23, 64, 247, 517])
    func values(mtu: Int) throws {
        var pair = ClientAndServer(mtu: mtu)
        _ = pair.run(.exchangeMTU(preferred: 517))
        let definition = GATTCharacteristicDefinition(
            uuid: 0xA001,
            properties: [.read, .write, .writeWithoutResponse, .notify, .indicate],
            permissions: [.readable, .writeable]
        )
        let handles = try pair.add(GATTServiceDefinition(uuid: 0xA000, characteristics: [definition, definition]))
        let (first, second) = (handles.characteristics[0].value, handles.characteristics[1].value)
        let lengths = [0, 1, 2, 17, 18, 19, 20, 21, 22, 23, 44, 63, 64, 243, 244, 245, 246, 247, 511, 512]
        for length in lengths {
            #expect(pair.run(.write(first, octets(length, from: 7))) == .success(.done))
            #expect(pair.values[first] == octets(length, from: 7))
            #expect(pair.run(.read(first)) == .success(.value(octets(length, from: 7))))
        }
        let reliable = [
            AttributeValue(handle: first, value: octets(100)), AttributeValue(handle: second, value: octets(9)),
        ]
        #expect(pair.run(.writeReliably(reliable)) == .success(.done))
        #expect(pair.values == [first: octets(100), second: octets(9)])
        pair.command(second, octets(600))
        // A command is cut to the MTU; the server drops one that is longer than any value.
        #expect(pair.values[second] == octets(mtu - 3 <= 512 ? mtu - 3 : 9))
        #expect(pair.run(.read(0x7777)) == .failure(.att(.invalidHandle, handle: 0x7777)))
    }

    @Test("brings notifications and indications to a subscriber, and reports changes of the database")
    func subscriptions() throws {
        var pair = ClientAndServer()
        _ = pair.run(.exchangeMTU(preferred: 517))
        let definitions = [(0xA001, CharacteristicProperties.notify), (0xA002, .indicate)].map {
            GATTCharacteristicDefinition(uuid: BluetoothUUID(UInt16($0)), properties: $1, permissions: [])
        }
        let handles = try pair.add(GATTServiceDefinition(uuid: 0xA000, characteristics: definitions))
        let caching = GATTServerCaching(
            serviceChanged: 0x0008,
            serviceChangedConfiguration: 0x0009,
            clientSupportedFeatures: 0x000B,
            databaseHash: pair.links.server.database.hash().value
        )
        #expect(pair.run(.configureCaching) == .success(.caching(caching)))
        pair.reported.removeAll()
        for (characteristic, configuration) in zip(handles.characteristics, ["01 00", "02 00"]) {
            let descriptor = try #require(characteristic.clientConfiguration)
            #expect(pair.run(.write(descriptor, hex(configuration))) == .success(.done))
            pair.notify(octets(5), characteristic.value)
        }
        #expect(pair.reported == handles.characteristics.map { .notification($0.value, octets(5)) })
        pair.reported.removeAll()

        // A new service: the indication says where, and the next request may have to read the hash.
        let added = try pair.add(GATTServiceDefinition(uuid: 0xB000, characteristics: []))
        #expect(pair.reported == [.servicesChanged(added.range)])
        let found = GATTRemoteService(uuid: 0xB000, handles: added.range, isPrimary: true)
        #expect(pair.run(.discoverServices(uuids: [0xB000])) == .success(.services([found])))
    }

    @Test("discovers twenty services with eighty characteristics in few requests at a large MTU")
    func fewRequests() throws {
        var pair = ClientAndServer()
        _ = pair.run(.exchangeMTU(preferred: 517))
        let characteristic = GATTCharacteristicDefinition(
            uuid: try GATTServerFixture.full("02"),
            properties: [.read, .write],
            permissions: [.readable, .writeable]
        )
        let service = GATTServiceDefinition(uuid: 0xA000, characteristics: Array(repeating: characteristic, count: 4))
        let ranges = try (0..<20).map { _ in try pair.add(service).range }
        pair.requests = 0
        guard case .success(.services(let services))? = pair.run(.discoverServices(uuids: nil)) else {
            Issue.record("no services")
            return
        }
        #expect(services.dropFirst(2).map(\.handles) == ranges)
        for range in ranges {
            guard case .success(.characteristics(let found))? = pair.run(.discoverCharacteristics(range)) else {
                Issue.record("no characteristics")
                return
            }
            #expect(found.count == 4)
        }
        #expect(pair.requests <= 2 + 20 * 2)
    }
}
