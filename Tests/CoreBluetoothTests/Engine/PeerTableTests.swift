// The peers of an adapter: how long each is known, a connection that begins after its delay on a link that is there,
// and what is left of a link that was held back.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 Peers and their links")
struct PeerTableTests {
    /// How many peers an adapter knows.
    private func count(_ adapter: BluetoothAdapter, _ testbed: Testbed) -> Int? {
        adapter.readEngine(in: testbed) { core -> Int in core.peers.peers.count }
    }

    /// Says that connecting to a peer has failed, as the host does.
    private func fail(_ address: DeviceAddress, _ adapter: BluetoothAdapter, _ testbed: Testbed) {
        _ = adapter.readEngine(in: testbed) { core -> Bool in
            core.peers.failed(address, .connectionTimeout)
            core.flush()
            return true
        }
        testbed.run(.milliseconds(1))
    }

    // MARK: How long a peer is known

    @Test("a peer is known while there is a link with it, or a request for one")
    func known() throws {
        let talk = Conversation()
        func counts() -> [Int?] {
            [self.count(talk.centralAdapter, talk.testbed), self.count(talk.ballAdapter, talk.testbed)]
        }
        let peripheral = try talk.find()
        talk.central.manager.stopScan()
        #expect(counts() == [0, 0])
        for _ in 1...2 {
            talk.central.connect(peripheral, in: talk.testbed)
            talk.testbed.run(.milliseconds(100))
            #expect(counts() == [1, 1])
            talk.central.disconnect(peripheral, in: talk.testbed)
            talk.testbed.run()
            #expect(counts() == [0, 0])
        }
        // A request that is not met, and that the app cancels.
        talk.ball.manager.stopAdvertising()
        talk.testbed.run()
        talk.central.manager.connect(peripheral)
        talk.testbed.run()
        #expect(counts() == [1, 0])
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run()
        #expect(counts() == [0, 0])
        // A request that waits when Bluetooth is switched off.
        talk.central.manager.connect(peripheral)
        talk.testbed.run()
        #expect(counts() == [1, 0])
        talk.centralAdapter.setPowered(false)
        talk.testbed.run()
        #expect(counts() == [0, 0] && peripheral.state == .disconnected)
    }

    @Test("6.3 a request that fails is reported once, and its peer is known no more")
    func failed() throws {
        let talk = Conversation()
        let peripheral = try talk.requestConnection()
        let other = DeviceAddress(0xC000_0000_0055, kind: .random)
        talk.central.calls = []
        self.fail(other, talk.centralAdapter, talk.testbed)
        #expect(talk.central.calls.isEmpty && peripheral.state == .connecting)
        #expect(self.count(talk.centralAdapter, talk.testbed) == 1)
        for _ in 1...2 {
            self.fail(peripheral.address, talk.centralAdapter, talk.testbed)
            #expect(talk.central.calls.count == 1 && talk.central.calls.first?.hasPrefix("fail CBErrorDomain") == true)
            #expect(self.count(talk.centralAdapter, talk.testbed) == 0 && peripheral.state == .disconnected)
        }
    }

    @Test("13.1 ends that the app does not know of are kept until it does, or until Bluetooth is switched off")
    func unseenEnds() throws {
        let setup = RestorationSetup(.central)
        let adapter = setup.curious.adapter
        /// Whether each of them was connected.
        func unseen() -> [Bool]? {
            adapter.readEngine(in: setup.testbed) { core -> [Bool] in
                (core.centralSessions.first?.unseenEnds ?? []).map { $0.record.wasConnected }
            }
        }
        let peripheral = try setup.connect()
        #expect(unseen() == [])
        adapter.holdCallbacks(for: .seconds(20))
        setup.crystal.adapter.setPowered(false)
        setup.testbed.run(.seconds(10))
        #expect(unseen() == [true] && peripheral.state == .connected)
        setup.testbed.run(.seconds(15))
        #expect(unseen() == [] && peripheral.state == .disconnected)
        // What the app cancels itself it knows of.
        adapter.holdCallbacks(for: .seconds(20))
        setup.central.manager.connect(peripheral)
        setup.testbed.run(.seconds(1))
        setup.central.manager.cancelPeripheralConnection(peripheral)
        setup.testbed.run(.seconds(1))
        #expect(unseen() == [])
        setup.testbed.run(.seconds(20))
        #expect(peripheral.state == .disconnected)
        // One that fails was not connected.
        adapter.holdCallbacks(for: .seconds(20))
        setup.central.manager.connect(peripheral)
        setup.testbed.run(.seconds(1))
        self.fail(peripheral.address, adapter, setup.testbed)
        #expect(unseen() == [false])
        adapter.setPowered(false)
        setup.testbed.run(.milliseconds(10))
        #expect(unseen() == [])
    }

