// Pairing by data that came another way than by Bluetooth, without a question.

import BluetoothTypes
import CoreBluetoothTesting
import Fixtures
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

/// Two devices without display and keys that hand over data; the peripheral gives its secret to authenticated links
/// alone.
private struct Couple {
    let agents = (
        central: ScriptedPairingAgent(.none, usesOutOfBandData: true),
        peripheral: ScriptedPairingAgent(.none, usesOutOfBandData: true)
    )
    let pair: SecretPair

    init() {
        let (central, peripheral) = self.agents
        self.pair = SecretPair(
            central: { $0.pairingAgent = central },
            peripheral: {
                $0.pairingAgent = peripheral
                $0.requiresPairing = true
            }
        )
    }

    /// Reads the secret without a question; returns the error.
    func read() throws -> (any Error)? {
        let error = try self.pair.read()
        #expect(self.agents.central.prompts.isEmpty && self.agents.peripheral.prompts.isEmpty)
        return error
    }

    var outcomes: [PairingOutcome] { self.agents.central.outcomes + self.agents.peripheral.outcomes }
    var bond: Bond? { self.pair.central.storage.bonds().first?.bond }
}

@Suite("Pairing out of band")
struct OutOfBandTests {
    @Test(
        "pairs authenticated by data of LE Secure Connections or legacy keys, of either device or of both",
        arguments: [(true, true), (true, false), (false, true)],
        [LocalPairingOutOfBandData.Kind.secureConnections, .legacy]
    )
    func pairs(taken: (byCentral: Bool, byPeripheral: Bool), kind: LocalPairingOutOfBandData.Kind) throws {
        let couple = Couple()
        if taken.byCentral { couple.agents.peripheral.handOver(kind, to: couple.agents.central) }
        if taken.byPeripheral { couple.agents.central.handOver(kind, to: couple.agents.peripheral) }
        #expect(try couple.read() == nil)
        #expect(couple.outcomes == [.paired, .paired])
        #expect(couple.bond?.level == (kind == .legacy ? .authenticated : .secureConnections))
    }

    @Test(
        "no pairing protects without data, with data that nobody took, or with a legacy key on one side only",
        arguments: ["none", "not taken", "at the central", "at the peripheral"]
    )
    func none(data: String) throws {
        let couple = Couple()
        let (central, peripheral) = couple.agents
        switch data {
        case "not taken":
            central.handOver(to: peripheral)
            peripheral.take(nil)
        case "at the central": central.take(LocalPairingOutOfBandData(.legacy).sharedData)
        case "at the peripheral": peripheral.take(LocalPairingOutOfBandData(.legacy).sharedData)
        default: break
        }
        #expect(try couple.read() as? CBATTError != nil)
        #expect(couple.bond == nil && !couple.outcomes.contains(.paired))
    }

    @Test(
        "both sides refuse data of another device, and take the right data later",
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
        couple.pair.testbed.run(.seconds(10))
        giver.handOver(kind, to: taker)
        #expect(try couple.read() == nil)
        #expect(couple.bond?.isAuthenticated == true)
    }

    @Test("data name the address of a device, unless it hides", arguments: [false, true])
    func addressOfHidden(isHidden: Bool) {
        let testbed = Testbed()
        let adapter = testbed.adapter("Crystal") {
            if isHidden { $0.privacy = BluetoothAdapter.Configuration.Privacy() }
        }
        let expected = isHidden ? nil : adapter.configuration.addressOnAir
        let ball = testbed.ball(on: adapter)
        defer { withExtendedLifetime(ball) {} }
        let shared = Watched<PairingOutOfBandData?>(nil)
        adapter.share(LocalPairingOutOfBandData(.legacy)) { data in shared.update { $0 = data } }
        testbed.run(.milliseconds(1))
        #expect(shared.value != nil && shared.value?.address == expected)
        #expect(shared.value?.temporaryKey != nil && shared.value?.secureConnections == nil)
    }
}
