// What is kept of a peer that is known by another address from some moment on: its database and the record of its
// connection move there, under the same identifier.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 What is kept of peers that are identified")
struct IdentifiedRecordsTests {
    @Test("13.1 7.13 the record and the database of a connection go on under the identity address")
    func moved() throws {
        let setup = RestorationSetup(.central)
        let peripheral = try setup.subscribe()
        setup.testbed.run(.seconds(3))
        let identity = DeviceAddress(0xC000_0000_0077, kind: .random)
        let before = peripheral.address
        /// The addresses and the identifiers of the peripherals that would be restored.
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
        // The app has what it had, and hears nothing of it.
        #expect(peripheral.state == .connected && setup.central.found.count == 1)
        setup.ball.manager.updateValue("Yes".octets, for: setup.ball.answer, onSubscribedCentrals: nil)
        #expect(setup.testbed.run { setup.central.values == ["Yes"] })
        #expect(!setup.central.calls.contains { $0.hasPrefix("modified") || $0.hasPrefix("disconnect") })
        let found = setup.central.manager.retrieveConnectedPeripherals(withServices: [IDs.service])
        #expect(found.count == 1 && found.first === peripheral)
    }

    @Test("5.1 a peer that is identified by the address that it has already stays what it is")
    func same() throws {
        let setup = RestorationSetup(.central)
        let peripheral = try setup.subscribe()
        setup.testbed.run(.seconds(3))
        let address = peripheral.address
        let states = setup.curious.adapter.readEngine(in: setup.testbed) { core -> [Bool] in
            guard let link = core.host.links.first?.id else { return [] }
            core.identified(LinkInformation(id: link, peer: address, isCentral: true), before: address)
            core.flush()
            return [
                core.databaseCache.database(of: address) != nil, core.peers.peers.count == 1,
                core.peers.peers[address]?.link == link,
            ]
        }
        #expect(states == [true, true, true])
        #expect(peripheral.state == .connected)
        setup.central.disconnect(peripheral, in: setup.testbed)
        let left = setup.curious.adapter.readEngine(in: setup.testbed) { core -> Int in core.peers.peers.count }
        #expect(left == 0)
    }
}
