// Pairing as apps meet it: nobody calls anything. A request that the peripheral refuses until the link is encrypted makes
// the devices pair and is repeated; keys are kept, and lost keys end the link.

import BluetoothAir
import Fixtures
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth
@testable import CoreBluetoothTesting

/// A peripheral with one secret and a central that wants it.
private final class Pair {
    let testbed = Testbed()
    let storages = (central: MemoryStorage(), peripheral: MemoryStorage())
    var central: CentralApp!
    var peripheral: PeripheralApp!
    private var adapters: [BluetoothAdapter] = []
    let secret = CBMutableCharacteristic(
        type: CBUUID(string: "FFF1"),
        properties: [.read, .write],
        value: nil,
        permissions: [.readEncryptionRequired, .writeEncryptionRequired]
    )

    /// Starts both devices; those that were there before end as with their processes.
    func start(
        central: ScriptedPairingAgent? = nil,
        peripheral: ScriptedPairingAgent? = nil,
        requiresPairing: Bool = false,
        permitsPairing: Bool = true
    ) {
        for adapter in self.adapters { adapter.kill() }
        self.testbed.run()
        func adapter(_ name: String, _ agent: ScriptedPairingAgent?, _ storage: MemoryStorage) -> BluetoothAdapter {
            var configuration = BluetoothAdapter.Configuration(identity: name)
            configuration.pairingAgent = agent
            configuration.permitsPairing = permitsPairing
            configuration.requiresPairing = requiresPairing && name == "Crystal"
            return BluetoothAdapter(air: self.testbed.air, configuration: configuration, storage: storage)
        }
        self.adapters = [
            adapter("Curious", central, self.storages.central),
            adapter("Crystal", peripheral, self.storages.peripheral),
        ]
        self.peripheral = PeripheralApp(on: self.adapters[1])
        self.peripheral.ball.characteristics = [self.secret]
        self.peripheral.reading = Data([42])
        self.central = CentralApp(on: self.adapters[0])
        self.testbed.run {
            self.peripheral.manager.state == .poweredOn && self.central.manager.state == .poweredOn
        }
        self.peripheral.open()
    }

    /// Connects and discovers the secret.
    func discover() throws -> (CBPeripheral, CBCharacteristic) {
        self.central.manager.scanForPeripherals(withServices: [IDs.service])
        self.testbed.run { !self.central.found.isEmpty }
        let peripheral = try #require(self.central.found.first)
        self.central.connect(peripheral, in: self.testbed)
        let service = try peripheral.discover([IDs.service], in: self.testbed)
        return (peripheral, try service.characteristic(self.secret.uuid))
    }

    /// Reads the secret; the error where there was one.
    func read(within limit: TimeAmount = .seconds(60)) throws -> (any Error)? {
        let (peripheral, secret) = try self.discover()
        self.central.calls = []
        self.central.errors = []
        peripheral.readValue(for: secret)
        self.testbed.run(until: { !self.central.calls.isEmpty }, within: limit)
        if self.central.errors.isEmpty { #expect(secret.value == Data([42])) }
        return self.central.errors.first
    }

    /// The level of the central's link to a peripheral.
    func level(of peripheral: CBPeripheral) -> SecurityLevel? {
        let level = Watched<SecurityLevel?>(nil)
        self.adapters[0].security(of: peripheral.identifier) { security in level.update { $0 = security?.level } }
        self.testbed.run()
        return level.value
    }

    /// The bonds in a storage.
    func bonds(_ storage: MemoryStorage) -> [String] { storage.names.filter { $0.hasPrefix("bond-") } }
}

@Suite("Pairing")
struct PairingTests {
    @Test("Just Works: devices without display and keys pair by themselves, and both keep the bond")
    func justWorks() throws {
        let pair = Pair()
        pair.start()
        #expect(try pair.read() == nil)
        #expect(pair.bonds(pair.storages.central).count == 1 && pair.bonds(pair.storages.peripheral).count == 1)
    }

    @Test("Passkey: the code that one device shows is entered at the other")
    func passkey() throws {
        let display = ScriptedPairingAgent(.display)
        let keyboard = ScriptedPairingAgent(.keyboard) { _ in display.code }
        let pair = Pair()
        pair.start(central: keyboard, peripheral: display, requiresPairing: true)
        #expect(try pair.read() == nil)
        #expect(keyboard.prompts == [.enterCode])
        #expect(display.code?.count == 6)
        #expect(keyboard.outcomes == [.paired] && display.outcomes == [.paired])
    }

