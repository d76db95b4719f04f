// What a bearer is at its beginning, and what is left of it at its end: values that will not be sent, requests that are
// not answered any more, and a batch that was made for another MTU.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ATT bearer: beginning and end")
struct ATTBearerEndTests {
    private static let start = NIODeadline.uptimeNanoseconds(1)

    private static func value(_ token: UInt64) -> GATTServer.Client.Value {
        GATTServer.Client.Value(
            handle: 3,
            value: ByteBuffer(bytes: [0xAA]),
            token: TransmitToken(rawValue: token)
        )
    }

    private static func texts(_ actions: [ATTBearer.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .send(let pdu, _): hex(pdu)
            case .dropped(let transmission): "dropped \(transmission.token.rawValue) \(transmission.count)"
            case .mtuChanged(let mtu): "MTU \(mtu)"
            case .failed(let failure): "\(failure)"
            default: "something else"
            }
        }
    }

    @Test("A bearer of which nothing is said takes 517 octets, has an MTU of 23 and lets 65,536 procedures wait")
    func defaults() {
        let bearer = ATTBearer(link: LinkID(rawValue: 1))
        #expect(bearer.preferredMTU == 517 && bearer.mtu == 23)
        #expect(bearer.client.queueLimit == 65_536)
        #expect(bearer.isUsable && !bearer.isExchangingMTU && bearer.nextDeadline == nil)
        #expect(bearer.security.level == .none)
    }

    @Test("The limits of ATT (Vol 3, Part F, 3.2.9 and 3.3.3; Vol 3, Part G, 5.2.1)")
    func limits() {
        #expect(ATT.defaultMTU == 23 && ATT.maximumMTU == 517)
        #expect(ATT.maximumValueLength == 512)
        #expect(ATT.transactionTimeout == .seconds(30))
    }

    @Test("What was batched for one MTU leaves before another one holds, and stays where the MTU stays")
    func batchAndMTU() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        bearer.setMTU(50, into: &actions)
        bearer.batch(Self.value(1), into: &actions)
        #expect(Self.texts(actions) == ["MTU 50"] && bearer.hasBatch)
        bearer.setMTU(50, into: &actions)
        #expect(Self.texts(actions) == ["MTU 50"] && bearer.hasBatch)
        bearer.setMTU(60, into: &actions)
        #expect(Self.texts(actions) == ["MTU 50", "1B 03 00 AA", "MTU 60"] && !bearer.hasBatch)
    }

    @Test(
        "A bearer that fails counts what it will not send for each owner, and forgets requests and prepared writes",
        arguments: [ATTBearer.Failure.requestTimeout, .indicationTimeout, .requestWhilePending]
    )
    func failure(_ failure: ATTBearer.Failure) {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        bearer.server.outstanding = .application(3, TransmitToken(rawValue: 1), deadline: Self.start)
        bearer.server.indications.append(Self.value(2))
        bearer.batch(Self.value(3), into: &actions)
        bearer.batch(Self.value(3), into: &actions)
        bearer.server.deferred.append(Self.value(4))
        bearer.server.transaction = .reading(sequence: 1, .value(3))
        bearer.server.prepared.append(ATTPrepareWriteRequest(handle: 3, offset: 0, value: ByteBuffer(bytes: [1, 2])))
        #expect(bearer.server.prepared.count == 1 && bearer.server.prepared.octets == 2)
        #expect(actions.isEmpty)
        bearer.fail(failure, into: &actions)
        #expect(Self.texts(actions) == ["dropped 1 1", "dropped 2 1", "dropped 3 2", "dropped 4 1", "\(failure)"])
        #expect(bearer.server.outstanding == .none && !bearer.hasBatch)
        #expect(bearer.server.indications.isEmpty && bearer.server.deferred.isEmpty)
        #expect(bearer.server.prepared.count == 0 && bearer.server.prepared.octets == 0)
        #expect(bearer.server.prepared.parts.isEmpty)
        guard case .idle = bearer.server.transaction else {
            Issue.record("the request is still worked on")
            return
        }
    }

    @Test("A bearer whose link has ended has no deadline and fails no more")
    func closed() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        bearer.server.outstanding = .serviceChanged(deadline: Self.start)
        #expect(bearer.nextDeadline == Self.start)
        bearer.close(reason: .remoteUserTerminated, into: &actions)
        #expect(!bearer.isUsable && bearer.nextDeadline == nil)
        bearer.advance(to: Self.start + .hours(1), into: &actions)
        bearer.fail(.indicationTimeout, into: &actions)
        #expect(actions.isEmpty)
        #expect(bearer.condition == .closed(.remoteUserTerminated))
        bearer.close(reason: .connectionTimeout, into: &actions)
        #expect(bearer.condition == .closed(.remoteUserTerminated))
    }

    @Test("A type of four octets is asked for with two or sixteen (3.2.1)")
    func formsOfTypes() {
        let short = BluetoothUUID(form: .medium(0x2800))
        let full = BluetoothUUID(form: .medium(0x1234_5678))
        #expect(hex(ATTReadByGroupTypeRequest(start: 1, end: 2, type: short).encoded()) == "10 01 00 02 00 00 28")
        #expect(ATTReadByGroupTypeRequest(start: 1, end: 2, type: full).type.octetCount == 16)
        #expect(hex(ATTReadByTypeRequest(start: 1, end: 2, type: short).encoded()) == "08 01 00 02 00 00 28")
        #expect(ATTReadByTypeRequest(start: 1, end: 2, type: full).type.octetCount == 16)
    }
}
