// What a host reports to its adapter: a new MTU reaches every manager that has the link, a request for attributes of no
// manager is refused, a link that the host ends by itself has a reason, and what concerns a bond reaches the bonds.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 10 What a host reports to its adapter")
struct HostReportsTests {
    /// Reports something of an adapter's first link, as its host does.
    private func report(
        _ adapter: BluetoothAdapter,
        _ testbed: Testbed,
        _ body: @escaping @Sendable (LEHost, LinkInformation) -> Void
    ) {
        let isDone = adapter.readEngine(in: testbed) { core -> Bool in
            guard let link = core.host.links.first else { return false }
            body(core.host, link)
            core.flush()
            return true
        }
        #expect(isDone == true)
        testbed.run(.milliseconds(1))
    }

    // MARK: The MTU

    @Test("10.6 a new MTU of a link reaches the peripheral manager that has its central")
    func centralChangesMTU() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        try #require(talk.testbed.run { answer.isNotifying })
        let central = try #require(talk.ball.centrals.first)
        #expect(central.maximumUpdateValueLength == 512)
        for (mtu, length) in [(100, 97), (23, 20), (514, 511), (516, 512)] {
            self.report(talk.ballAdapter, talk.testbed) { host, link in
                host.delegate?.host(host, link: link.id, didChangeMTU: mtu)
            }
            #expect(central.maximumUpdateValueLength == length)
        }
    }

    @Test("7.7 a new MTU of a link reaches the apps that have it, and those that connect later")
    func peripheralChangesMTU() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        talk.testbed.run(.seconds(3))
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 512)
        self.report(talk.centralAdapter, talk.testbed) { host, link in
            host.delegate?.host(host, link: link.id, didChangeMTU: 100)
        }
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 97)
        let (other, same) = try talk.otherApp(knowing: peripheral)
        other.connect(same, in: talk.testbed)
        #expect(same.maximumWriteValueLength(for: .withoutResponse) == 97)
    }

    // MARK: Requests

    /// The error code of a refused request.
    private func code<Output>(_ result: Result<Output, GATTError>) -> ATTErrorCode? {
        guard case .failure(.att(let code, handle: _)) = result else { return nil }
        return code
    }

    @Test("10.3 requests for attributes that no manager has published are refused with Unlikely Error")
    func withoutOwner() throws {
        let talk = Conversation()
        talk.ball.reading = "there".octets
        let published = talk.ballAdapter.readEngine(in: talk.testbed) { core -> GATTServiceHandles? in
            let characteristic = GATTCharacteristicDefinition(
                uuid: 0xFFF1,
                properties: [.read, .write, .writeWithoutResponse],
                permissions: [.readable, .writeable]
            )
            return try? core.host.addService(GATTServiceDefinition(uuid: 0xFFF0, characteristics: [characteristic]))
        }
        let handles = try #require(published ?? nil)
        let handle = try #require(handles.characteristics.first?.value)
        let central = BareCentral(in: talk.testbed)
        let link = try central.connect()
        let own = try central.valueHandles(of: IDs.service.value, on: link)
        try #require(own.count == 2)
        #expect(self.code(central.perform(ReadValue(handle), on: link)) == .unlikelyError)
        #expect(self.code(central.perform(WriteValue(ByteBuffer(string: "?"), to: handle), on: link)) == .unlikelyError)
        central.host.writeWithoutResponse(ByteBuffer(string: "?"), to: handle, on: link)
        talk.testbed.run(.milliseconds(100))
        #expect(talk.ball.requests.isEmpty && talk.ball.written.isEmpty)
        // The manager's own attributes are at hand on the same link.
        #expect(try central.perform(ReadValue(own[1]), on: link).get() == ByteBuffer(string: "there"))
        #expect(self.code(central.perform(WriteValue(ByteBuffer(string: "?"), to: own[0]), on: link)) == nil)
        #expect(talk.ball.written == ["?".octets])
    }

    // MARK: Ends

    @Test(
        "6.5 a link that the host ends although no app has cancelled it is peripheralDisconnected",
        arguments: [false, true]
    )
    func endedByHost(reconnects: Bool) throws {
        let talk = Conversation()
        let options: [String: Any] = [CBConnectPeripheralOptionEnableAutoReconnect: NSNumber(value: reconnects)]
        let peripheral = try talk.connect(options: options)
        talk.testbed.run(.seconds(3))
        self.report(talk.centralAdapter, talk.testbed) { host, link in host.disconnect(link.id) }
        talk.testbed.run(.seconds(3))
        let end = talk.central.calls.first { $0.hasPrefix("disconnect") }
        #expect(end == "disconnect \(reconnects ? 1 : 0) CBErrorDomain 7")
        #expect(talk.central.count("connect 2") == (reconnects ? 2 : 1))
        #expect(peripheral.state == (reconnects ? .connected : .disconnected))
    }

    // MARK: Bonds

    private static func bond(with peer: DeviceAddress, signCounter: UInt32? = nil) -> Bond {
        .symmetric(with: peer, isAuthenticated: false, signCounter: signCounter)
    }

    @Test("a new bond is kept, and nothing of the client that was bonded before; a rejected one takes both away")
    func newBond() {
        let testbed = Testbed()
        let adapter = testbed.adapter("Crystal")
        let ball = PeripheralApp(on: adapter)
        testbed.run { ball.manager.state == .poweredOn }
        /// Whether there are a bond, a client, and keys that the peer may still reject.
        let states = adapter.readEngine(in: testbed) { core -> [[Bool]] in
            let link = LinkID(rawValue: 1_000)
            let peer = DeviceAddress(0x0011_2233_4455, kind: .public)
            let client = BondedClient(
                configurations: [BondedClient.Configuration(characteristic: 0x0017, uuid: 0x2A37, bits: 1)],
                features: 0,
                databaseHash: nil
            )
            var states: [[Bool]] = []
            func note() {
                states.append([
                    core.bonds.bond(with: peer) != nil, core.bondedClients.client(at: peer) != nil,
                    core.newBonds[link] != nil,
                ])
            }
            let bond = Self.bond(with: peer)
            core.bondedClients.store(client, at: peer)
            note()
            core.host.delegate?.host(core.host, link: link, didPairWith: bond, isBonded: false)
            note()
            core.host.delegate?.host(core.host, link: link, didPairWith: bond, isBonded: true)
            note()
            core.bondedClients.store(client, at: peer)
            core.host.delegate?.host(
                core.host,
                link: link,
                didChangeSecurity: LinkSecurity(key: nil, isBonded: true)
            )
            note()
            core.host.delegate?.host(core.host, link: link, didChangeSecurity: .none)
            note()
            return states
        }
        #expect(
            states == [
                [false, true, false], [false, true, false], [true, false, true], [true, true, true],
                [false, false, false],
            ]
        )
    }

    @Test("a bond is used when its link is encrypted with the key of a bond, and at no other time")
    func use() throws {
        let talk = Conversation()
        _ = try talk.connect()
        talk.testbed.run(.seconds(100))
        let second = Double(talk.testbed.loop.now.uptimeNanoseconds / 1_000_000_000)
        let uses = talk.centralAdapter.readEngine(in: talk.testbed) { core -> [Double?] in
            guard let link = core.host.links.first else { return [] }
            core.bonds.store(Self.bond(with: link.peer))
            let key = LinkSecurity.Key(isAuthenticated: false, isSecureConnections: true)
            let securities = [
                LinkSecurity(key: nil, isBonded: true), LinkSecurity(key: key, isBonded: false),
                LinkSecurity(key: key, isBonded: true),
            ]
            return securities.map { security in
                core.host.delegate?.host(core.host, link: link.id, didChangeSecurity: security)
                return core.writer?.storage.lastUse(ofBondWith: link.peer)?.timeIntervalSinceReferenceDate
            }
        }
        #expect(uses == [nil, nil, second])
    }

    @Test("the counter of a signed command goes to the bond of its link's peer")
    func signCounter() throws {
        let talk = Conversation()
        _ = try talk.connect()
        let counters = talk.ballAdapter.readEngine(in: talk.testbed) { core -> [UInt32?] in
            guard let link = core.host.links.first else { return [] }
            core.bonds.store(Self.bond(with: link.peer, signCounter: 5))
            func next() -> UInt32? { core.bonds.bond(with: link.peer)?.peer.signing?.signCounter }
            var counters = [next()]
            core.host.delegate?.host(core.host, link: LinkID(rawValue: 1_000), didAcceptSignCounter: 20)
            counters.append(next())
            core.host.delegate?.host(core.host, link: link.id, didAcceptSignCounter: 9)
            counters.append(next())
            return counters
        }
        #expect(counters == [5, 5, 10])
    }
}
