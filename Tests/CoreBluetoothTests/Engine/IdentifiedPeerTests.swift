// A peer that is known by another address from some moment on: what apps have of it goes on under that, and what waited
// for a device with that address ends. And bonds that were made on a link, while it is there.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 Peers that are identified")
struct IdentifiedPeerTests {
    @Test("a connection goes on under the identity address, and a request that waited for that address fails, once")
    func identified() throws {
        let setup = try TwoBalls()
        let (talk, second, known, waited) = (setup.talk, setup.second, setup.first, setup.other)
        setup.connectFirst()
        talk.central.calls = []
        let (before, identity) = (known.address, waited.address)
        func identify() -> [Bool]? {
            talk.centralAdapter.readEngine(in: talk.testbed) { core -> [Bool] in
                guard let link = core.host.links.first?.id else { return [] }
                core.peers.identified(LinkInformation(id: link, peer: identity, isCentral: true), before: before)
                core.flush()
                return [
                    core.peers.peers.count == 1, core.peers.peers[identity]?.link == link,
                    core.peers.peers[before] == nil, core.peers.peer(of: link)?.address == identity,
                    core.connectedPeers.peers(withAnyOf: [0x1800]) == [identity],
                ]
            }
        }
        for _ in 1...2 {
            #expect(identify() == [true, true, true, true, true])
            talk.testbed.run(.milliseconds(1))
            #expect(talk.central.calls.count == 1 && talk.central.calls.first?.hasPrefix("fail CBErrorDomain") == true)
        }
        #expect(waited.state == .disconnected && known.state == .connected)
        // Nobody waits for the other device any more.
        second.advertise(name: "Second")
        talk.testbed.run(.seconds(5))
        func counts() -> [Int]? {
            talk.centralAdapter.readEngine(in: talk.testbed) { core -> [Int] in
                [
                    core.host.links.count, core.peers.peers.count,
                    core.connectedPeers.peers(withAnyOf: [0x1800]).count,
                ]
            }
        }
        #expect(counts() == [1, 1, 1])
        talk.central.disconnect(known, in: talk.testbed)
        talk.testbed.run()
        #expect(counts() == [0, 0, 0])
    }

    @Test("a bond that was made on a link may be rejected while that is there, and stays when it has ended")
    func newBonds() throws {
        let secret = CBMutableCharacteristic(
            type: IDs.other,
            properties: [.read],
            value: nil,
            permissions: [.readEncryptionRequired]
        )
        let talk = Conversation { ball in
            ball.ball.characteristics = [secret]
            ball.open()
        }
        talk.ball.reading = "secret".octets
        func bonds() -> [[Int]?] {
            [talk.centralAdapter, talk.ballAdapter].map { adapter in
                adapter.readEngine(in: talk.testbed) { core -> [Int] in
                    [core.newBonds.count, core.bonds.identities.count]
                }
            }
        }
        let peripheral = try talk.connect()
        let characteristic = try peripheral.discover([IDs.service], in: talk.testbed).characteristic(IDs.other)
        #expect(bonds() == [[0, 0], [0, 0]])
        peripheral.readValue(for: characteristic)
        try #require(talk.testbed.run { talk.central.values == ["secret"] })
        talk.testbed.run()
        #expect(bonds() == [[1, 1], [1, 1]])
        talk.central.disconnect(peripheral, in: talk.testbed)
        talk.testbed.run()
        #expect(bonds() == [[0, 1], [0, 1]])
        // The next link is encrypted with the same keys, and no bond is new on it.
        talk.central.connect(peripheral, in: talk.testbed)
        let again = try peripheral.discover([IDs.service], in: talk.testbed).characteristic(IDs.other)
        peripheral.readValue(for: again)
        try #require(talk.testbed.run { talk.central.values.count == 2 })
        talk.testbed.run()
        #expect(bonds() == [[0, 1], [0, 1]])
    }
}
