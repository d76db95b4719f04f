// The client against the server of this host: whatever database is published, the client finds just that, and values of
// every length come through in both directions.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client and server")
struct GATTClientServerTests {
    /// Both machines with nothing but time between them, and an application that keeps what is written.
    private struct Pair {
        typealias Outcome = ClientScript.Outcome

        private final class Outcomes {
            var reported: [Outcome] = []
        }

        var client = ATTBearer(link: LinkID(rawValue: 1))
        var server: GATTServer
        private var serverSide: ATTBearer
        var values: [AttributeHandle: ByteBuffer] = [:]
        /// The client's actions beside PDUs and ends of procedures.
        var reported: [ClientScript.Action] = []
        var requests = 0
        private let now = NIODeadline.uptimeNanoseconds(0)
        private var clientActions: [ATTBearer.Action] = []
        private var serverActions: [ATTBearer.Action] = []
        private let outcomes = Outcomes()

        init(mtu: Int = 517) {
            self.server = GATTServer(configuration: GATTServer.Configuration(deviceName: "Crystal"))
            self.serverSide = ATTBearer(link: LinkID(rawValue: 1), preferredMTU: mtu)
        }

        mutating func add(_ service: GATTServiceDefinition) throws -> GATTServiceHandles {
            let handles = try self.server.add(service)
            self.server.databaseChanged(
                in: handles.range,
                on: &self.serverSide,
                now: self.now,
                into: &self.serverActions
            )
            self.pump()
            return handles
        }

        mutating func run(_ procedure: ClientProcedure) -> Outcome? {
            self.outcomes.reported.removeAll()
            let outcomes = self.outcomes
            let id = GATTProcedureID(rawValue: 1)
            procedure.start(&self.client, id, { outcomes.reported.append($0) }, &self.clientActions)
            self.pump()
            #expect(outcomes.reported.count == 1)
            return outcomes.reported.first
        }

        mutating func command(_ handle: AttributeHandle, _ value: ByteBuffer) {
            self.client.writeCommand(handle, value, .standard, into: &self.clientActions)
            self.pump()
        }

        mutating func notify(_ value: ByteBuffer, _ handle: AttributeHandle) {
            self.server.notify(
                value,
                characteristic: handle,
                token: .standard,
                on: &self.serverSide,
                now: self.now,
                into: &self.serverActions
            )
            self.pump()
        }

        /// Carries PDUs in both directions until none is left.
        private mutating func pump() {
            while true {
                if self.clientActions.isEmpty && self.serverActions.isEmpty {
                    self.client.proceed(now: self.now, into: &self.clientActions)
                }
                if self.clientActions.isEmpty && self.serverActions.isEmpty {
                    self.serverSide.flushBatch(into: &self.serverActions)
                    if self.serverActions.isEmpty { return }
                }
                let fromClient = self.clientActions
                self.clientActions = []
                for action in fromClient { self.performOfClient(action) }
                let fromServer = self.serverActions
                self.serverActions = []
                for action in fromServer { self.performOfServer(action) }
            }
        }

        private mutating func performOfClient(_ action: ATTBearer.Action) {
            switch action {
            case .send(let pdu, _):
                #expect(ATT.opcode(of: pdu)?.isForServer == true)
                #expect(pdu.readableBytes <= self.serverSide.mtu)
                self.requests += 1
                self.server.receive(pdu, on: &self.serverSide, now: self.now, into: &self.serverActions)
            case .dropped, .confirmed, .read, .write, .subscriptionChanged, .bondedClientChanged, .signCounterAccepted:
                Issue.record("an action of the server: \(action)")
            case .make(let procedure):
                procedure.make()
                self.client.made(procedure, now: self.now, into: &self.clientActions)
            case .report(let procedure):
                procedure.report()
            case .notification(let handle, let value): self.reported.append(.notification(handle, value))
            case .servicesChanged(let range): self.reported.append(.servicesChanged(range))
            case .databaseOutOfSync: self.reported.append(.databaseOutOfSync)
            case .needsSecurity: self.client.acceptRefusal(nil, now: self.now, into: &self.clientActions)
            case .failed: self.reported.append(.bearerFailed)
            case .mtuChanged(let mtu):
                #expect(mtu == self.serverSide.mtu)
            }
        }

