// The links of an adapter's peers: which of them apps hear of, what is left of a link beside another one, and that
// nothing of a link outlasts Bluetooth being on.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 Peers and their links, beside each other")
struct PeerTableLinksTests {
    @Test("6.7 a connection comes back by itself also while there is a link with another device")
    func reconnection() throws {
        let setup = try TwoBalls()
        let (talk, first, other) = (setup.talk, setup.first, setup.other)
        talk.central.manager.connect(first, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        try #require(talk.testbed.run { first.state == .connected })
        talk.central.connect(other, in: talk.testbed)
        talk.testbed.run(.seconds(3))
        talk.ballAdapter.setPowered(false)
        try #require(talk.testbed.run { first.state == .connecting })
        talk.ballAdapter.setPowered(true)
        talk.testbed.run { talk.ball.manager.state == .poweredOn }
        talk.ball.advertise(name: "Crystal")
        #expect(talk.testbed.run { first.state == .connected })
        #expect(other.state == .connected)
    }

    @Test("6 of two devices with a link that turn out to be one, both connections go on, each until its own link ends")
    func identified() throws {
        let setup = try TwoBalls()
        let (talk, first, other) = (setup.talk, setup.first, setup.other)
        talk.central.connect(first, in: talk.testbed)
        talk.central.connect(other, in: talk.testbed)
        talk.testbed.run(.seconds(3))
        talk.central.calls = []
        let (before, identity) = (first.address, other.address)
        let states = talk.centralAdapter.readEngine(in: talk.testbed) { core -> [Bool] in
            guard let link = core.host.links.first(where: { $0.peer == before })?.id else { return [] }
            core.peers.identified(LinkInformation(id: link, peer: identity, isCentral: true), before: before)
            core.flush()
            return [
                core.peers.peers.count == 1, core.peers.peers[identity]?.link == link,
                core.peers.peers[before] == nil,
            ]
        }
        #expect(states == [true, true, true])
        talk.testbed.run(.milliseconds(1))
        #expect(talk.central.calls.isEmpty && first.state == .connected && other.state == .connected)
        talk.central.disconnect(other, in: talk.testbed)
        talk.testbed.run()
        let left = talk.centralAdapter.readEngine(in: talk.testbed) { core -> [Bool] in
            guard let link = core.host.links.first?.id else { return [] }
            return [core.host.links.count == 1, core.peers.peers[identity]?.link == link]
        }
        #expect(left == [true, true])
        #expect(first.state == .connected)
    }

    @Test("5.1 7.13 a peer whose address stays the same keeps its cached database, also while that is validated")
    func sameAddress() throws {
        let setup = RestorationSetup(.central)
        let peripheral = try setup.subscribe()
        setup.testbed.run(.seconds(3))
        let address = peripheral.address
        let states = setup.curious.adapter.readEngine(in: setup.testbed) { core -> [Bool] in
            guard let link = core.host.links.first?.id, let peer = core.peers.peers[address] else { return [] }
            var states = [core.databaseCache.database(of: address) != nil]
            peer.server = .validating
            core.peers.identified(LinkInformation(id: link, peer: address, isCentral: true), before: address)
            peer.server = .known
            states.append(core.databaseCache.database(of: address) != nil)
            states.append(core.peers.peers[address] === peer)
            core.flush()
            return states
        }
        #expect(states == [true, true, true])
        #expect(peripheral.state == .connected)
    }

    @Test("6.4 13.2 a link that is made when no app waits for it any more is not reported as a connection")
    func cancelledMeanwhile() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        talk.central.manager.stopScan()
        let watcher = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { watcher.manager.state == .poweredOn }
        watcher.manager.registerForConnectionEvents(options: [.peripheralUUIDs: [peripheral.identifier]])
        talk.testbed.run(.milliseconds(1))
        let address = peripheral.address
        let states = talk.centralAdapter.readEngine(in: talk.testbed) { core -> [Bool] in
            let link = LinkInformation(id: LinkID(rawValue: 1_000), peer: address, isCentral: true)
            core.peers.connected(link)
            core.flush()
            return [
                core.peers.peers[address]?.link == nil, core.connectedPeers.peers(withAnyOf: [0x1800]).isEmpty,
            ]
        }
        #expect(states == [true, true])
        talk.testbed.run(.milliseconds(1))
        #expect(watcher.calls == ["state 5"])
        #expect(watcher.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "1800")]).isEmpty)
    }

    @Test(
        "7.13 the database of a server is validated on a link that this side opened, and of no other one",
        arguments: [true, false]
    )
    func validation(isCentral: Bool) throws {
        let talk = Conversation()
        let peripheral = try talk.requestConnection()
        let address = peripheral.address
        let states = talk.centralAdapter.readEngine(in: talk.testbed) { core -> [String] in
            let link = LinkInformation(id: LinkID(rawValue: 1_000), peer: address, isCentral: isCentral)
            core.peers.connected(link)
            core.flush()
            guard let peer = core.peers.peers[address] else { return [] }
            return ["\(peer.server)", "\(peer.validationCount)", "\(peer.mtu)", "\(peer.link == link.id)"]
        }
        #expect(states == (isCentral ? ["validating", "1", "23", "true"] : ["unknown", "0", "23", "true"]))
    }

    @Test("1.6 nothing is known of a link and of its peer when Bluetooth is switched off")
    func switchedOff() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        talk.testbed.run(.seconds(3))
        let found = talk.centralAdapter.readEngine(in: talk.testbed) { core -> LinkID? in core.host.links.first?.id }
        let link = try #require(found ?? nil)
        func known() -> [Bool]? {
            talk.centralAdapter.readEngine(in: talk.testbed) { core -> [Bool] in
                [
                    core.peers.peer(of: link) != nil, !core.peers.peers.isEmpty,
                    !core.connectedPeers.peers(withAnyOf: [0x1800]).isEmpty,
                ]
            }
        }
        #expect(known() == [true, true, true])
        talk.centralAdapter.setPowered(false)
        talk.testbed.run()
        #expect(known() == [false, false, false])
        #expect(peripheral.state == .disconnected)
    }
}
