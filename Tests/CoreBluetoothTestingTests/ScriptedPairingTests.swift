// What the trace says of the pairings of a scripted device, which is not on record: keys are the system's.

import CoreBluetoothTesting
import Testing

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
}
