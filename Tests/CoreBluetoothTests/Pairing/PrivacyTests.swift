// Devices that hide behind private addresses, as apps meet them: an unbonded peer is another one whenever its address
// changes; a bonded one keeps its identifier, whatever its address, its link and its process do.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CoreBluetoothTesting
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

/// A peripheral with one secret and a central that wants it; either may hide, with or without a resolving list.
private final class Pair {
    let testbed = Testbed()
    let central: RestartableDevice
    let peripheral: RestartableDevice
    private(set) var centralApp: CentralApp!
    private(set) var peripheralApp: PeripheralApp!
    private(set) var secret = Pair.makeSecret()

    static let interval = Duration.seconds(900)

    init(
        privateCentral: Bool = true,
        privatePeripheral: Bool = true,
        centralList: Int = 64,
        peripheralList: Int = 64,
        agent: ScriptedPairingAgent? = nil,
        peripheralStorage: MemoryStorage = MemoryStorage()
    ) {
        let privacy = BluetoothAdapter.Configuration.Privacy(rotationInterval: Self.interval)
        self.central = RestartableDevice(
            "Curious",
            in: self.testbed,
            privacy: privateCentral ? privacy : nil,
            resolvingListSize: centralList,
            agent: agent
        )
        self.peripheral = RestartableDevice(
            "Crystal",
            in: self.testbed,
            storage: peripheralStorage,
            privacy: privatePeripheral ? privacy : nil,
            resolvingListSize: peripheralList
        )
        self.startPeripheral()
        self.startCentral()
    }

    private static func makeSecret() -> CBMutableCharacteristic {
        CBMutableCharacteristic(
            type: CBUUID(string: "FFF1"),
            properties: [.read],
            value: nil,
            permissions: [.readEncryptionRequired]
        )
    }

    private func startPeripheral() {
        self.peripheralApp = PeripheralApp(on: self.peripheral.adapter)
        self.secret = Self.makeSecret()
        self.peripheralApp.ball.characteristics = [self.secret]
        self.peripheralApp.reading = Data([42])
        self.testbed.run { self.peripheralApp.manager.state == .poweredOn }
        self.peripheralApp.open()
    }

    private func startCentral() {
        self.centralApp = CentralApp(on: self.central.adapter)
        self.testbed.run { self.centralApp.manager.state == .poweredOn }
    }

    /// The process of one side ends as with `kill -9`, and the next one begins.
    func restartCentral() {
        self.central.restart()
        self.startCentral()
    }

    func restartPeripheral() {
        self.peripheral.restart()
        self.startPeripheral()
    }

    /// Time passes in which the addresses of both devices change.
    func rotate() { self.testbed.run(.seconds(1000)) }

    /// Finds the peripheral anew.
    func find() throws -> CBPeripheral {
        self.centralApp.found = []
        let peripheral = try self.centralApp.find(in: self.testbed, services: [IDs.service])
        self.centralApp.manager.stopScan()
        return peripheral
    }

