// Devices that hide behind private addresses, as apps meet them: a bonded peer keeps its identifier, an unbonded one
// does not.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CoreBluetoothTesting
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

extension SecretPair {
    /// A pair of which either device may hide, with a resolving list of some size.
    fileprivate static func hiding(
        central: Bool = true,
        peripheral: Bool = true,
        resolvingLists: (central: Int, peripheral: Int) = (64, 64),
        agent: ScriptedPairingAgent? = nil
    ) -> SecretPair {
        let privacy = BluetoothAdapter.Configuration.Privacy(rotationInterval: .seconds(90))
        return SecretPair(resolvingLists: resolvingLists) {
            $0.privacy = central ? privacy : nil
            $0.pairingAgent = agent
        } peripheral: {
            $0.privacy = peripheral ? privacy : nil
        }
    }

    /// Lets time pass in which the addresses of both devices change.
    fileprivate func rotate() { self.testbed.run(.seconds(100)) }

    /// Reads the secret, and ends the connection; returns the error.
    fileprivate func visit(_ peripheral: CBPeripheral) throws -> (any Error)? {
        defer { self.client.disconnect(peripheral, in: self.testbed) }
        return try self.read(peripheral)
    }

    /// The peripheral that an app has kept the identifier of.
    fileprivate func retrieve(_ identifier: UUID) throws -> CBPeripheral {
        try #require(self.client.manager.retrievePeripherals(withIdentifiers: [identifier]).first)
    }

    /// The identifier under which the peripheral's app knows the central that has read last.
    fileprivate var reader: UUID? { self.server.requests.last?.central.identifier }
}

@Suite("Privacy")
struct PrivacyTests {
    @Test(
        "bonded devices that hide know each other again over addresses, links and processes",
        arguments: [64, 0],
        [64, 0]
    )
    func bonded(centralList: Int, peripheralList: Int) throws {
        let pair = SecretPair.hiding(resolvingLists: (centralList, peripheralList))
        let peripheral = try pair.find()
        let identifier = peripheral.identifier
        #expect(pair.central.adapter.identities.record(for: identifier)?.address.randomKind == .resolvablePrivate)
        #expect(try pair.visit(peripheral) == nil)
        let reader = try #require(pair.reader)
        // The record has moved to the identity address, under the identifier that the app knows.
        let identity = pair.peripheral.identityAddress
        #expect(pair.central.adapter.identities.record(for: identifier)?.address == identity)
        #expect(pair.peripheral.adapter.identities.record(for: reader)?.address == pair.central.identityAddress)

        func expectSame(_ peripheral: CBPeripheral) throws {
            #expect(peripheral.identifier == identifier)
            #expect(try pair.visit(peripheral) == nil)
            #expect(pair.reader == reader)
        }
        try expectSame(peripheral)
        pair.rotate()
        try expectSame(peripheral)
        try expectSame(try pair.find())
        pair.restart(peripheral: false)
        try expectSame(try pair.retrieve(identifier))
        pair.rotate()
        pair.restart(central: false)
        try expectSame(try pair.retrieve(identifier))
        try expectSame(try pair.find())
        // One bond on each side, and addresses that were private, and others each time.
        for device in [pair.central, pair.peripheral] {
            #expect(device.storage.names.count(where: { $0.hasPrefix("bond-") }) == 1)
            #expect(device.privateAddresses.count >= 3)
            #expect(Set(device.privateAddresses).count == device.privateAddresses.count)
            #expect(device.privateAddresses.allSatisfy { $0.randomKind == .resolvablePrivate })
        }
    }

    @Test("bonded devices keep what the other one says of its privacy, and apps see nothing of it", arguments: [64, 0])
    func characteristics(list: Int) throws {
        let pair = SecretPair.hiding(resolvingLists: (64, list))
        let peripheral = try pair.find()
        #expect(try pair.visit(peripheral) == nil)
        pair.restart(peripheral: false)
        // Nobody resolves without a list; all that hide use private addresses alone.
        for (device, resolves) in [(pair.central, list > 0), (pair.peripheral, true)] {
            let said = device.storage.bonds().map(\.privacy)
            #expect(said == [PeerPrivacy(resolvesAddresses: resolves, usesOnlyPrivateAddresses: true)])
        }
        let again = try pair.retrieve(peripheral.identifier)
        pair.client.connect(again, in: pair.testbed)
        _ = try again.discover(nil, in: pair.testbed)
        #expect(again.services?.map(\.uuid) == [IDs.service])
    }