    @Test("A wrong code is refused on both sides; the right one is taken a little later")
    func wrongCode() throws {
        let display = ScriptedPairingAgent(.display)
        let isRight = Watched(false)
        let keyboard = ScriptedPairingAgent(.keyboard) { _ in
            isRight.value ? display.code : display.code == "000000" ? "000001" : "000000"
        }
        let pair = Pair()
        pair.start(central: keyboard, peripheral: display, requiresPairing: true)
        let error = try #require(try pair.read() as? CBATTError)
        #expect(error.code == .insufficientAuthentication || error.code == .insufficientEncryption)
        for agent in [keyboard, display] {
            guard case .failed(let reason)? = agent.outcomes.last else { return #expect(Bool(false), "no failure") }
            #expect(reason.contains("pairing"))
        }
        #expect(pair.bonds(pair.storages.central).isEmpty && pair.bonds(pair.storages.peripheral).isEmpty)
        isRight.update { $0 = true }
        // The waiting interval of repeated attempts (Vol 3, Part H, 2.3.6).
        pair.testbed.run(.seconds(5))
        let peripheral = try #require(pair.central.found.first)
        let secret = try #require(peripheral.services?.first?.characteristics?.first)
        pair.central.calls = []
        peripheral.readValue(for: secret)
        pair.testbed.run { !pair.central.calls.isEmpty }
        #expect(secret.value == Data([42]))
    }

    @Test("Numeric comparison: both devices show the same six digits", arguments: [true, false])
    func comparison(isEqual: Bool) throws {
        let first = ScriptedPairingAgent(.displayAndConfirm)
        let second = ScriptedPairingAgent(.displayAndConfirm, confirms: { _ in isEqual })
        let pair = Pair()
        pair.start(central: first, peripheral: second)
        let error = try pair.read()
        #expect((error == nil) == isEqual)
        #expect(first.prompts == second.prompts)
        guard case .compareCode(let code)? = first.prompts.first else { return #expect(Bool(false), "no comparison") }
        #expect(code.count == 6)
    }

    @Test("A user who does not answer: the request fails after 30 s with encryptionTimedOut or the refusal, once")
    func silentUser() throws {
        let pair = Pair()
        pair.start(
            central: ScriptedPairingAgent(.displayAndConfirm, confirms: { _ in nil }),
            peripheral: ScriptedPairingAgent(.displayAndConfirm)
        )
        let error = try #require(try pair.read(within: .seconds(90)))
        #expect((error as? CBError)?.code == .encryptionTimedOut || error is CBATTError)
        pair.testbed.run(.seconds(60))
        #expect(pair.central.errors.count == 1)
    }

    @Test("A device that does not pair gets the refusal, with the codes of 8.1")
    func notPermitted() throws {
        let pair = Pair()
        pair.start(permitsPairing: false)
        let error = try #require(try pair.read() as? CBATTError)
        #expect(error.code == .insufficientAuthentication)
        pair.peripheral.manager.publishL2CAPChannel(withEncryption: true)
        pair.testbed.run { !pair.peripheral.psms.isEmpty }
        pair.central.found[0].openL2CAPChannel(pair.peripheral.psms[0])
        pair.testbed.run { pair.central.calls.last?.hasPrefix("channel") == true }
        #expect(pair.central.calls.last == "channel CBATTErrorDomain \(error.errorCode)")
        #expect(pair.peripheral.channels.isEmpty)
    }

    @Test("A bond outlasts both processes: the next link is encrypted with its key, and nobody is asked again")
    func restart() throws {
        let pair = Pair()
        let display = ScriptedPairingAgent(.display)
        pair.start(
            central: ScriptedPairingAgent(.keyboard) { _ in display.code },
            peripheral: display,
            requiresPairing: true
        )
        #expect(try pair.read() == nil)
        let quiet = (ScriptedPairingAgent(.keyboard), ScriptedPairingAgent(.display))
        pair.start(central: quiet.0, peripheral: quiet.1, requiresPairing: true)
        #expect(try pair.read() == nil)
        #expect(quiet.0.prompts.isEmpty && quiet.1.prompts.isEmpty)
    }

    @Test("A peripheral that has lost its keys: the link ends with peerRemovedPairingInformation, not in clear")
    func lostKeys() throws {
        let pair = Pair()
        pair.start()
        #expect(try pair.read() == nil)
        for name in pair.bonds(pair.storages.peripheral) { pair.storages.peripheral.remove(name) }
        pair.start()
        pair.central.manager.scanForPeripherals(withServices: [IDs.service])
        pair.testbed.run { !pair.central.found.isEmpty }
        pair.central.manager.connect(pair.central.found[0])
        pair.testbed.run { !pair.central.errors.isEmpty }
        #expect((pair.central.errors.first as? CBError)?.code == .peerRemovedPairingInformation)
    }

    @Test("A bond that another program removes from the storage is forgotten by the running one, too")
    func removedBond() throws {
        let pair = Pair()
        pair.start()
        #expect(try pair.read() == nil)
        for name in pair.bonds(pair.storages.peripheral) { pair.storages.peripheral.remove(name) }
        let peripheral = try #require(pair.central.found.first)
        pair.central.manager.cancelPeripheralConnection(peripheral)
        pair.testbed.run { peripheral.state == .disconnected }
        pair.central.errors = []
        pair.central.manager.connect(peripheral)
        pair.testbed.run { !pair.central.errors.isEmpty }
        #expect((pair.central.errors.first as? CBError)?.code == .peerRemovedPairingInformation)
        // The way out: this side forgets its keys as well.
        for name in pair.bonds(pair.storages.central) { pair.storages.central.remove(name) }
        #expect(try pair.read() == nil)
        #expect(pair.bonds(pair.storages.central).count == 1 && pair.bonds(pair.storages.peripheral).count == 1)
    }

    @Test("Vol 3, Part H, 3.6.1: a bond whose keys the peer rejects after the pairing is removed from the storage")
    func rejectedKeys() throws {
        let world = World()
        let peripheral = world.addPeripheral(
            ScriptedPeripheral(
                name: "Fussy",
                services: [
                    .init(
                        "FFF0",
                        characteristics: [.init("FFF1", properties: .read, value: Data([1]), security: .encrypted)]
                    )
                ]
            )
        )
        let phone = world.addDevice("phone")
        let central = CentralApp(on: phone.adapter)
        try world.run(until: central.manager.state == .poweredOn)
        central.manager.scanForPeripherals(withServices: nil)
        try world.run(until: !central.found.isEmpty)
        central.manager.connect(central.found[0])
        try world.run(until: central.found[0].state == .connected)
        let answers = NIOLockedValueBox<[Bool]>([])
        for identifier in [UUID(), central.found[0].identifier] {
            phone.adapter.secure(identifier, to: .encrypted) { answer in answers.withLockedValue { $0.append(answer) } }
        }
        try world.run(until: phone.bondCount == 1 && peripheral.bondCount == 1)
        #expect(answers.withLockedValue { $0 } == [false, true])
        let host = peripheral.player.host
        let link = try #require(host.openLinks.first)
        host.enqueue(SMPCommand.pairingFailed(.keyRejected).encoded(), on: .securityManagerProtocol, of: link)
        host.noteWork(link)
        try world.run(until: phone.bondCount == 0)
    }

    @Test("A device without display and keys that requires pairing: any pairing will do")
    func requiresAnyPairing() throws {
        let pair = Pair()
        pair.secret.permissions = [.readable]
        pair.start(requiresPairing: true)
        #expect(try pair.read() == nil)
        #expect(pair.bonds(pair.storages.peripheral).count == 1)
        let peripheral = try #require(pair.central.found.first)
        let level = pair.level(of: peripheral)
        #expect(level == .encrypted)
    }

    @Test("A device with a display that requires pairing refuses one that can neither show nor take a code")
    func requiresCode() throws {
        let pair = Pair()
        pair.secret.permissions = [.readable]
        let display = ScriptedPairingAgent(.display)
        pair.start(peripheral: display, requiresPairing: true)
        let error = try #require(try pair.read() as? CBATTError)
        #expect(error.code == .insufficientAuthentication)
        guard case .failed(let reason)? = display.outcomes.last else { return #expect(Bool(false), "no failure") }
        #expect(reason.contains("a code is needed"))
        #expect(pair.bonds(pair.storages.peripheral).isEmpty)
    }

    @Test("A key that was made without a code is not enough for a device that requires one: they pair anew")
    func requiresBetterKey() throws {
        let pair = Pair()
        pair.secret.permissions = [.readable]
        pair.start(requiresPairing: true)
        #expect(try pair.read() == nil)
        let display = ScriptedPairingAgent(.display)
        pair.start(
            central: ScriptedPairingAgent(.keyboard) { _ in display.code },
            peripheral: display,
            requiresPairing: true
        )
        #expect(try pair.read() == nil)
        #expect(display.prompts.first == .pair(replacesBond: true))
        #expect(pair.level(of: try #require(pair.central.found.first)) == .secureConnections)
    }

    @Test("Attributes that need an authenticated key, beside others that need none", arguments: [true, false])
    func authenticatedAttributes(hasCode: Bool) throws {
        let pair = Pair()
        pair.secret.permissions = [.readable, .readAuthenticationRequired]
        let display = ScriptedPairingAgent(.display)
        pair.start(
            central: hasCode ? ScriptedPairingAgent(.keyboard) { _ in display.code } : nil,
            peripheral: display
        )
        let error = try pair.read()
        #expect((error as? CBATTError)?.code == (hasCode ? nil : .insufficientAuthentication))
        #expect((display.code != nil) == hasCode)
    }

    @Test("A channel that needs encryption is opened once the devices have paired")
    func channel() throws {
        let pair = Pair()
        pair.start()
        pair.peripheral.manager.publishL2CAPChannel(withEncryption: true)
        pair.testbed.run { !pair.peripheral.psms.isEmpty }
        let (peripheral, _) = try pair.discover()
        pair.central.errors = []
        peripheral.openL2CAPChannel(pair.peripheral.psms[0])
        pair.testbed.run { !pair.peripheral.channels.isEmpty }
        #expect(pair.central.errors.isEmpty)
        #expect(pair.bonds(pair.storages.central).count == 1)
    }
}
