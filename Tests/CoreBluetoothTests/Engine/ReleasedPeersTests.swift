// What an adapter has of a device that no app waits for any more: nothing. A peer and its connections know each other,
// so that the peer has to let go of them.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 Peers that no app waits for any more")
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

    @Test("nothing is left of a request that waits when Bluetooth is switched off")
    func switchedOff() throws {
        let talk = Conversation()
        let peripheral = try talk.requestConnection()
        let reference = Reference()
        #expect(reference.take(peripheral.address, of: talk.centralAdapter, in: talk.testbed) == true)
        talk.centralAdapter.setPowered(false)
        talk.testbed.run()
        #expect(peripheral.state == .disconnected && reference.peer == nil)
    }

    @Test("nothing is left of a request that its app cancels")
    func cancelled() throws {
        let talk = Conversation()
        let peripheral = try talk.requestConnection()
        let reference = Reference()
        #expect(reference.take(peripheral.address, of: talk.centralAdapter, in: talk.testbed) == true)
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run()
        #expect(peripheral.state == .disconnected && reference.peer == nil)
    }

    @Test("nothing is left of a request for a device that turns out to be one with a link")
    func identified() throws {
        let setup = try TwoBalls()
        let (talk, known, waited) = (setup.talk, setup.first, setup.other)
        setup.connectFirst()
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
        withExtendedLifetime(setup) {}
    }
}
