// Pairing by what came another way than by Bluetooth: nobody is asked, and the keys protect against a man in the middle.

import BluetoothTypes
import CoreBluetoothTesting
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

/// Two devices without display and keys that hand over data; the peripheral gives its secret to authenticated links alone.
private struct Couple {
    let testbed = Testbed()
    let agents = (
        central: ScriptedPairingAgent(.none, usesOutOfBandData: true),
        peripheral: ScriptedPairingAgent(.none, usesOutOfBandData: true)
    )
    let storage = MemoryStorage()
    let adapter: BluetoothAdapter
    let client: CentralApp
    let server: PeripheralApp
    let secret = CBMutableCharacteristic(
        type: CBUUID(string: "FFF1"),
        properties: .read,
        value: nil,
        permissions: .readEncryptionRequired
    )

    init() {
        var configuration = BluetoothAdapter.Configuration(identity: "Curious")
        configuration.pairingAgent = self.agents.central
        let central = BluetoothAdapter(air: self.testbed.air, configuration: configuration, storage: self.storage)
        configuration = BluetoothAdapter.Configuration(identity: "Crystal")
        configuration.pairingAgent = self.agents.peripheral
        configuration.requiresPairing = true
        let peripheral = BluetoothAdapter(air: self.testbed.air, configuration: configuration, storage: MemoryStorage())
        let (client, server) = (CentralApp(on: central), PeripheralApp(on: peripheral))
        server.ball.characteristics = [self.secret]
        server.reading = Data([42])
        self.testbed.run { server.manager.state == .poweredOn && client.manager.state == .poweredOn }
        server.open()
        self.adapter = peripheral
        self.client = client
        self.server = server
    }

    /// Connects and reads the secret; the error where there was one.
    func read() throws -> (any Error)? {
        let found = try self.client.connect(in: self.testbed)
        let characteristic = try found.discover([IDs.service], in: self.testbed).characteristic(self.secret.uuid)
        self.client.calls = []
        self.client.errors = []
        found.readValue(for: characteristic)
        self.testbed.run { self.client.calls.contains { $0.hasPrefix("value") } }
        if self.client.errors.isEmpty { #expect(characteristic.value == Data([42])) }
        #expect(self.agents.central.prompts.isEmpty && self.agents.peripheral.prompts.isEmpty)
        return self.client.errors.first
    }

    var outcomes: [PairingOutcome] { self.agents.central.outcomes + self.agents.peripheral.outcomes }
    var bond: Bond? { self.storage.bonds().first?.bond }
}

@Suite("Pairing out of band")
struct OutOfBandTests {
    @Test(
        "LE Secure Connections: data of either device, or of both, makes them pair, authenticated and without a question",
        arguments: [(true, true), (true, false), (false, true)]
    )
    func pairs(toCentral: Bool, toPeripheral: Bool) throws {
        let couple = Couple()
        if toCentral { couple.agents.peripheral.handOver(to: couple.agents.central) }
        if toPeripheral { couple.agents.central.handOver(to: couple.agents.peripheral) }
        #expect(try couple.read() == nil)
        #expect(couple.outcomes == [.paired, .paired])
        #expect(couple.bond?.level == .secureConnections)
    }

    @Test("Legacy pairing: the key that either device has made", arguments: [true, false])
    func legacy(isOfCentral: Bool) throws {
        let couple = Couple()
        let (central, peripheral) = couple.agents
        if isOfCentral { central.handOver(.legacy, to: peripheral) } else { peripheral.handOver(.legacy, to: central) }
        #expect(try couple.read() == nil)
        #expect(couple.outcomes == [.paired, .paired])
        #expect(couple.bond?.level == .authenticated && couple.bond?.isSecureConnections == false)
    }

    @Test("Legacy pairing: where both have made a key, that of the central counts")
    func twoKeys() throws {
        let couple = Couple()
        couple.agents.central.handOver(.legacy, to: couple.agents.peripheral)
        couple.agents.peripheral.handOver(.legacy, to: couple.agents.central)
        #expect(try couple.read() == nil)
        #expect(couple.bond?.level == .authenticated)
    }