    /// Connects, where there is no connection, and reads the secret; the error where there was one.
    func read(_ peripheral: CBPeripheral, staysConnected: Bool = false) throws -> (any Error)? {
        peripheral.delegate = self.centralApp
        if peripheral.state != .connected { self.centralApp.connect(peripheral, in: self.testbed) }
        let service = try peripheral.discover([IDs.service], in: self.testbed)
        let secret = try service.characteristic(self.secret.uuid)
        self.centralApp.calls = []
        self.centralApp.errors = []
        peripheral.readValue(for: secret)
        self.testbed.run { self.centralApp.calls.contains { $0.hasPrefix("value") } }
        if !staysConnected { self.centralApp.disconnect(peripheral, in: self.testbed) }
        if self.centralApp.errors.isEmpty { #expect(secret.value == Data([42])) }
        return self.centralApp.errors.first
    }

    /// The peripheral that an app has kept the identifier of.
    func retrieve(_ identifier: UUID) throws -> CBPeripheral {
        try #require(self.centralApp.manager.retrievePeripherals(withIdentifiers: [identifier]).first)
    }

    /// As whom the peripheral's app knows the central that has read last.
    var reader: UUID? { self.peripheralApp.requests.last?.central.identifier }
}

@Suite("Privacy")
struct PrivacyTests {
    @Test(
        "Bonded devices that hide know each other again, whatever their addresses, links and processes do",
        arguments: [64, 0],
        [64, 0]
    )
    func bonded(centralList: Int, peripheralList: Int) throws {
        let pair = Pair(centralList: centralList, peripheralList: peripheralList)
        let peripheral = try pair.find()
        let identifier = peripheral.identifier
        #expect(pair.central.adapter.identities.record(for: identifier)?.address.randomKind == .resolvablePrivate)
        #expect(try pair.read(peripheral) == nil)
        let reader = try #require(pair.reader)
        // The record has moved to the identity address, under the identifier that the app knows.
        let identity = pair.peripheral.identityAddress
        #expect(pair.central.adapter.identities.record(for: identifier)?.address == identity)
        #expect(pair.peripheral.adapter.identities.record(for: reader)?.address == pair.central.identityAddress)

        func expectSame(_ peripheral: CBPeripheral) throws {
            #expect(peripheral.identifier == identifier)
            #expect(try pair.read(peripheral) == nil)
            #expect(pair.reader == reader)
        }
        try expectSame(peripheral)
        pair.rotate()
        try expectSame(peripheral)
        try expectSame(try pair.find())
        pair.restartCentral()
        try expectSame(try pair.retrieve(identifier))
        pair.rotate()
        pair.restartPeripheral()
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

    @Test("Bonded devices keep what the other one says of its privacy; apps see nothing of it", arguments: [64, 0])
    func characteristics(list: Int) throws {
        let pair = Pair(peripheralList: list)
        let peripheral = try pair.find()
        #expect(try pair.read(peripheral) == nil)
        pair.restartCentral()
        // Nobody resolves without a list; all that hide use private addresses alone.
        for (device, resolves) in [(pair.central, list > 0), (pair.peripheral, true)] {
            let said = device.storage.bonds().map(\.privacy)
            #expect(said == [PeerPrivacy(resolvesAddresses: resolves, usesOnlyPrivateAddresses: true)])
        }
        let again = try pair.retrieve(peripheral.identifier)
        pair.centralApp.connect(again, in: pair.testbed)
        _ = try again.discover(nil, in: pair.testbed)
        #expect(again.services?.map(\.uuid) == [IDs.service])
    }

    @Test("One side may hide alone", arguments: [true, false], [64, 0])
    func oneSide(isCentral: Bool, list: Int) throws {
        let pair = Pair(
            privateCentral: isCentral,
            privatePeripheral: !isCentral,
            centralList: list,
            peripheralList: list
        )
        let peripheral = try pair.find()
        #expect(try pair.read(peripheral) == nil)
        let reader = pair.reader
        pair.rotate()
        #expect(try pair.read(try pair.retrieve(peripheral.identifier)) == nil)
        #expect(pair.reader == reader)
        #expect(try pair.find().identifier == peripheral.identifier)
        #expect((isCentral ? pair.peripheral : pair.central).privateAddresses.allSatisfy { $0.randomKind == .static })
    }

    @Test("To an unbonded scanner a device that hides is another one after a while", arguments: [true, false])
    func unbonded(isPrivate: Bool) throws {
        let pair = Pair(privatePeripheral: isPrivate)
        let first = try pair.find().identifier
        #expect(try pair.find().identifier == first)
        pair.rotate()
        let second = try pair.find().identifier
        #expect((second != first) == isPrivate)
        // A scan that goes on finds it as another one, too.
        pair.centralApp.found = []
        pair.centralApp.manager.scanForPeripherals(withServices: [IDs.service])
        pair.testbed.run(.seconds(2000))
        let count = Set(pair.centralApp.found.map(\.identifier)).count
        #expect(isPrivate ? count >= 3 : count == 1)
    }

    @Test("A scan that goes on finds a bonded device that hides once", arguments: [64, 0])
    func scan(list: Int) throws {
        let pair = Pair(centralList: list)
        let peripheral = try pair.find()
        #expect(try pair.read(peripheral) == nil)
        pair.centralApp.found = []
        pair.centralApp.calls = []
        pair.centralApp.manager.scanForPeripherals(withServices: [IDs.service])
        pair.testbed.run(.seconds(3000))
        #expect(pair.centralApp.found.map(\.identifier) == [peripheral.identifier])
        #expect(pair.centralApp.calls.count(where: { $0.hasPrefix("discover") }) == 1)
        pair.centralApp.manager.scanForPeripherals(
            withServices: [IDs.service],
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: true]
        )
        pair.testbed.run(.seconds(2000))
        #expect(pair.centralApp.calls.count(where: { $0.hasPrefix("discover") }) > 1000)
        #expect(pair.centralApp.found.map(\.identifier) == [peripheral.identifier])
    }

