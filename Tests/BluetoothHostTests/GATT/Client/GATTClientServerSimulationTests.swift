import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client and server: simulation")
struct GATTClientServerSimulationTests {
    @Test("finds what a server has, at every MTU", arguments: simulationSeeds(7))
    func discovery(seed: UInt64) throws {
        var choices = SeededChoices(seed: seed)
        var server = GATTServer(configuration: .init(deviceName: "Crystal"))
        for _ in 0..<14 { _ = try? server.add(GATTDatabaseSimulationTests.service(&choices)) }
        var pair = ClientAndServer(server, mtu: [23, 24, 31, 64, 185, 247, 517][Int(seed % 7)])
        let attributes = server.database.attributes
        func uuid(_ value: ByteBuffer) -> BluetoothUUID? {
            var value = value
            return try? BluetoothUUID(parsing: &value, length: value.readableBytes)
        }
        func value(_ attribute: GATTAttribute) -> ByteBuffer? {
            if case .fixed(let value) = attribute.content { value } else { nil }
        }
        let services = try server.database.services.map { range in
            let declaration = attributes[try #require(server.database.index(of: range.lowerBound))]
            return GATTRemoteService(
                uuid: try #require(value(declaration).flatMap(uuid)),
                handles: range,
                isPrimary: declaration.shortType == GATTAttributeType.primaryService
            )
        }
        let primary = services.filter(\.isPrimary)
        #expect(pair.run(.discoverServices(uuids: nil)) == .success(.services(primary)))
        let filter = Array(Set(primary.map(\.uuid)))
        let filtered = filter.flatMap { uuid in primary.filter { $0.uuid == uuid } }
        #expect(pair.run(.discoverServices(uuids: filter + filter)) == .success(.services(filtered)))
        for service in services {
            let members = attributes.filter { service.handles.contains($0.handle) }
            let included = members.filter { $0.shortType == GATTAttributeType.include }.compactMap { member in
                let first: AttributeHandle? = value(member).flatMap {
                    $0.getInteger(at: $0.readerIndex, endianness: .little)
                }
                return services.first { $0.handles.lowerBound == first }
            }
            #expect(pair.run(.discoverIncludedServices(service.handles)) == .success(.services(included)))
            let declarations = members.filter { $0.shortType == GATTAttributeType.characteristic }
            let ends = declarations.dropFirst().map { $0.handle - 1 } + [service.handles.upperBound]
            let characteristics = zip(declarations, ends).compactMap { declaration, end -> GATTRemoteCharacteristic? in
                guard var octets = value(declaration), let properties: UInt8 = octets.readInteger(),
                    let handle: AttributeHandle = octets.readInteger(endianness: .little), let uuid = uuid(octets)
                else { return nil }
                let known = CharacteristicProperties(rawValue: properties)
                return GATTRemoteCharacteristic(uuid, known, declaration.handle, handle, end)
            }
            #expect(characteristics.count == declarations.count)
            #expect(
                pair.run(.discoverCharacteristics(service.handles)) == .success(.characteristics(characteristics))
            )
            for characteristic in characteristics {
                let handles = characteristic.valueHandle...characteristic.endHandle
                let descriptors = members.filter { handles.contains($0.handle) }.dropFirst().map {
                    GATTRemoteDescriptor(uuid: $0.type, handle: $0.handle)
                }
                #expect(pair.run(.discoverDescriptors(characteristic)) == .success(.descriptors(descriptors)))
            }
            for member in members where member.access.contains(.read) && member.readSecurity == .none {
                if let value = value(member) { #expect(pair.run(.read(member.handle)) == .success(.value(value))) }
            }
        }
    }

    @Test(
        "GATT/CL/GAR/BV-04-C, GAW/BV-05-C writes and reads back values of every length, up to 512 octets",
        arguments: [23, 24, 64, 247, 512, 513, 514, 517]
    )
    func values(mtu: Int) throws {
        let definition = GATTCharacteristicDefinition(
            uuid: 0xA001,
            properties: [.read, .write],
            permissions: [.readable, .writeable]
        )
        var server = GATTServer(configuration: .init())
        let handles = try server.add(GATTServiceDefinition(uuid: 0xA000, characteristics: [definition, definition]))
        var pair = ClientAndServer(server, mtu: mtu)
        let (first, second) = (handles.characteristics[0].value, handles.characteristics[1].value)
        let lengths = [0, 1, 2, 17, 18, 19, 20, 21, 22, 23, 44, 63, 64, 243, 244, 245, 246, 247, 511, 512]
        for length in lengths {
            #expect(pair.run(.write(first, octets(length, from: 7))) == .success(.done))
            #expect(pair.run(.read(first)) == .success(.value(octets(length, from: 7))))
        }
        let reliable = [
            AttributeValue(handle: first, value: octets(100)), AttributeValue(handle: second, value: octets(9)),
        ]
        #expect(pair.run(.writeReliably(reliable)) == .success(.done))
        #expect(pair.values == [first: octets(100), second: octets(9)])
    }
}

/// A client and a server with nothing between them, and an application that keeps what is written.
private struct ClientAndServer {
    private static let link = LinkID(rawValue: 1)

    private var script = ClientScript()
    private var links: ServedLinks
    private(set) var values: [AttributeHandle: ByteBuffer] = [:]

    init(_ server: GATTServer, mtu: Int) {
        self.links = ServedLinks(server, preferredMTU: mtu)
        self.links.open(Self.link)
        let agreed = self.run(.exchangeMTU(preferred: 517))
        #expect(agreed == .success(.mtu(mtu)))
        #expect(self.links.mtu(of: Self.link) == mtu, "both sides agree on the MTU")
    }

    mutating func run(_ procedure: ClientProcedure) -> ClientScript.Outcome? {
        self.script.start(procedure)
        while case let requests = self.script.takeSent(), !requests.isEmpty {
            for pdu in requests { self.links.receive(pdu, on: Self.link) }
            while case let events = self.links.takeEvents(), !events.isEmpty {
                for event in events { self.perform(event.action) }
            }
        }
        let outcomes = self.script.takeReported().compactMap { action in
            if case .complete(_, let outcome) = action { outcome } else { nil }
        }
        #expect(outcomes.count == 1)
        return outcomes.first
    }

    private mutating func perform(_ action: ATTBearer.Action) {
        switch action {
        case .send(let pdu, _): self.script.receive(pdu)
        case .read(let request):
            var value = self.values[request.handle] ?? ByteBuffer()
            value.moveReaderIndex(forwardBy: request.offset)
            self.links.respond(to: request.id, with: .success(value))
        case .write(let request):
            for part in request.parts {
                var value = part.offset == 0 ? ByteBuffer() : self.values[part.handle] ?? ByteBuffer()
                value.writeImmutableBuffer(part.value)
                self.values[part.handle] = value
            }
            if let id = request.id { self.links.respond(to: id, error: nil) }
        case .failed(let reason): Issue.record("the server failed: \(reason)")
        default: break
        }
    }
}
