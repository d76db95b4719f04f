// Whole devices that pair by a code on an air with loss, one of which ends in the middle as by `kill -9`, or loses its
// controller: nothing hangs, no half of a pairing is believed, and the next pairing succeeds.

import BluetoothAir
import BluetoothTypes
import CoreBluetoothTesting
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

/// A central that reads the secret of a peripheral, both of which can end at any moment.
private final class FragileCouple {
    enum Side: CaseIterable {
        case central
        case peripheral
    }

    let testbed: Testbed
    let display = ScriptedPairingAgent(.display)
    let central: RestartableDevice
    let peripheral: RestartableDevice
    private var reader: CentralApp!
    private var server: PeripheralApp!

    init(seed: UInt64) {
        self.testbed = Testbed(settings: AirSettings(hasAirTime: true, loss: 0.1), seed: seed)
        let keyboard = ScriptedPairingAgent(.keyboard) { [display] _ in display.code }
        self.central = RestartableDevice("Curious", in: self.testbed, agent: keyboard)
        self.peripheral = RestartableDevice("Crystal", in: self.testbed, agent: self.display)
        self.start(.peripheral)
        self.start(.central)
    }

    private func start(_ side: Side) {
        switch side {
        case .central:
            self.reader = CentralApp(on: self.central.adapter)
            self.testbed.run { self.reader.manager.state == .poweredOn }
        case .peripheral:
            self.server = PeripheralApp(on: self.peripheral.adapter)
            self.server.ball.characteristics = [
                CBMutableCharacteristic(
                    type: CBUUID(string: "FFF1"),
                    properties: .read,
                    value: nil,
                    permissions: .readEncryptionRequired
                )
            ]
            self.server.reading = Data([42])
            self.testbed.run { self.server.manager.state == .poweredOn }
            self.server.open()
        }
    }

    /// Connects anew and asks for the secret.
    private func ask() throws -> CBPeripheral {
        self.reader.found = []
        let found = try self.reader.find(in: self.testbed, services: [IDs.service])
        self.reader.manager.stopScan()
        found.delegate = self.reader
        if found.state != .connected { self.reader.connect(found, in: self.testbed) }
        let secret = try found.discover([IDs.service], in: self.testbed).characteristic(CBUUID(string: "FFF1"))
        self.reader.calls = []
        self.reader.errors = []
        found.readValue(for: secret)
        return found
    }

    /// Begins a pairing, and ends a device a while after the code was shown.
    func interrupt(_ side: Side, after time: TimeAmount, byKill: Bool) throws {
        _ = try self.ask()
        self.testbed.run { self.display.code != nil }
        self.testbed.run(time)
        let device = side == .central ? self.central : self.peripheral
        if byKill {
            device.restart()
            self.start(side)
        } else {
            device.breakController()
            self.testbed.run(.seconds(30))
            if side == .peripheral { self.server.open() }
        }
        // Supervision, and the waiting interval after a pairing that has failed.
        self.testbed.run(.seconds(40))
    }

    /// Reads the secret; a device that is left with keys that the other side has not removes them as a user would.
    func read() throws -> Bool {
        for _ in 1...3 {
            let found = try self.ask()
            self.testbed.run { !self.reader.calls.isEmpty }
            if self.reader.calls.contains(where: { $0.hasPrefix("value") }), self.reader.errors.isEmpty {
                return found.services?.first?.characteristics?.first?.value == Data([42])
            }
            let lost = self.reader.errors.contains {
                ($0 as? CBError)?.code == .peerRemovedPairingInformation
            }
            if lost {
                for kept in self.central.storage.bonds() {
                    try self.central.storage.removeBond(with: kept.bond.identityAddress.withoutIdentity)
                }
            }
            self.testbed.run(.seconds(70))
        }
        return false
    }
}

@Suite("Interrupted pairing")
struct InterruptedPairingTests {
    @Test(
        "a device that ends at any step of a pairing by a code, on an air with loss: no hang, and the next one succeeds",
        arguments: FragileCouple.Side.allCases.flatMap { side in (0..<14).map { (side, $0) } },
        [true, false]
    )
    private func interrupted(cut: (side: FragileCouple.Side, step: Int), byKill: Bool) throws {
        let couple = FragileCouple(seed: UInt64(cut.step + 1))
        try couple.interrupt(cut.side, after: .milliseconds(Int64(cut.step) * 250), byKill: byKill)
        #expect(try couple.read())
        let bonds = (central: couple.central.storage.bonds(), peripheral: couple.peripheral.storage.bonds())
        #expect(bonds.central.count == 1 && bonds.peripheral.count == 1)
        let key = try #require(bonds.central.first?.bond.peer.longTermKey)
        #expect(bonds.peripheral.first?.bond.local.longTermKey == key)
        #expect(bonds.central.first?.bond.isAuthenticated == true)
    }
}