    @Test("A connection that is waited for, or comes back by itself, outlasts the addresses", arguments: [64, 0])
    func pending(list: Int) throws {
        let pair = Pair(centralList: list)
        let peripheral = try pair.find()
        #expect(try pair.read(peripheral) == nil)
        pair.centralApp.manager.connect(
            peripheral,
            options: [CBConnectPeripheralOptionEnableAutoReconnect: true]
        )
        pair.testbed.run { peripheral.state == .connected }
        pair.centralApp.calls = []
        pair.peripheral.breakController()
        pair.testbed.run { peripheral.state != .connected }
        pair.rotate()
        pair.testbed.run { pair.peripheralApp.manager.state == .poweredOn }
        pair.peripheralApp.open()
        pair.testbed.run { peripheral.state == .connected }
        // Pending while nobody is there, over several addresses.
        pair.centralApp.disconnect(peripheral, in: pair.testbed)
        pair.peripheralApp.manager.stopAdvertising()
        pair.centralApp.manager.connect(peripheral)
        pair.rotate()
        pair.rotate()
        #expect(peripheral.state == .connecting)
        pair.peripheralApp.advertise(name: "Crystal")
        pair.testbed.run { peripheral.state == .connected }
        #expect(try pair.read(peripheral) == nil)
    }

    @Test("An object that was found before the pairing connects to the device under its new address")
    func olderObject() throws {
        let pair = Pair()
        let peripheral = try pair.find()
        let other = CentralApp(on: pair.central.adapter)
        pair.testbed.run { other.manager.state == .poweredOn }
        let same = try other.find(in: pair.testbed, services: [IDs.service])
        other.manager.stopScan()
        #expect(same.identifier == peripheral.identifier && same !== peripheral)
        #expect(try pair.read(peripheral) == nil)
        pair.rotate()
        other.connect(same, in: pair.testbed)
        #expect(pair.central.adapter.connectedPeers.peers(withAnyOf: [0x1800]) == [pair.peripheral.identityAddress])
    }

    @Test("While devices pair, both apps keep their objects, and the link is the identity's")
    func whileConnected() throws {
        let pair = Pair()
        let peripheral = try pair.find()
        let other = CentralApp(on: pair.central.adapter)
        pair.testbed.run { other.manager.state == .poweredOn }
        let same = try other.find(in: pair.testbed, services: [IDs.service])
        other.connect(same, in: pair.testbed)
        #expect(try pair.read(peripheral, staysConnected: true) == nil)
        #expect(peripheral.state == .connected && same.state == .connected)
        let connected = pair.centralApp.manager.retrieveConnectedPeripherals(withServices: [IDs.service])
        #expect(connected == [peripheral])
        pair.centralApp.disconnect(peripheral, in: pair.testbed)
        #expect(same.state == .connected)
        other.disconnect(same, in: pair.testbed)
        #expect(other.errors.isEmpty && pair.centralApp.errors.isEmpty)
    }