        private mutating func performOfServer(_ action: ATTBearer.Action) {
            switch action {
            case .send(let pdu, _):
                self.client.receiveAsClient(pdu, now: self.now, into: &self.clientActions)
            case .read(let request):
                let value = self.values[request.handle] ?? ByteBuffer()
                let result: Result<ByteBuffer, ATTErrorCode> =
                    request.offset > value.readableBytes
                    ? .failure(.invalidOffset)
                    : .success(
                        value.getSlice(
                            at: value.readerIndex + request.offset,
                            length: value.readableBytes - request.offset
                        )
                            ?? ByteBuffer()
                    )
                self.server.respond(to: request.id, with: result, on: &self.serverSide, into: &self.serverActions)
            case .write(let request):
                for part in request.parts {
                    var value = self.values[part.handle] ?? ByteBuffer()
                    if part.offset == 0 { value.clear() }
                    value.writeImmutableBuffer(part.value)
                    self.values[part.handle] = value
                }
                if let id = request.id {
                    self.server.respond(to: id, error: nil, on: &self.serverSide, into: &self.serverActions)
                }
            case .subscriptionChanged, .mtuChanged, .confirmed, .dropped, .bondedClientChanged, .signCounterAccepted:
                break
            case .make, .report, .needsSecurity, .notification, .servicesChanged, .databaseOutOfSync:
                Issue.record("an action of the client: \(action)")
            case .failed(let reason):
                Issue.record("the server failed: \(reason)")
            }
        }
    }

    private func uuid(_ generator: inout SeededGenerator) -> BluetoothUUID {
        Bool.random(using: &generator)
            ? BluetoothUUID(UInt16.random(in: 0xA000...0xA00F, using: &generator))
            : BluetoothUUID(form: .full(generator.next(), generator.next()))
    }