    @Test("13.2 who asked for connection events gets them still after Bluetooth was off, but not after a reset")
    func connectionEvents() {
        let testbed = Testbed()
        let source = BreakableSource(air: testbed.air)
        let adapter = source.adapter("Curious", testbed)
        let watcher = CentralApp(on: adapter)
        testbed.run { watcher.manager.state == .poweredOn }
        func isRegistered() -> Bool? {
            adapter.readEngine(in: testbed) { core -> Bool in
                core.centralSessions.first?.connectionEventFilter != nil
            }
        }
        #expect(isRegistered() == false)
        watcher.manager.registerForConnectionEvents(options: [.serviceUUIDs: [IDs.service]])
        #expect(isRegistered() == true)
        for isOn in [false, true] {
            adapter.setPowered(isOn)
            testbed.run()
            #expect(isRegistered() == true)
        }
        source.breakChannel()
        testbed.run(.milliseconds(1))
        #expect(isRegistered() == false && watcher.calls.last == "state 1")
    }

    // MARK: Links that are there

    @Test("6.8 a connection that was put off begins with its delay on a link that is there, without anything else")
    func delayedOnSharedLink() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        let (other, same) = try talk.otherApp(knowing: peripheral)
        talk.ball.manager.stopAdvertising()
        // The name is read by then.
        talk.testbed.run(.seconds(5))
        let options: [String: Any] = [CBConnectPeripheralOptionStartDelayKey: NSNumber(value: 2)]
        other.manager.connect(same, options: options)
        talk.testbed.run(.milliseconds(1_990))
        #expect(same.state == .connecting && other.calls == ["state 5"])
        talk.testbed.run(.milliseconds(20))
        #expect(same.state == .connected && other.calls == ["state 5", "connect 2"])
        other.disconnect(same, in: talk.testbed)
        // One that is cancelled before does not begin.
        other.manager.connect(same, options: options)
        talk.testbed.run(.seconds(1))
        other.manager.cancelPeripheralConnection(same)
        talk.testbed.run(.seconds(5))
        #expect(other.calls == ["state 5", "connect 2", "disconnect 0", "disconnect 0"])
        #expect(same.state == .disconnected && peripheral.state == .connected)
    }

    /// Counts the link's first app, or each of its apps, as one that takes nothing.
    private func hold(_ talk: Conversation, onlyFirst: Bool = false) -> Bool? {
        talk.centralAdapter.readEngine(in: talk.testbed) { core -> Bool in
            guard let link = core.host.links.first?.id else { return false }
            let connections = core.centralSessions.flatMap { $0.liveConnections }
            for connection in connections.prefix(onlyFirst ? 1 : .max) {
                core.received(.full, on: link, for: connection.token)
            }
            return core.isHeldBack(link)
        }
    }

    @Test("A2: a link that is held back goes on when no app of it is behind, and nothing is left of it at its end")
    func heldBack() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        let (other, same) = try talk.otherApp(knowing: peripheral)
        other.connect(same, in: talk.testbed)
        talk.testbed.run(.seconds(3))
        let found = talk.centralAdapter.readEngine(in: talk.testbed) { core -> LinkID? in core.host.links.first?.id }
        let link = try #require(found ?? nil)
        func isHeldBack() -> Bool? {
            talk.centralAdapter.readEngine(in: talk.testbed) { core -> Bool in core.isHeldBack(link) }
        }
        #expect(isHeldBack() == false)
        #expect(self.hold(talk) == true)
        // One app leaves the link to the other one, which is still behind.
        talk.central.disconnect(peripheral, in: talk.testbed)
        #expect(isHeldBack() == true && same.state == .connected)
        func resume() {
            _ = talk.centralAdapter.readEngine(in: talk.testbed) { core -> Bool in
                for session in core.centralSessions {
                    for connection in session.liveConnections { session.perform(.resumeReceiving(connection.id)) }
                }
                return true
            }
        }
        resume()
        #expect(isHeldBack() == false)
        resume()
        #expect(isHeldBack() == false)
        #expect(self.hold(talk, onlyFirst: true) == true)
        other.disconnect(same, in: talk.testbed)
        talk.testbed.run()
        #expect(isHeldBack() == false)
    }

    @Test("A2: a central's link is held back for a peripheral manager until that goes on, or is gone")
    func heldBackCentral() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        try #require(talk.testbed.run { answer.isNotifying })
        talk.testbed.run(.seconds(3))
        for step in 1...2 {
            let states = talk.ballAdapter.readEngine(in: talk.testbed) { core -> [Bool] in
                guard let session = core.peripheralSessions.first, let link = core.host.links.first?.id else {
                    return []
                }
                var states = [core.isHeldBack(link)]
                core.received(.full, on: link, for: session.token)
                states.append(core.isHeldBack(link))
                session.perform(step == 1 ? .resumeReceiving(link) : .end)
                return states + [core.isHeldBack(link)]
            }
            #expect(states == [false, true, false])
        }
        #expect(peripheral.state == .connected)
    }
}