    @Test("A device that lost its keys may not take its own place without consent", arguments: [true, false])
    func lostKeys(consents: Bool) throws {
        let storage = MemoryStorage()
        let agent = ScriptedPairingAgent(.displayAndConfirm, confirms: { _ in consents })
        let pair = Pair(agent: agent, peripheralStorage: storage)
        let first = try pair.find()
        #expect(agent.prompts == [])
        #expect(try pair.read(first) == nil)
        let bond = try #require(pair.central.storage.names.first { $0.hasPrefix("bond-") })
        let keys = try pair.central.storage.read(bond)
        let lost = storage.names.filter { $0.hasPrefix("bond-") || $0.hasPrefix("identity-key") }
        for name in lost { storage.remove(name) }
        pair.restartPeripheral()
        // With another key its addresses are of an unknown device, until it says who it is.
        let second = try pair.find()
        #expect(second.identifier != first.identifier)
        let before = agent.prompts.count
        // The link is encrypted before the peripheral says who it is, so that what was asked of an unknown device is
        // answered.
        #expect(try pair.read(second) == nil)
        #expect(agent.prompts.dropFirst(before) == [.pair(replacesBond: true)])
        #expect(try (pair.central.storage.read(bond) != keys) == consents)
        let records = pair.central.adapter.identities
        #expect(records.record(for: second.identifier)?.address == pair.peripheral.identityAddress || !consents)
        #expect(records.record(for: first.identifier)?.address == pair.peripheral.identityAddress || consents)
        #expect(pair.central.storage.names.count(where: { $0.hasPrefix("bond-") }) == 1)
    }

    @Test("Restoration finds a bonded device that hides under its identifier")
    func restoration() throws {
        let pair = Pair()
        let options = [CBCentralManagerOptionRestoreIdentifierKey: "curious"]
        let app = CentralApp(on: pair.central.adapter, options: options)
        pair.testbed.run { app.manager.state == .poweredOn }
        let identifier = try app.connect(in: pair.testbed).identifier
        #expect(try pair.read(try pair.retrieve(identifier), staysConnected: true) == nil)
        pair.restartCentral()
        pair.rotate()
        let next = CentralApp(on: pair.central.adapter, options: options)
        pair.testbed.run { next.manager.state == .poweredOn }
        let restored = try #require(next.found.first)
        #expect(restored.identifier == identifier)
        next.manager.connect(restored)
        pair.testbed.run { restored.state == .connected }
    }

    @Test("A connection that waits for a device which turns out to be another one's fails, and comes about no more")
    func twoObjects() throws {
        let testbed = Testbed()
        let secret = CBMutableCharacteristic(
            type: CBUUID(string: "FFF1"),
            properties: [.read],
            value: nil,
            permissions: [.readEncryptionRequired]
        )
        func publish(_ device: RestartableDevice) -> PeripheralApp {
            let app = PeripheralApp(on: device.adapter)
            app.ball.characteristics = [secret]
            app.reading = Data([42])
            testbed.run { app.manager.state == .poweredOn }
            app.open()
            return app
        }
        let phone = RestartableDevice("Curious", in: testbed)
        let central = CentralApp(on: phone.adapter)
        testbed.run { central.manager.state == .poweredOn }
        // First it advertises with its identity address, then with private ones.
        let open = RestartableDevice("Crystal", in: testbed)
        let openApp = publish(open)
        let known = try central.find(in: testbed, services: [IDs.service])
        central.manager.stopScan()
        open.adapter.kill()
        testbed.run()
        central.manager.connect(known)
        let privacy = BluetoothAdapter.Configuration.Privacy(rotationInterval: .seconds(900))
        let hidden = RestartableDevice("Crystal", in: testbed, privacy: privacy)
        let hiddenApp = publish(hidden)
        central.found = []
        let peripheral = try central.connect(in: testbed)
        #expect(peripheral !== known && known.state == .connecting)
        let service = try peripheral.discover([IDs.service], in: testbed)
        peripheral.readValue(for: try service.characteristic(secret.uuid))
        #expect(testbed.run { known.state == .disconnected })
        #expect(central.calls.contains { $0.hasPrefix("fail ") } && peripheral.state == .connected)
        central.disconnect(peripheral, in: testbed)
        testbed.run(.seconds(10))
        #expect(known.state == .disconnected && peripheral.state == .disconnected)
        withExtendedLifetime((openApp, hiddenApp)) {}
    }
}
