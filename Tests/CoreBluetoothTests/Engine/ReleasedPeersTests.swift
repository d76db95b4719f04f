// What an adapter has of a device that no app waits for any more: nothing. A peer and its connections know each other,
// so that the peer has to let go of them.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 Peers that no app waits for any more", .adaptersOnRecord)
struct ReleasedPeersTests {
    /// Knows the peer at an address without keeping it.
    private final class Reference: @unchecked Sendable {
        // Unchecked: in virtual time the event loop runs on the test's thread.

        weak var peer: Peer?

        /// Takes the peer; says whether there is one.
        func take(_ address: DeviceAddress, of adapter: BluetoothAdapter, in testbed: Testbed) -> Bool? {
            adapter.readEngine(in: testbed) { core -> Bool in
                self.peer = core.peers.peers[address]
                return self.peer != nil
            }
        }
    }

    /// A request for the ball that is not met.
    private func wait(_ talk: Conversation) throws -> CBPeripheral {
        let peripheral = try talk.find()
        talk.central.manager.stopScan()
        talk.ball.manager.stopAdvertising()
        talk.testbed.run()
        talk.central.manager.connect(peripheral)
        talk.testbed.run()
        return peripheral
    }

    @Test("nothing is left of a request that waits when Bluetooth is switched off")
    func switchedOff() throws {
        let talk = Conversation()
        let peripheral = try self.wait(talk)
        let reference = Reference()
        #expect(reference.take(peripheral.address, of: talk.centralAdapter, in: talk.testbed) == true)
        talk.centralAdapter.setPowered(false)
        talk.testbed.run()
        #expect(peripheral.state == .disconnected && reference.peer == nil)
    }

    @Test("nothing is left of a request that its app cancels")
    func cancelled() throws {
        let talk = Conversation()
        let peripheral = try self.wait(talk)
        let reference = Reference()
        #expect(reference.take(peripheral.address, of: talk.centralAdapter, in: talk.testbed) == true)
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run()
        #expect(peripheral.state == .disconnected && reference.peer == nil)
    }

    @Test("nothing is left of a request for a device that turns out to be one with a link")
    func identified() throws {
        let talk = Conversation()
        let second = PeripheralApp(on: talk.testbed.adapter("Second"))
        talk.testbed.run { second.manager.state == .poweredOn }
        second.open(name: "Second")
        talk.central.manager.scanForPeripherals(withServices: [IDs.service])
        try #require(talk.testbed.run { talk.central.found.count == 2 })
        talk.central.manager.stopScan()
        let known = try #require(talk.central.found.first { $0.name == "Crystal" })
        let waited = try #require(talk.central.found.first { $0.name == "Second" })
        second.manager.stopAdvertising()
        talk.testbed.run()
        talk.central.connect(known, in: talk.testbed)
        talk.central.manager.connect(waited)
        talk.testbed.run(.seconds(2))
        let reference = Reference()
        #expect(reference.take(waited.address, of: talk.centralAdapter, in: talk.testbed) == true)
        let (before, identity) = (known.address, waited.address)
        let isIdentified = talk.centralAdapter.readEngine(in: talk.testbed) { core -> Bool in
            guard let link = core.host.links.first?.id else { return false }
            core.peers.identified(LinkInformation(id: link, peer: identity, isCentral: true), before: before)
            core.flush()
            return core.peers.peers[identity]?.link == link
        }
        #expect(isIdentified == true)
        talk.testbed.run()
        #expect(waited.state == .disconnected && known.state == .connected)
        #expect(reference.peer == nil)
        withExtendedLifetime(second) {}
    }
}
