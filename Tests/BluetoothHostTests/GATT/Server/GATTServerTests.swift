// How much a server keeps for a client that takes nothing, or never executes, where nobody has set other limits; and
// what the built-in services have.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: limits")
struct GATTServerTests {
    private static let link = LinkID(rawValue: 1)

    private static func served() throws -> ServedLinks {
        var links = ServedLinks(try GATTServerFixture.server())
        links.linkOpened(Self.link)
        var events: [ServedLinks.Event] = []
        links.receive(hex("02 05 02"), on: Self.link, now: .uptimeNanoseconds(0), into: &events)
        return links
    }

    /// What becomes of a request: the opcode of the answer.
    private static func answer(_ pdu: ByteBuffer, _ links: inout ServedLinks) -> UInt8? {
        var events: [ServedLinks.Event] = []
        links.receive(pdu, on: Self.link, now: .uptimeNanoseconds(0), into: &events)
        for case .send(let answer, _) in events.map(\.action) { return answer.getInteger(at: answer.readerIndex) }
        return nil
    }

    private static func prepare(_ count: Int, at offset: UInt16 = 0) -> ByteBuffer {
        var pdu = hex("16 13 00")
        pdu.writeLittleEndian(offset)
        pdu.writeImmutableBuffer(octets(count))
        return pdu
    }

    @Test("128 parts of values wait to be executed")
    func parts() throws {
        var links = try Self.served()
        for _ in 0..<128 { #expect(Self.answer(Self.prepare(1), &links) == 0x17) }
        #expect(Self.answer(Self.prepare(1), &links) == 0x01)
        #expect(Self.answer(hex("18 00"), &links) == 0x19)
        #expect(Self.answer(Self.prepare(1), &links) == 0x17)
    }

    @Test("8,192 octets of them wait")
    func octetsOfParts() throws {
        for (last, answer) in [(32, 0x17), (33, 0x01)] as [(Int, UInt8)] {
            var links = try Self.served()
            for _ in 0..<16 { #expect(Self.answer(Self.prepare(510), &links) == 0x17) }
            #expect(Self.answer(Self.prepare(last), &links) == answer)
        }
    }

    @Test("256 indications wait behind the one that is not confirmed")
    func indications() throws {
        var links = try Self.served()
        var events: [ServedLinks.Event] = []
        links.receive(hex("12 1B 00 02 00"), on: Self.link, now: .uptimeNanoseconds(0), into: &events)
        for number in 0..<258 {
            events.removeAll()
            links.notify(
                octets(1),
                characteristic: 0x001A,
                on: Self.link,
                now: .uptimeNanoseconds(0),
                into: &events
            )
            let isDropped = events.contains { if case .dropped = $0.action { true } else { false } }
            #expect(isDropped == (number == 257))
        }
    }

    @Test("a key of seven octets is enough")
    func keySize() throws {
        for (size, answer) in [(6, 0x01), (7, nil)] as [(Int, UInt8?)] {
            var links = try Self.served()
            links.setSecurity(LinkSecurity(level: .encrypted, keySize: size), of: Self.link)
            // The application is asked for it.
            #expect(Self.answer(hex("0A 1D 00"), &links) == answer)
        }
    }

    @Test(
        "the name is cut between characters, to 248 octets",
        arguments: [("", 0), ("a", 1), (String(repeating: "é", count: 124), 248)]
            + [(String(repeating: "é", count: 125), 248), ("a" + String(repeating: "é", count: 124), 247)]
    )
    func name(name: String, length: Int) {
        var server = GATTServer(configuration: .init(deviceName: name))
        func shown(_ server: GATTServer) -> Int? {
            guard case .fixed(let value) = server.database.attributes[2].content else { return nil }
            return value.readableBytes
        }
        #expect(shown(server) == length)
        server.setDeviceName("none")
        #expect(shown(server) == 4)
        server.setDeviceName(name)
        #expect(shown(server) == length)
    }

    @Test(
        "the services of GAP and GATT by what the device has of them; they are not removed",
        arguments: [false, true]
    )
    func builtIn(hasPrivacy: Bool) throws {
        let access: [UInt16] = [0x2800, 0x2803, 0x2A00, 0x2803, 0x2A01]
        let privacy: [UInt16] = hasPrivacy ? [0x2803, 0x2AA6, 0x2803, 0x2AC9] : []
        let services: [(GenericAttributeService, [UInt16])] = [
            (.absent, []), (.empty, [0x2800]), (.serviceChanged, [0x2800, 0x2803, 0x2A05, 0x2902]),
            (.full, [0x2800, 0x2803, 0x2A05, 0x2902, 0x2803, 0x2B29, 0x2803, 0x2B2A]),
        ]
        for (service, types) in services {
            var server = GATTServer(
                configuration: .init(deviceName: "Ball", hasPrivacy: hasPrivacy, genericAttribute: service)
            )
            #expect(server.database.attributes.map(\.shortType) == access + privacy + types)
            let last = AttributeHandle(server.database.attributes.count)
            #expect(server.database.services.last?.upperBound == last)
            let isThere = service == .serviceChanged || service == .full
            #expect(server.serviceChangedHandle == (isThere ? AttributeHandle(access.count + privacy.count + 3) : 0))
            for handle in 0...last { #expect(server.remove(handle) == nil) }
            let added = try server.add(GATTServerFixture.extra).range
            #expect(added.lowerBound == last + 1 && server.remove(last + 1) == added)
            server.setCentralAddressResolution(true)
            let resolution = server.database.attributes.first { $0.shortType == 0x2AA6 }
            if case .fixed(let value)? = resolution?.content { #expect(hex(value) == "01") }
        }
    }
}
