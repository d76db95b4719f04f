// Pairings of a scripted device. The keys are random.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Fixtures
import Testing

@testable import CoreBluetoothTesting

@Suite("Pairings of a scripted device")
struct ScriptPairingTests {
    private typealias Security = ScriptedPeripheral.Security
    private typealias Characteristic = ScriptedPeripheral.Characteristic

    @Test("pairs as its user can, and asks for protection if the user can give it")
    func pairing() {
        let none = ScriptedPeripheral().pairing
        #expect(!none.isPairingAllowed && none.ioCapability == .noInputNoOutput && !none.prefersMITMProtection)
        for (capabilities, usesData, expected, prefers) in [
            (.none, false, .noInputNoOutput, false), (.none, true, .noInputNoOutput, true),
            (.display, false, .displayOnly, true), (.displayAndConfirm, false, .displayYesNo, true),
            (.keyboard, false, .keyboardOnly, true), (.keyboardAndDisplay, true, .keyboardDisplay, true),
        ] as [(PairingCapabilities, Bool, IOCapability, Bool)] {
            let agent = ScriptedPairingAgent(capabilities, usesOutOfBandData: usesData)
            let pairing = ScriptedPeripheral(pairingAgent: agent).pairing
            #expect(pairing.isPairingAllowed && pairing.ioCapability == expected, "\(capabilities)")
            #expect(pairing.prefersMITMProtection == prefers, "\(capabilities) \(usesData)")
        }
        let levels: [Security] = [.none, .encrypted, .authenticated]
        #expect(levels.map(\.level) == [.none, .encrypted, .authenticated])
    }

    @Test("pairs if any use of a value, a descriptor or a channel requires security")
    func demands() {
        let levels: [Security] = [.none, .encrypted, .authenticated]
        for level in levels {
            let all: [Characteristic] = [
                Characteristic("FFF1", properties: .read, security: level),
                Characteristic("FFF1", properties: .read, readSecurity: level),
                Characteristic("FFF1", properties: .write, writeSecurity: level),
                Characteristic("FFF1", properties: .notify, subscriptionSecurity: level),
                Characteristic(
                    "FFF1",
                    properties: .read,
                    descriptors: [.init("FFD1", value: Data()), .init("FFD2", value: Data(), security: level)]
                ),
            ]
            for (number, characteristic) in all.enumerated() {
                let script = ScriptedPeripheral(services: [
                    .init("FFF0", characteristics: []), .init("FFF2", characteristics: [characteristic]),
                ])
                #expect(script.pairs == (level != .none), "\(number) \(level)")
                #expect(script.pairing.isPairingAllowed == script.pairs)
            }
            var script = ScriptedPeripheral(channels: [.init(psm: 0x80)])
            script.channels.append(.init(psm: 0x81, security: level))
            #expect(script.pairs == (level != .none))
        }
    }

    @Test("keeps keys of pairings with bonding, once for each central")
    func bonds() {
        let world = World(seed: 1)
        let device = world.addPeripheral(.thermometer())
        let player: any LEHostDelegate = device.player!
        let host: LEHost = device.player.host
        func pair(_ address: UInt64, _ kind: DeviceAddress.Kind, isBonded: Bool) -> Int {
            let bond = Bond(
                peerAddress: DeviceAddress(address, kind: kind),
                keySize: 16,
                isAuthenticated: false,
                isSecureConnections: true,
                local: PairingKeys(),
                peer: PairingKeys()
            )
            player.host(host, link: LinkID(rawValue: 99), didPairWith: bond, isBonded: isBonded)
            return device.bondCount
        }
        #expect(pair(1, .random, isBonded: false) == 0)
        #expect(pair(1, .random, isBonded: true) == 1)
        #expect(pair(1, .randomIdentity, isBonded: true) == 1)
        #expect(pair(1, .public, isBonded: true) == 2)
        #expect(pair(2, .public, isBonded: false) == 2)
        #expect(world.trace.of("Thermo", .world).count(of: "has paired") == 5)
        device.forgetBonds()
        #expect(device.bondCount == 0 && pair(2, .public, isBonded: true) == 1)
    }

    @Test("notes why it did not pair, and tells both users once")
    func failed() throws {
        let display = ScriptedPairingAgent(.display)
        let user = ScriptedPairingAgent(entering: [.wrong], shownBy: display)
        let world = World(seed: 1)
        let safe = world.addPeripheral(lockedSafe(display))
        let reader = world.addDevice("phone", pairingAgent: user).run { SafeReader() }
        try world.run(until: reader.problems.count == 1)
        let said = safe.trace.of("Safe", .world).map(\.text).filter { $0.contains("pair") }
        #expect(said.count == 1 && said.first?.hasPrefix("pairing failed") == true && safe.bondCount == 0)
        #expect(display.outcomes == said.map { .failed($0) })
        #expect(user.outcomes == [.failed("pairing failed: a wrong code was entered")])
    }

    @Test("tells its user the peer's address, and how the pairing ended")
    func peers() throws {
        final class Notes: PairingAgent {
            let capabilities = PairingCapabilities.none
            let peers = Watched<[PairingPeer]>([])
            let outcomes = Watched<[PairingOutcome]>([])

            func pairing(_ prompt: PairingPrompt) {
                self.peers.update { $0.append(prompt.peer) }
                prompt.confirm(true)
            }

            func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
                self.peers.update { $0.append(peer) }
                self.outcomes.update { $0.append(outcome) }
            }
        }
        let notes = Notes()
        var script = ScriptedPeripheral.thing([
            .init("FFF1", properties: .read, value: Data([42]), security: .encrypted)
        ])
        script.pairingAgent = notes
        let world = World(seed: 1)
        let device = world.addPeripheral(script)
        let phone = world.addDevice("phone").run { Explorer() }
        try world.run(until: phone.database.contains("FFF1 [42]"))
        #expect(device.bondCount == 1 && notes.outcomes.value == [.paired])
        let address = try #require(world["phone"]?.address.value)
        let digits = String(address, radix: 16, uppercase: true)
        let text = "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - digits.count) + digits
        #expect(!notes.peers.value.isEmpty)
        #expect(notes.peers.value.allSatisfy { $0.identifier.uuidString == text && $0.name == nil })
    }

    @Test("uses out-of-band data", arguments: [true, false])
    func handedOver(isHandedOver: Bool) throws {
        let lock = ScriptedPairingAgent(.none, usesOutOfBandData: true)
        let user = ScriptedPairingAgent(.none, usesOutOfBandData: true)
        if isHandedOver { lock.handOver(to: user) }
        let world = World(seed: 1)
        let safe = world.addPeripheral(lockedSafe(lock))
        let reader = world.addDevice("phone", pairingAgent: user).run { SafeReader() }
        world.advance(by: .seconds(20))
        #expect(reader.content == (isHandedOver ? Data([42]) : nil))
        if isHandedOver { #expect(safe.bondCount == 1 && lock.outcomes == [.paired]) }
    }
}