    @Test("a device that hides becomes another one to an unbonded scanner", arguments: [true, false])
    func unbonded(isPrivate: Bool) throws {
        let pair = SecretPair.hiding(peripheral: isPrivate)
        let first = try pair.find().identifier
        #expect(try pair.find().identifier == first)
        pair.rotate()
        let second = try pair.find().identifier
        #expect((second != first) == isPrivate)
        // A scan that goes on finds it as another one, too.
        pair.client.found = []
        pair.client.manager.scanForPeripherals(withServices: [IDs.service])
        pair.testbed.run(.seconds(200))
        let count = Set(pair.client.found.map(\.identifier)).count
        #expect(isPrivate ? count >= 3 : count == 1)
    }

    @Test("a scan that goes on finds a bonded device that hides once", arguments: [64, 0])
    func scan(list: Int) throws {
        let pair = SecretPair.hiding(resolvingLists: (list, 64))
        let peripheral = try pair.find()
        #expect(try pair.visit(peripheral) == nil)
        pair.client.found = []
        pair.client.calls = []
        pair.client.manager.scanForPeripherals(withServices: [IDs.service])
        pair.testbed.run(.seconds(300))
        #expect(pair.client.found.map(\.identifier) == [peripheral.identifier])
        #expect(pair.client.calls.count(where: { $0.hasPrefix("discover") }) == 1)
        pair.client.hearEverything()
        pair.testbed.run(.seconds(200))
        #expect(pair.client.calls.count(where: { $0.hasPrefix("discover") }) > 1000)
        #expect(pair.client.found.map(\.identifier) == [peripheral.identifier])
    }

    @Test("a connection that is pending, or comes back by itself, outlasts the addresses", arguments: [64, 0])
    func pending(list: Int) throws {
        let pair = SecretPair.hiding(resolvingLists: (list, 64))
        let peripheral = try pair.find()
        #expect(try pair.visit(peripheral) == nil)
        pair.client.manager.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        pair.testbed.run { peripheral.state == .connected }
        pair.client.calls = []
        pair.peripheral.breakController()
        pair.testbed.run { peripheral.state != .connected }
        pair.rotate()
        pair.testbed.run { pair.server.manager.state == .poweredOn }
        pair.server.open()
        pair.testbed.run { peripheral.state == .connected }
        // Pending while nobody is there, over several addresses.
        pair.client.disconnect(peripheral, in: pair.testbed)
        pair.server.manager.stopAdvertising()
        pair.client.manager.connect(peripheral)
        pair.rotate()
        pair.rotate()
        #expect(peripheral.state == .connecting)
        pair.server.advertise(name: "Crystal")
        pair.testbed.run { peripheral.state == .connected }
        #expect(try pair.visit(peripheral) == nil)
    }

    @Test("both apps keep their objects while the devices pair, and the link is the identity's")
    func whileConnected() throws {
        let pair = SecretPair.hiding()
        let peripheral = try pair.find()
        let other = pair.testbed.central(on: pair.central.adapter)
        let same = try other.find(in: pair.testbed, services: [IDs.service])
        other.connect(same, in: pair.testbed)
        #expect(try pair.read(peripheral) == nil)
        #expect(peripheral.state == .connected && same.state == .connected)
        let connected = pair.client.manager.retrieveConnectedPeripherals(withServices: [IDs.service])
        #expect(connected == [peripheral])
        pair.client.disconnect(peripheral, in: pair.testbed)
        #expect(same.state == .connected)
        other.disconnect(same, in: pair.testbed)
        #expect(other.errors.isEmpty && pair.client.errors.isEmpty)
    }

    @Test("a device that lost its keys may not take its own place without consent", arguments: [true, false])
    func lostKeys(consents: Bool) throws {
        let agent = ScriptedPairingAgent(.displayAndConfirm, confirms: { _ in consents })
        let pair = SecretPair.hiding(agent: agent)
        let storage = pair.peripheral.storage
        let first = try pair.find()
        #expect(agent.prompts == [])
        #expect(try pair.visit(first) == nil)
        let bond = try #require(pair.central.storage.names.first { $0.hasPrefix("bond-") })
        let keys = try pair.central.storage.read(bond)
        let lost = storage.names.filter { $0.hasPrefix("bond-") || $0.hasPrefix("identity-key") }
        for name in lost { storage.remove(name) }
        pair.restart(central: false)
        // With another key its addresses are of an unknown device, until it says who it is.
        let second = try pair.find()
        #expect(second.identifier != first.identifier)
        let before = agent.prompts.count
        // The link is encrypted before the peripheral says who it is, so that what was asked of an unknown device is
        // answered.
        #expect(try pair.visit(second) == nil)
        #expect(agent.prompts.dropFirst(before) == [.pair(replacesBond: true)])
        #expect(try (pair.central.storage.read(bond) != keys) == consents)
        let records = pair.central.adapter.identities
        #expect(records.record(for: second.identifier)?.address == pair.peripheral.identityAddress || !consents)
        #expect(records.record(for: first.identifier)?.address == pair.peripheral.identityAddress || consents)
        #expect(pair.central.storage.names.count(where: { $0.hasPrefix("bond-") }) == 1)
    }
}
