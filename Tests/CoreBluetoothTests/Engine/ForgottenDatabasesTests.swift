// What is forgotten of a peer's database when the server reports a change, or when it turns out to be another one: what
// was discovered, what is cached of it, and the subscriptions to what is no more.

import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.13 Databases that are forgotten")
struct ForgottenDatabasesTests {
    /// A central with a restore identifier that has discovered the ball, and its peer.
    private func subscribed() throws -> (setup: RestorationSetup, peripheral: CBPeripheral) {
        let setup = RestorationSetup(.central)
        let peripheral = try setup.subscribe()
        setup.testbed.run(.seconds(3))
        return (setup, peripheral)
    }

    @Test("7.12 with a reported change all that was discovered and cached is forgotten, whatever server it is")
    func reported() throws {
        let (setup, peripheral) = try self.subscribed()
        let address = peripheral.address
        let states = setup.curious.adapter.readEngine(in: setup.testbed) { core -> [[Bool]] in
            guard let link = core.host.links.first?.id, let peer = core.peers.peers[address] else { return [] }
            let database = peer.database
            var states = [[database != RemoteDatabase(), core.databaseCache.database(of: address) != nil]]
            for server in [.unknown, .validating, .noDatabaseHash, .known] as [Peer.Server] {
                peer.server = server
                peer.database = database
                peer.mustValidateAgain = false
                core.databaseCache.store(database, of: address)
                core.peers.invalidated(link, 0xFFF0...0xFFFF)
                states.append([
                    peer.database == RemoteDatabase(), core.databaseCache.database(of: address) == nil,
                    peer.mustValidateAgain,
                ])
            }
            core.flush()
            return states
        }
        #expect(
            states == [
                [true, true], [true, true, false], [true, true, true], [true, true, false], [true, true, false],
            ]
        )
        #expect(peripheral.state == .connected)
    }

    @Test("7.12 a subscription to a service that is no more is forgotten, and to another one it stays")
    func subscriptions() throws {
        let (setup, peripheral) = try self.subscribed()
        let address = peripheral.address
        let counts = setup.curious.adapter.readEngine(in: setup.testbed) { core -> [Int] in
            guard let link = core.host.links.first?.id, let peer = core.peers.peers[address] else { return [] }
            var counts = [peer.subscriptions.keys.count]
            for range in [0xFFF0...0xFFFF, 0x0001...0xFFFF] as [AttributeHandleRange] {
                core.peers.invalidated(link, range)
                counts.append(peer.subscriptions.keys.count)
            }
            core.flush()
            return counts
        }
        #expect(counts == [1, 1, 0])
        #expect(peripheral.state == .connected)
    }

    @Test("7.13 what is cached is forgotten where the server has another database, or none that is identified")
    func validated() throws {
        let (setup, peripheral) = try self.subscribed()
        let address = peripheral.address
        let states = setup.curious.adapter.readEngine(in: setup.testbed) { core -> [[Bool]] in
            guard let link = core.host.links.first?.id, let peer = core.peers.peers[address],
                let present = peer.database.identity
            else { return [] }
            let database = peer.database
            let other = GATTCachedDatabase(databaseHash: ByteBuffer(repeating: 9, count: 16))
            return ([.changed(other), .noDatabaseHash, .unchanged(present)] as [GATTDatabaseValidation]).map { found in
                core.databaseCache.store(database, of: address)
                peer.database = RemoteDatabase()
                peer.validatedDatabase = nil
                core.peers.validated(link, found)
                core.flush()
                return [
                    core.databaseCache.database(of: address) != nil, peer.database == database,
                    peer.database == RemoteDatabase(other), peer.cachedDatabase != nil,
                    peer.validatedDatabase == found.database,
                ]
            }
        }
        #expect(
            states == [
                [false, false, true, true, true], [false, false, false, false, true], [true, true, false, true, true],
            ]
        )
        #expect(peripheral.state == .connected)
    }
}