    private func characteristic(_ generator: inout SeededGenerator) -> GATTCharacteristicDefinition {
        let descriptors = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            GATTDescriptorDefinition(
                uuid: Bool.random(using: &generator) ? 0x2901 : self.uuid(&generator),
                value: octets(Int.random(in: 0...60, using: &generator))
            )
        }
        if Bool.random(using: &generator) {
            return GATTCharacteristicDefinition(
                uuid: self.uuid(&generator),
                properties: .read,
                permissions: .readable,
                value: octets(Int.random(in: 0...512, using: &generator)),
                descriptors: descriptors
            )
        }
        let more: [CharacteristicProperties] = [[], .notify, .indicate, [.notify, .indicate], .extendedProperties]
        return GATTCharacteristicDefinition(
            uuid: self.uuid(&generator),
            properties: [.read, .write, .writeWithoutResponse, more.randomElement(using: &generator) ?? []],
            permissions: [.readable, .writeable],
            descriptors: descriptors
        )
    }

    @Test("Whatever is published is what is found", arguments: [23, 24, 31, 64, 185, 247, 517])
    func discovery(mtu: Int) throws {
        var generator = SeededGenerator(seed: UInt64(mtu))
        for _ in 0..<4 {
            var pair = Pair(mtu: mtu)
            #expect(pair.run(.exchangeMTU(preferred: 517)) == .success(.mtu(mtu)))
            var published: [(definition: GATTServiceDefinition, handles: GATTServiceHandles)] = []
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let included = published.filter { _ in Int.random(in: 0...3, using: &generator) == 0 }
                let definition = GATTServiceDefinition(
                    uuid: self.uuid(&generator),
                    isPrimary: Int.random(in: 0...3, using: &generator) > 0,
                    includedServices: included.map(\.handles.range.lowerBound),
                    characteristics: (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                        self.characteristic(&generator)
                    }
                )
                published.append((definition, try pair.add(definition)))
            }

            // Services, all of them and by UUID.
            let primary = published.filter(\.definition.isPrimary).map {
                GATTRemoteService(uuid: $0.definition.uuid, handles: $0.handles.range, isPrimary: true)
            }
            guard case .success(.services(let all))? = pair.run(.discoverServices(uuids: nil)) else {
                Issue.record("no services")
                return
            }
            #expect(all.map(\.uuid).prefix(2) == [0x1800, 0x1801])
            #expect(Array(all.dropFirst(2)) == primary)
            let filter = published.map(\.definition.uuid)
            var expected: [GATTRemoteService] = []
            for (index, uuid) in filter.enumerated() where !filter[..<index].contains(uuid) {
                expected += primary.filter { $0.uuid == uuid }
            }
            #expect(pair.run(.discoverServices(uuids: filter)) == .success(.services(expected)))

            for (definition, handles) in published {
                let included = definition.includedServices.compactMap { handle in
                    published.first { $0.handles.range.lowerBound == handle }.map {
                        GATTRemoteService(
                            uuid: $0.definition.uuid,
                            handles: $0.handles.range,
                            isPrimary: $0.definition.isPrimary
                        )
                    }
                }
                #expect(pair.run(.discoverIncludedServices(handles.range)) == .success(.services(included)))
                guard
                    case .success(.characteristics(let found))? = pair.run(
                        .discoverCharacteristics(handles.range, uuids: nil)
                    )
                else {
                    Issue.record("no characteristics")
                    return
                }
                #expect(found.map(\.uuid) == definition.characteristics.map(\.uuid))
                #expect(found.map(\.properties) == definition.characteristics.map(\.properties))
                #expect(found.map(\.valueHandle) == handles.characteristics.map(\.value))
                #expect(found.last.map(\.endHandle) ?? handles.range.upperBound == handles.range.upperBound)
                for (index, characteristic) in found.enumerated() {
                    try self.check(
                        characteristic,
                        definition.characteristics[index],
                        handles.characteristics[index],
                        &pair
                    )
                }
            }
        }
    }

    /// The characteristic's descriptors and values are what was published.
    private func check(
        _ found: GATTRemoteCharacteristic,
        _ definition: GATTCharacteristicDefinition,
        _ handles: GATTServiceHandles.Characteristic,
        _ pair: inout Pair
    ) throws {
        guard case .success(.descriptors(let descriptors))? = pair.run(.discoverDescriptors(found)) else {
            Issue.record("no descriptors")
            return
        }
        let own = handles.descriptors.map { handle in descriptors.first { $0.handle == handle }?.uuid }
        #expect(own == definition.descriptors.map(\.uuid))
        #expect(
            descriptors.first { $0.uuid == 0x2902 }?.handle == handles.clientConfiguration
        )
        for (handle, descriptor) in zip(handles.descriptors, definition.descriptors) {
            #expect(pair.run(.read(handle)) == .success(.value(descriptor.value)))
        }
        if let value = definition.value { #expect(pair.run(.read(found.valueHandle)) == .success(.value(value))) }
    }

    @Test("Values of every length are written and read back", arguments: [23, 64, 247, 517])
    func values(mtu: Int) throws {
        var pair = Pair(mtu: mtu)
        _ = pair.run(.exchangeMTU(preferred: 517))
        let definition = GATTCharacteristicDefinition(
            uuid: 0xA001,
            properties: [.read, .write, .writeWithoutResponse, .notify, .indicate],
            permissions: [.readable, .writeable]
        )
        let handles = try pair.add(GATTServiceDefinition(uuid: 0xA000, characteristics: [definition, definition]))
        let first = handles.characteristics[0].value
        let second = handles.characteristics[1].value
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
        #expect(pair.values[first] == octets(100))
        #expect(pair.values[second] == octets(9))
        pair.command(second, octets(600))
        // A command is cut to the MTU; where that is more than a value can be, the server drops it.
        #expect(pair.values[second] == octets(mtu - 3 <= 512 ? mtu - 3 : 9))
        #expect(pair.run(.read(0x7777)) == .failure(.att(.invalidHandle, handle: 0x7777)))
    }

    @Test func `Subscriptions bring notifications and indications, and changes of the database are reported`() throws {
        var pair = Pair()
        _ = pair.run(.exchangeMTU(preferred: 517))
        let handles = try pair.add(
            GATTServiceDefinition(
                uuid: 0xA000,
                characteristics: [
                    GATTCharacteristicDefinition(uuid: 0xA001, properties: .notify, permissions: []),
                    GATTCharacteristicDefinition(uuid: 0xA002, properties: .indicate, permissions: []),
                ]
            )
        )
        guard case .success(.caching(let caching))? = pair.run(.configureCaching) else {
            Issue.record("no caching")
            return
        }
        #expect(caching.serviceChanged == pair.server.serviceChangedHandle)
        #expect(caching.serviceChangedConfiguration != nil)
        #expect(caching.clientSupportedFeatures != nil)
        #expect(caching.databaseHash?.readableBytes == 16)

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
        guard case .success(.services(let services))? = pair.run(.discoverServices(uuids: [0xB000])) else {
            Issue.record("no services")
            return
        }
        #expect(services.map(\.handles) == [added.range])
    }

    @Test func `Twenty services with eighty characteristics take few requests at a large MTU`() throws {
        var pair = Pair()
        _ = pair.run(.exchangeMTU(preferred: 517))
        let characteristic = GATTCharacteristicDefinition(
            uuid: try #require(BluetoothUUID("8E9A0002-1D8B-4C7F-9E0A-0123456789AB")),
            properties: [.read, .write],
            permissions: [.readable, .writeable]
        )
        var handles: [GATTServiceHandles] = []
        for _ in 0..<20 {
            let characteristics = Array(repeating: characteristic, count: 4)
            handles.append(try pair.add(GATTServiceDefinition(uuid: 0xA000, characteristics: characteristics)))
        }
        pair.requests = 0
        guard case .success(.services(let services))? = pair.run(.discoverServices(uuids: nil)) else {
            Issue.record("no services")
            return
        }
        #expect(services.count == 22)
        for service in services.dropFirst(2) {
            guard
                case .success(.characteristics(let found))? = pair.run(
                    .discoverCharacteristics(service.handles, uuids: nil)
                )
            else {
                Issue.record("no characteristics")
                return
            }
            #expect(found.count == 4)
        }
        #expect(pair.requests <= 2 + 20 * 2)
    }
}
