// Whole devices that pair by a code on an air with loss, one of which is killed, or loses its controller, in the
// middle.

import BluetoothAir
import CoreBluetoothTesting
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

/// A pair of devices, both of which can end at any moment.
private struct FragilePair {
    enum Side: CaseIterable {
        case central
        case peripheral
    }

    private let display = ScriptedPairingAgent(.display)
    let pair: SecretPair

    init(seed: UInt64) {
        let (display, keyboard) = (self.display, ScriptedPairingAgent(entering: [.right], shownBy: self.display))
        let testbed = Testbed(settings: AirSettings(hasAirTime: true, loss: 0.1), seed: seed)
        self.pair = SecretPair(
            in: testbed,
            central: { $0.pairingAgent = keyboard },
            peripheral: { $0.pairingAgent = display }
        )
    }

    /// Begins a pairing, and ends a device a while after the code was shown.
    func interrupt(_ side: Side, after time: TimeAmount, byKill: Bool) throws {
        _ = try self.pair.client.askForSecret(of: self.pair.find(), in: self.pair.testbed)
        let testbed = self.pair.testbed
        testbed.run { self.display.code != nil }
        testbed.run(time)
        if byKill {
            self.pair.restart(central: side == .central, peripheral: side == .peripheral)
        } else {
            (side == .central ? self.pair.central : self.pair.peripheral).breakController()
            testbed.run(.seconds(30))
            if side == .peripheral { self.pair.server.open() }
        }
        // Supervision, and the waiting interval after a pairing that has failed.
        testbed.run(.seconds(40))
    }

    /// Reads the secret; a device that is left with keys that the other side has not removes them as a user would.
    func read() throws -> Bool {
        let client = self.pair.client!
        for _ in 1...3 {
            let secret = try client.askForSecret(of: self.pair.find(), in: self.pair.testbed)
            self.pair.testbed.run { !client.calls.isEmpty }
            if client.calls.contains(where: { $0.hasPrefix("value") }), client.errors.isEmpty {
                return secret.value == Data([42])
            }
            if client.errors.contains(where: { ($0 as? CBError)?.code == .peerRemovedPairingInformation }) {
                let storage = self.pair.central.storage
                for kept in storage.bonds() {
                    try storage.removeBond(with: kept.bond.identityAddress.withoutIdentity)
                }
            }
            self.pair.testbed.run(.seconds(70))
        }
        return false
    }
}

@Suite("Interrupted pairing")
struct InterruptedPairingTests {
    @Test(
        "after a device has ended at any step of a pairing by a code, the next pairing succeeds, with one key",
        arguments: FragilePair.Side.allCases.flatMap { side in (0..<14).map { (side, $0) } },
        [true, false]
    )
    private func interrupted(cut: (side: FragilePair.Side, step: Int), byKill: Bool) throws {
        let couple = FragilePair(seed: UInt64(cut.step + 1))
        try couple.interrupt(cut.side, after: .milliseconds(Int64(cut.step) * 250), byKill: byKill)
        #expect(try couple.read())
        let bonds = (central: couple.pair.central.storage.bonds(), peripheral: couple.pair.peripheral.storage.bonds())
        #expect(bonds.central.count == 1 && bonds.peripheral.count == 1)
        let key = try #require(bonds.central.first?.bond.peer.longTermKey)
        #expect(bonds.peripheral.first?.bond.local.longTermKey == key)
        #expect(bonds.central.first?.bond.isAuthenticated == true)
    }
}
