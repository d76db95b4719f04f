// Pairing as apps meet it: a request that the peripheral refuses until the link is encrypted makes the devices pair.

import Fixtures
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth
@testable import CoreBluetoothTesting

@Suite("Pairing")
struct PairingTests {
    /// A pair whose users have these agents.
    private func pair(
        central: ScriptedPairingAgent? = nil,
        peripheral: ScriptedPairingAgent? = nil,
        requiresPairing: Bool = false,
        permissions: CBAttributePermissions = .readEncryptionRequired
    ) -> SecretPair {
        SecretPair(
            permissions: permissions,
            central: { $0.pairingAgent = central },
            peripheral: {
                $0.pairingAgent = peripheral
                $0.requiresPairing = requiresPairing
            }
        )
    }

    /// Removes the bonds from a storage, as another program does.
    private func removeBonds(_ device: RestartableDevice) {
        for name in device.storage.names where name.hasPrefix("bond-") { device.storage.remove(name) }
    }

    /// The reason why the last pairing of a user has failed.
    private func failure(_ agent: ScriptedPairingAgent) -> String? {
        if case .failed(let reason)? = agent.outcomes.last { reason } else { nil }
    }

    /// The level of the central's link.
    private func level(_ pair: SecretPair) throws -> SecurityLevel? {
        let level = Watched<SecurityLevel?>(nil)
        let peripheral = try #require(pair.client.found.first)
        pair.central.adapter.security(of: peripheral.identifier) { security in level.update { $0 = security?.level } }
        pair.testbed.run()
        return level.value
    }

    // MARK: How devices pair

    @Test("passkey: the code that one device shows is entered at the other, and the bond outlasts both processes")
    func passkey() throws {
        let display = ScriptedPairingAgent(.display)
        let keyboard = ScriptedPairingAgent(entering: [.right], shownBy: display)
        let pair = self.pair(central: keyboard, peripheral: display, requiresPairing: true)
        #expect(try pair.read() == nil)
        #expect(keyboard.prompts == [.enterCode] && display.code?.count == 6)
        #expect(keyboard.outcomes == [.paired] && display.outcomes == [.paired])
        pair.restart()
        #expect(try pair.read() == nil)
        #expect(keyboard.prompts.count == 1 && display.outcomes.count == 1, "nobody is asked again")
    }

