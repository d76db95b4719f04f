// Devices that say at the end of a pairing that they are another one, and devices that are not found by what they say.

import BluetoothTransport
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth
@testable import CoreBluetoothTesting

@Suite("Pairing: claimed identities")
struct ClaimedIdentityTests {
    fileprivate static let honest = DeviceAddress(0x0011_2233_4455, kind: .public)
    fileprivate static let rogue = DeviceAddress(0xC0BA_D000_0001, kind: .random)
    fileprivate static let claim = IdentityInformation(identityResolvingKey: Octets16(high: 6, low: 6), address: honest)

    /// A central that has met the honest device, and the rogue one.
    private final class Setup {
        let testbed = Testbed()
        let central: RestartableDevice
        let client: CentralApp
        let rogue: SecretHost
        let agent: ScriptedPairingAgent?
        let honest: UUID
        /// The devices whose places were to be taken.
        let replaced = NIOLockedValueBox<[UUID?]>([])

        init(isHidden: Bool, asks: Bool = false, confirms: Bool? = nil) throws {
            let replaced = self.replaced
            self.agent = confirms.map { confirms in
                ScriptedPairingAgent(
                    .none,
                    confirms: { (prompt: PairingPrompt) -> Bool? in
                        replaced.withLockedValue { $0.append(prompt.replacedPeer?.identifier) }
                        return confirms
                    }
                )
            }
            let agent = self.agent
            self.central = RestartableDevice("Curious", in: self.testbed) { $0.pairingAgent = agent }
            self.client = self.testbed.central(on: self.central.adapter)
            let honest = self.central.adapter.readEngine(in: self.testbed) { core -> UUID in
                let record = core.identities.record(for: ClaimedIdentityTests.honest)
                core.identities.setName("Honest", of: record.address)
                return record.identifier
            }
            self.honest = try #require(honest)
            self.rogue = try SecretHost(
                ClaimedIdentityTests.rogue,
                pairing: PairingConfiguration(identity: ClaimedIdentityTests.claim),
                isHidden: isHidden,
                asks: asks,
                in: self.testbed
            )
            self.rogue.advertise()
        }

        /// The addresses of bonds.
        var bonds: [DeviceAddress] { self.central.storage.bonds().map(\.bond.identityAddress) }

        /// Who is known under the address of the honest device.
        var known: IdentityStore.Record? {
            self.central.adapter.readEngine(in: self.testbed) { $0.identities.record(for: ClaimedIdentityTests.honest) }
        }

        func connect() throws -> CBPeripheral {
            let peripheral = try self.client.meet(in: self.testbed)
            self.client.connect(peripheral, in: self.testbed)
            return peripheral
        }

        func read(_ peripheral: CBPeripheral) throws -> Data? {
            try self.client.readSecret(of: peripheral, in: self.testbed)
        }
    }

    @Test("identity theft: a device under its own address pairs as itself, whatever it says", arguments: [true, false])
    func own(hasUser: Bool) throws {
        let setup = try Setup(isHidden: false, confirms: hasUser ? true : nil)
        let peripheral = try setup.connect()
        #expect(try setup.read(peripheral) == Data([42]) && setup.rogue.pairings == 1)
        #expect(setup.bonds == [Self.rogue] && setup.known?.identifier == setup.honest && setup.known?.name == "Honest")
        #expect(peripheral.identifier != setup.honest && setup.replaced.withLockedValue { $0 } == [])
    }