    @Test(
        "Data of another device is refused on both sides, and the right data is taken after",
        arguments: [true, false],
        [LocalPairingOutOfBandData.Kind.secureConnections, .legacy]
    )
    func wrong(isCentral: Bool, kind: LocalPairingOutOfBandData.Kind) throws {
        let couple = Couple()
        let (taker, giver) =
            isCentral
            ? (couple.agents.central, couple.agents.peripheral) : (couple.agents.peripheral, couple.agents.central)
        giver.handOver(kind, to: taker)
        taker.take(LocalPairingOutOfBandData(kind).sharedData)
        #expect(try couple.read() as? CBATTError != nil)
        #expect(couple.outcomes.count == 2 && couple.outcomes.allSatisfy { $0 != .paired }, "\(couple.outcomes)")
        #expect(couple.bond == nil)
        couple.testbed.run(.seconds(10))
        giver.handOver(kind, to: taker)
        #expect(try couple.read() == nil)
        #expect(couple.bond?.isAuthenticated == true)
    }

    @Test("Without data no pairing protects, also where a device has given some that nobody took")
    func none() throws {
        for gives in [false, true] {
            let couple = Couple()
            if gives {
                couple.agents.central.handOver(to: couple.agents.peripheral)
                couple.agents.peripheral.take(nil)
            }
            #expect(try couple.read() as? CBATTError != nil)
            #expect(couple.bond == nil && !couple.outcomes.contains(.paired))
        }
    }

    @Test("Legacy pairing with the key on one side only: no pairing", arguments: [true, false])
    func oneKey(isCentral: Bool) throws {
        let couple = Couple()
        let holder = isCentral ? couple.agents.central : couple.agents.peripheral
        holder.take(LocalPairingOutOfBandData(.legacy).sharedData)
        #expect(try couple.read() as? CBATTError != nil)
        #expect(couple.bond == nil && !couple.outcomes.contains(.paired))
    }

    @Test("Data with the address of another device is not used")
    func address() throws {
        for isRight in [true, false] {
            let couple = Couple()
            couple.agents.peripheral.handOver(to: couple.agents.central)
            let exchange = couple.agents.peripheral.outOfBandData(for: PairingPeer(identifier: UUID(), name: nil))
            let local = try #require(exchange.local)
            let shared = Watched<PairingOutOfBandData?>(nil)
            couple.adapter.share(local) { data in shared.update { $0 = data } }
            couple.testbed.run()
            var data = try #require(shared.value)
            let address = try #require(data.address)
            #expect(address.randomKind == .static)
            if !isRight { data.address = DeviceAddress(address.value ^ 1, kind: .random) }
            couple.agents.central.take(data)
            #expect((try couple.read() == nil) == isRight)
        }
    }

    @Test("Data as octets: elements of advertising data, in any order and beside others, and not less")
    func octets() throws {
        let data = LocalPairingOutOfBandData().sharedData
        let octets = data.advertisingData
        #expect(octets.count == 36 && octets[0] == 17 && octets[1] == 0x22 && octets[18] == 17 && octets[19] == 0x23)
        #expect(PairingOutOfBandData(advertisingData: octets) == data)
        let others = Data([2, 0x1C, 0]) + octets.suffix(18) + octets.prefix(18) + Data([0, 0])
        #expect(PairingOutOfBandData(advertisingData: others) == data)
        for count in 0..<36 { #expect(PairingOutOfBandData(advertisingData: octets.prefix(count)) == nil) }
        let key = LocalPairingOutOfBandData(.legacy).sharedData
        #expect(key.advertisingData.prefix(2) == Data([17, 0x10]))
        #expect(PairingOutOfBandData(advertisingData: key.advertisingData) == key)
        // Octets as the specification prints them: the least significant first.
        let address = Data([8, 0x1B, 0x06, 0x05, 0x04, 0x03, 0x02, 0xC1, 0x01])
        let named = try #require(PairingOutOfBandData(advertisingData: address + key.advertisingData))
        #expect(named.address == DeviceAddress(0xC102_0304_0506, kind: .random))
        #expect(named.advertisingData == address + key.advertisingData)
    }
}
