// The server under fire: random and cut PDUs on several links, an application that answers late or never, services
// that come and go. It must never trap, answer each request exactly once, and keep to the MTU.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: random PDUs")
struct GATTServerRandomTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `Every request has one answer, no longer than the MTU`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var configuration = GATTServerFixture.configuration
        configuration.preparedWriteLimit = 8
        configuration.preparedOctetLimit = 200
        configuration.indicationLimit = 4
        var server = ServedLinks(try GATTServerFixture.server(configuration), preferredMTU: 100)
        var actions: [ServedLinks.Event] = []
        var now = NIODeadline.uptimeNanoseconds(0)
        var added: [AttributeHandle] = []
        var nextLink: UInt32 = 0
        var links: [LinkID: Client] = [:]

        func open() -> LinkID {
            nextLink += 1
            let link = LinkID(rawValue: nextLink)
            server.linkOpened(link)
            links[link] = Client()
            return link
        }
        var order = [open(), open(), open()]

        for _ in 0..<20_000 {
            now = now + .milliseconds(Int64.random(in: 0...300, using: &generator))
            let link = order[Int.random(in: 0..<order.count, using: &generator)]
            var request: UInt8?
            switch Int.random(in: 0..<100, using: &generator) {
            case 0:
                if let handles = try? server.add(GATTServerFixture.extra, now: now, into: &actions) {
                    added.append(handles.range.lowerBound)
                }
            case 1:
                if let handle = added.popLast() { server.remove(handle, now: now, into: &actions) }
            case 2:
                let levels: [SecurityLevel] = [.none, .encrypted, .authenticated]
                server.setSecurity(LinkSecurity(level: levels[Int.random(in: 0..<3, using: &generator)]), of: link)
            case 3:
                server.advance(to: now, into: &actions)
            case 4..<20:
                let handle = AttributeHandle.random(in: 0...0x3C, using: &generator)
                let value = ByteBuffer(repeating: 7, count: Int.random(in: 0...120, using: &generator))
                server.notify(value, characteristic: handle, on: link, now: now, into: &actions)
                links[link]?.promised += 1
            case 20..<25:
                server.flush(into: &actions)
            case 25..<45:
                // The application answers what it was asked, or something else.
                let id = links[link]?.asked ?? GATTRequestID(rawValue: UInt64(link.rawValue) << 32)
                if Bool.random(using: &generator) {
                    let value = ByteBuffer(repeating: 9, count: Int.random(in: 0...600, using: &generator))
                    server.respond(to: id, with: .success(value), into: &actions)
                } else if Bool.random(using: &generator) {
                    server.respond(to: id, with: .failure(.insufficientAuthorization), into: &actions)
                } else {
                    let error: ATTErrorCode? = Bool.random(using: &generator) ? nil : .unlikelyError
                    server.respond(to: id, error: error, into: &actions)
                }
            default:
                // A client that waits for an answer seldom breaks the rule of one request at a time.
                if links[link]?.isWaiting == true, Int.random(in: 0..<20, using: &generator) != 0 { continue }
                let pdu = Self.randomPDU(using: &generator)
                let opcode = ATT.opcode(of: pdu)
                if let opcode, !opcode.isCommand, opcode.isForServer, opcode != .handleValueConfirmation {
                    request = opcode.rawValue
                    links[link]?.requests += 1
                    links[link]?.isWaiting = true
                }
                server.receive(pdu, on: link, now: now, into: &actions)
            }

            var failed: [LinkID] = []
            for event in actions {
                let to = event.link
                switch event.action {
                case .send(let pdu, let transmission):
                    #expect(pdu.readableBytes > 0 && pdu.readableBytes <= server.mtu(of: to))
                    links[to]?.accountedFor += transmission?.count ?? 0
                    let opcode = try #require(ATT.opcode(of: pdu))
                    #expect(!opcode.isForServer)
                    switch opcode {
                    case .handleValueNotification, .multipleHandleValueNotification, .handleValueIndication: break
                    default:
                        #expect(links[to]?.isWaiting == true, "an answer to no request: \(hex(pdu))")
                        links[to]?.isWaiting = false
                        links[to]?.asked = nil
                        links[to]?.answers += 1
                    }
                case .read(let request):
                    links[request.link]?.asked = request.id
                case .write(let request):
                    if let id = request.id { links[request.link]?.asked = id }
                    #expect(!request.parts.isEmpty)
                    #expect(request.parts.allSatisfy { $0.offset + $0.value.readableBytes <= 512 })
                case .confirmed(_, let transmission), .dropped(let transmission):
                    links[to]?.accountedFor += transmission.count
                case .failed:
                    failed.append(to)
                case .subscriptionChanged, .mtuChanged, .bondedClientChanged, .signCounterAccepted:
                    break
                case .make, .report, .notification, .servicesChanged, .databaseOutOfSync, .needsSecurity:
                    Issue.record("an action of the client: \(event.action)")
                }
            }
            actions.removeAll(keepingCapacity: true)
            if request != nil, let client = links[link], !failed.contains(link) {
                // Answered, or in the hands of the application.
                #expect(!client.isWaiting || client.asked != nil)
            }
            for link in failed {
                let client = try #require(links[link])
                links[link] = nil
                server.linkClosed(link, into: &actions)
                for event in actions {
                    if case .dropped = event.action { Issue.record("dropped twice") }
                }
                actions.removeAll()
                #expect(client.promised == client.accountedFor)
                order.removeAll { $0 == link }
                order.append(open())
            }
        }
        server.flush(into: &actions)
        for link in order { server.linkClosed(link, into: &actions) }
        for event in actions {
            switch event.action {
            case .send(_, let transmission): links[event.link]?.accountedFor += transmission?.count ?? 0
            case .dropped(let transmission): links[event.link]?.accountedFor += transmission.count
            default: break
            }
        }
        for link in order {
            let client = try #require(links[link])
            #expect(client.promised == client.accountedFor)
            #expect(client.requests - client.answers <= 1)
        }
    }

    private struct Client {
        var isWaiting = false
        var asked: GATTRequestID?
        var requests = 0
        var answers = 0
        var promised = 0
        var accountedFor = 0
    }

    /// PDUs that mostly look like something, with handles that mostly exist.
    private static func randomPDU(using generator: inout SeededGenerator) -> ByteBuffer {
        var bytes = ByteBuffer()
        func handle(_ generator: inout SeededGenerator) -> UInt16 { UInt16.random(in: 0...0x40, using: &generator) }
        func value(_ longest: Int, _ generator: inout SeededGenerator) {
            for _ in 0..<Int.random(in: 0...longest, using: &generator) {
                bytes.writeInteger(UInt8.random(in: 0...3, using: &generator))
            }
        }
        let known: [UInt8] = [
            0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x12, 0x12, 0x16, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2,
        ]
        let opcode =
            Int.random(in: 0..<20, using: &generator) == 0
            ? UInt8.random(in: 0...255, using: &generator)
            : known[Int.random(in: 0..<known.count, using: &generator)]
        bytes.writeInteger(opcode)
        switch opcode {
        case 0x02:
            bytes.writeLittleEndian(UInt16.random(in: 0...200, using: &generator))
        case 0x04, 0x08, 0x10, 0x06:
            bytes.writeLittleEndian(handle(&generator))
            bytes.writeLittleEndian(Bool.random(using: &generator) ? 0xFFFF : handle(&generator))
            if opcode != 0x04 {
                let types: [UInt16] = [0x2800, 0x2801, 0x2802, 0x2803, 0x2902, 0x2B2A, 0xA001, 0xA002, 0xA007, 0x1234]
                bytes.writeLittleEndian(types[Int.random(in: 0..<types.count, using: &generator)])
            }
            if opcode == 0x06 { value(4, &generator) }
        case 0x0A:
            bytes.writeLittleEndian(handle(&generator))
        case 0x0C:
            bytes.writeLittleEndian(handle(&generator))
            bytes.writeLittleEndian(UInt16.random(in: 0...70, using: &generator))
        case 0x0E, 0x20:
            for _ in 0..<Int.random(in: 1...5, using: &generator) { bytes.writeLittleEndian(handle(&generator)) }
        case 0x12, 0x52, 0xD2:
            bytes.writeLittleEndian(handle(&generator))
            value(Bool.random(using: &generator) ? 2 : 110, &generator)
        case 0x16:
            bytes.writeLittleEndian(handle(&generator))
            bytes.writeLittleEndian(UInt16.random(in: 0...520, using: &generator))
            value(40, &generator)
        case 0x18:
            bytes.writeInteger(UInt8.random(in: 0...2, using: &generator))
        default:
            value(30, &generator)
        }
        if Int.random(in: 0..<10, using: &generator) == 0 {
            let count = Int.random(in: 0...bytes.readableBytes, using: &generator)
            bytes.moveWriterIndex(to: bytes.readerIndex + count)
        }
        return bytes
    }
}
