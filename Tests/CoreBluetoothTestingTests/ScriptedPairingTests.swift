// What the trace says of the pairings of a scripted device, which is not on record: keys are the system's.

import BluetoothTypes
import CoreBluetooth
import Fixtures
import Testing

@testable import CoreBluetoothTesting

@Suite("Pairings of a scripted device")
struct ScriptedPairingTests {
    /// A phone that reads the safe's content, entering right or wrong codes, and the safe.
    private static func use(
        _ codes: [ScriptedPairingAgent.Entry],
        _ body: (World, ScriptedDevice, SafeReader) throws -> Void
    ) throws {
        let display = ScriptedPairingAgent(.display)
        let world = World(seed: 1)
        let safe = world.addPeripheral(lockedSafe(display))
        let user = ScriptedPairingAgent(entering: codes, shownBy: display)
        let reader = world.addDevice("phone", pairingAgent: user).run { SafeReader() }
        try body(world, safe, reader)
    }

    private static func said(by safe: ScriptedDevice) -> [String] {
        safe.trace.of("Safe", .world).map(\.text).filter { $0.contains("pair") }
    }

    @Test("That it has paired is said once, and that it has forgotten its keys")
    func paired() throws {
        try Self.use([.right]) { world, safe, reader in
            try world.run(until: reader.content == Data([42]))
            #expect(Self.said(by: safe) == ["has paired"])
            safe.forgetBonds()
            #expect(Self.said(by: safe) == ["has paired", "forgets the keys of its pairings"])
            #expect(safe.bondCount == 0)
        }
    }

    @Test("Why it has not paired is said")
    func failed() throws {
        try Self.use([.wrong]) { world, safe, reader in
            try world.run(until: reader.problems.count == 1)
            #expect(Self.said(by: safe).count == 1)
            #expect(Self.said(by: safe).first?.hasPrefix("pairing failed") == true)
            #expect(safe.bondCount == 0)
        }
    }

    @Test("The users of both devices are told why they have not paired, the one of the device once")
    func told() throws {
        let display = ScriptedPairingAgent(.display)
        let user = ScriptedPairingAgent(entering: [.wrong], shownBy: display)
        let world = World(seed: 1)
        let safe = world.addPeripheral(lockedSafe(display))
        let reader = world.addDevice("phone", pairingAgent: user).run { SafeReader() }
        try world.run(until: reader.problems.count == 1)
        let text = try #require(Self.said(by: safe).first)
        #expect(display.outcomes == [.failed(text)])
        #expect(user.outcomes == [.failed("pairing failed: a wrong code was entered")])
    }

    @Test("The user of a device is told by its address with whom it pairs, and how that ended")
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
        let script = ScriptedPeripheral(
            name: "Thing",
            services: [
                .init(
                    "FFF0",
                    characteristics: [.init("FFF1", properties: .read, value: Data([42]), security: .encrypted)]
                )
            ],
            pairingAgent: notes
        )
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

    @Test("What was handed over by another way is used by the device, and nothing else is", arguments: [true, false])
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