    @Test("both sides refuse a wrong code, and take the right one a little later")
    func wrongCode() throws {
        let display = ScriptedPairingAgent(.display)
        let keyboard = ScriptedPairingAgent(entering: [.wrong, .right], shownBy: display)
        let pair = self.pair(central: keyboard, peripheral: display, requiresPairing: true)
        let error = try #require(try pair.read() as? CBATTError)
        #expect(error.code == .insufficientAuthentication || error.code == .insufficientEncryption)
        for agent in [keyboard, display] { #expect(self.failure(agent)?.contains("pairing") == true) }
        #expect(pair.bondCounts == [0, 0])
        // The waiting interval of repeated attempts (Vol 3, Part H, 2.3.6).
        pair.testbed.run(.seconds(5))
        #expect(try pair.read(pair.client.found.first) == nil)
    }

    @Test("numeric comparison: both devices show the same six digits", arguments: [true, false])
    func comparison(isEqual: Bool) throws {
        let first = ScriptedPairingAgent(.displayAndConfirm)
        let second = ScriptedPairingAgent(.displayAndConfirm, confirms: { _ in isEqual })
        let pair = self.pair(central: first, peripheral: second)
        #expect((try pair.read() == nil) == isEqual)
        #expect(first.prompts == second.prompts)
        guard case .compareCode(let code)? = first.prompts.first else { return #expect(Bool(false), "no comparison") }
        #expect(code.count == 6)
    }

    @Test("a channel that needs encryption opens once the devices have paired", arguments: [true, false])
    func channel(permitsPairing: Bool) throws {
        let permit: SecretPair.Configure = { $0.permitsPairing = permitsPairing }
        let pair = SecretPair(permissions: .readable, central: permit, peripheral: permit)
        #expect(try pair.read() == nil)
        pair.server.manager.publishL2CAPChannel(withEncryption: true)
        pair.testbed.run { !pair.server.psms.isEmpty }
        pair.client.found[0].openL2CAPChannel(pair.server.psms[0])
        pair.testbed.run { pair.client.calls.last?.hasPrefix("channel") == true }
        #expect(pair.server.channels.count == (permitsPairing ? 1 : 0))
        #expect(pair.client.errors.count == (permitsPairing ? 0 : 1))
        #expect(pair.bondCounts == (permitsPairing ? [1, 1] : [0, 0]))
    }

    @Test("8.1 a device that does not pair gets the refusal")
    func notPermitted() throws {
        let pair = SecretPair(central: { $0.permitsPairing = false }, peripheral: { $0.permitsPairing = false })
        #expect((try pair.read() as? CBATTError)?.code == .insufficientAuthentication)
    }

    // MARK: Lost keys

    @Test(
        "a link to a peripheral that has lost its keys ends with peerRemovedPairingInformation, not in clear",
        arguments: [true, false]
    )
    func lostKeys(isRunning: Bool) throws {
        let pair = self.pair()
        #expect(try pair.read() == nil)
        // Another program removes the bond from the storage of a running program, or before it starts.
        self.removeBonds(pair.peripheral)
        if !isRunning { pair.restart() }
        let peripheral = try isRunning ? pair.client.found[0] : pair.find()
        if isRunning { pair.client.disconnect(peripheral, in: pair.testbed) }
        pair.client.errors = []
        pair.client.manager.connect(peripheral)
        pair.testbed.run { !pair.client.errors.isEmpty }
        #expect((pair.client.errors.first as? CBError)?.code == .peerRemovedPairingInformation)
        // The way out: this side forgets its keys as well.
        self.removeBonds(pair.central)
        #expect(try pair.read() == nil && pair.bondCounts == [1, 1])
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
        let link = try #require(host.openLinks.all.first)
        host.enqueue(SMPCommand.pairingFailed(.keyRejected).encoded(), on: .securityManagerProtocol, of: link)
        host.noteWork(link)
        try world.run(until: phone.bondCount == 0)
    }

    // MARK: Required pairing

    @Test("a device with a display that requires pairing refuses one that can neither show nor take a code")
    func requiresCode() throws {
        let display = ScriptedPairingAgent(.display)
        let pair = self.pair(peripheral: display, requiresPairing: true, permissions: .readable)
        #expect((try pair.read() as? CBATTError)?.code == .insufficientAuthentication)
        #expect(self.failure(display)?.contains("a code is needed") == true)
        #expect(pair.bondCounts[1] == 0)
    }

    @Test("a device that requires a code pairs anew if the key was made without one")
    func requiresBetterKey() throws {
        let pair = self.pair(requiresPairing: true, permissions: .readable)
        #expect(try pair.read() == nil)
        let display = ScriptedPairingAgent(.display)
        pair.central.configuration.pairingAgent = ScriptedPairingAgent(entering: [.right], shownBy: display)
        pair.peripheral.configuration.pairingAgent = display
        pair.restart()
        // The key works, and the peripheral was not able to show a code when the devices paired: a user has to want it.
        #expect((try pair.read() as? CBATTError)?.code == .insufficientAuthentication)
        #expect(display.prompts.isEmpty && pair.bondCounts == [1, 1])
        let identifier = try #require(pair.client.found.first?.identifier)
        pair.central.adapter.secure(identifier, to: .secureConnections) { _ in }
        pair.testbed.run(.seconds(10))
        #expect(try pair.read(pair.client.found.first) == nil)
        #expect(display.prompts.first == .pair(replacesBond: true))
        #expect(try self.level(pair) == .secureConnections)
    }
}
