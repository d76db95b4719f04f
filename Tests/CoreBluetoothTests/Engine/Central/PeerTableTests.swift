import BluetoothHost
import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("6 Peers and their links")
struct PeerTableTests {
    @Test("knows a peer while there is a link with it, or a request for one")
    func known() throws {
        let talk = Conversation()
        func count(_ adapter: BluetoothAdapter) -> Int? {
            adapter.readEngine(in: talk.testbed) { core -> Int in core.peers.peers.count }
        }
        func counts() -> [Int?] {
            [count(talk.centralAdapter), count(talk.ballAdapter)]
        }
        let peripheral = try talk.find()
        let manager: CBCentralManager = talk.central.manager
        manager.stopScan()
        let steps: [(step: () -> Void, counts: [Int])] = [
            ({}, [0, 0]), ({ manager.connect(peripheral) }, [1, 1]),
            ({ manager.cancelPeripheralConnection(peripheral) }, [0, 0]),
            ({ talk.ball.manager.stopAdvertising() }, [0, 0]), ({ manager.connect(peripheral) }, [1, 0]),
            ({ manager.cancelPeripheralConnection(peripheral) }, [0, 0]), ({ manager.connect(peripheral) }, [1, 0]),
            ({ talk.centralAdapter.setPowered(false) }, [0, 0]),
        ]
        for (index, step) in steps.enumerated() {
            step.step()
            talk.testbed.run()
            #expect(counts() == step.counts, "\(index)")
        }
        #expect(peripheral.state == .disconnected)
    }

    @Test("continues a connection under the identity address, and fails the request for that address once")
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

    @Test("13.1 7.13 moves the record and the cached database to the identity address")
    func moved() throws {
        let setup = RestorationSetup(.central)
        let peripheral = try setup.subscribe()
        setup.testbed.run(.seconds(3))
        let identity = DeviceAddress(0xC000_0000_0077, kind: .random)
        let before = peripheral.address
        func stored() throws -> [String] {
            setup.testbed.run(.milliseconds(10))
            let storage = setup.curious.storage
            let name = try #require(storage.names.first { $0.hasPrefix("central-") })
            let record = try #require(storage.load(CentralRecord.self, from: name))
            return record.peripherals.map { "\($0.address) \($0.identifier)" }
        }
        #expect(try stored() == ["\(before) \(peripheral.identifier)"])
        let states = setup.curious.adapter.readEngine(in: setup.testbed) { core -> [Bool] in
            guard let link = core.host.links.first?.id else { return [] }
            func isKnown(_ address: DeviceAddress) -> Bool { core.databaseCache.database(of: address) != nil }
            var states = [isKnown(before), isKnown(identity)]
            core.identified(LinkInformation(id: link, peer: identity, isCentral: true), before: before)
            core.flush()
            states += [isKnown(before), isKnown(identity)]
            return states
        }
        #expect(states == [true, false, false, true])
        #expect(try stored() == ["C0:00:00:00:00:77 \(peripheral.identifier)"])
        #expect(peripheral.state == .connected && setup.central.found.count == 1)
        setup.update("Yes")
        #expect(setup.testbed.run { setup.central.values == ["Yes"] })
        #expect(!setup.central.calls.contains { $0.hasPrefix("modified") || $0.hasPrefix("disconnect") })
        let found = setup.central.manager.retrieveConnectedPeripherals(withServices: [IDs.service])
        #expect(found.count == 1 && found.first === peripheral)
    }
}