    @Test(
        "identity theft: a device under a private address takes the place of one that was met with the user's consent alone",
        arguments: [nil, false, true] as [Bool?]
    )
    func hidden(confirms: Bool?) throws {
        let setup = try Setup(isHidden: true, confirms: confirms)
        let peripheral = try setup.connect()
        _ = try? setup.read(peripheral)
        setup.testbed.run(.seconds(5))
        #expect(
            setup.replaced.withLockedValue { $0 } == (confirms == nil ? [] : [setup.honest]),
            "the question names it"
        )
        #expect(setup.bonds == (confirms == true ? [Self.honest] : []))
        #expect((setup.known?.identifier == setup.honest) == (confirms != true))
    }

    @Test(
        "bonding without consent: a peripheral that asks for a pairing which the app does not need gets none unasked",
        arguments: [nil, false, true] as [Bool?]
    )
    func asks(confirms: Bool?) throws {
        let setup = try Setup(isHidden: false, asks: true, confirms: confirms)
        let peripheral = try setup.connect()
        setup.testbed.run(.seconds(5))
        #expect(setup.rogue.pairings == (confirms == true ? 1 : 0) && setup.bonds.count == setup.rogue.pairings)
        #expect(setup.rogue.errors == (confirms == true ? [] : [.failedByPeer(.pairingNotSupported)]))
        // What the app asks for is another thing.
        #expect(try setup.read(peripheral) == Data([42]) && setup.rogue.pairings == 1)
    }

    @Test(
        "finds the bond of a device without an identity resolving key, whose identity is not the address in use",
        arguments: [true, false]
    )
    func withoutKey(isStatic: Bool) throws {
        let testbed = Testbed()
        let central = RestartableDevice("Curious", in: testbed)
        let identity = IdentityInformation(
            identityResolvingKey: .zero,
            address: DeviceAddress(0x00F0_F0F0_F0F0, kind: .public)
        )
        let device = try SecretHost(
            Self.rogue,
            pairing: PairingConfiguration(identity: identity),
            isHidden: !isStatic,
            in: testbed
        )
        device.advertise()
        var client = testbed.central(on: central.adapter)
        for round in 1...3 {
            let peripheral = try client.meet(in: testbed)
            #expect(
                try client.readSecret(of: peripheral, in: testbed) == Data([42]) && device.pairings == 1,
                "\(round)"
            )
            client.disconnect(peripheral, in: testbed)
            if round == 2 {
                central.restart()
                client = testbed.central(on: central.adapter)
            }
        }
    }

    @Test(
        "a pairing whose bond cannot be written is reported as failed, and the other device drops its keys",
        arguments: [true, false]
    )
    func fullDisk(isFull: Bool) throws {
        let agent = ScriptedPairingAgent(.none)
        let testbed = Testbed()
        let storage = HookedStorage()
        storage.setFull(isFull, for: "bond-")
        let adapter = testbed.adapter("Curious", storage: storage) { $0.pairingAgent = agent }
        let client = testbed.central(on: adapter)
        let device = try SecretHost(
            Self.rogue,
            pairing: PairingConfiguration(
                identity: IdentityInformation(identityResolvingKey: .zero, address: Self.rogue)
            ),
            in: testbed
        )
        device.advertise()
        let secret = try client.askForSecret(of: client.find(in: testbed), in: testbed)
        testbed.run(.seconds(5))
        // The link is encrypted in either case.
        #expect(secret.value == Data([42]))
        #expect(agent.outcomes == (isFull ? [.failed("pairing failed: the keys could not be kept")] : [.paired]))
        #expect(device.errors == (isFull ? [.failedByPeer(.keyRejected)] : []))
        let bonds = storage.bonds()
        #expect(bonds.count == (isFull ? 0 : 1))
        guard !isFull else { return }
        // A pairing anew that cannot be written leaves the bond of before, and what is kept of its client.
        let configured = try storage.read(BondedClientStore.name(Self.rogue))
        storage.setFull(true, for: "bond-")
        adapter.changeEngine(in: testbed) { core in if let link = core.host.links.first?.id { core.host.pair(link) } }
        testbed.run(.seconds(5))
        #expect(agent.outcomes == [.paired, .failed("pairing failed: the keys could not be kept")])
        let kept = adapter.readEngine(in: testbed) { $0.bonds.bond(with: Self.rogue) }
        #expect(kept == bonds.first?.bond && storage.bonds().map(\.bond) == bonds.map(\.bond))
        #expect(try configured != nil && storage.read(BondedClientStore.name(Self.rogue)) == configured)
    }
}
