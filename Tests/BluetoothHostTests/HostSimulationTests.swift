// Simulations of whole hosts: one on a controller with random behaviour, and two on an air. The checks are in
// `SimulatedUser`.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("LEHost: simulations")
struct HostSimulationTests {
    private static let identities =
        [PrivateHost.peer]
        + HostTestbed.peers.enumerated().map { number, address in
            IdentityInformation(identityResolvingKey: Octets16(high: 5, low: UInt64(number)), address: address)
        }

    private static func configuration(_ number: UInt64, address: DeviceAddress?) -> LEHostConfiguration {
        let keys: KeyDistribution = [.encryptionKey, .identityKey, .signingKey]
        var configuration = LEHostConfiguration(
            address: address,
            fallbackAddress: DeviceAddress(0xC0DE_0000_0009, kind: .random),
            preferredMTU: number % 2 == 0 ? 517 : 23,
            limitsReceivedData: number % 3 == 0,
            pairing: PairingConfiguration(
                ioCapability: IOCapability.allCases[Int(number % 5)],
                prefersMITMProtection: number % 2 == 0,
                supportsSecureConnections: number % 3 != 1,
                initiatorKeys: keys,
                responderKeys: keys,
                consent: number % 4 == 0 ? .always : .whenReplacingBond
            ),
            privacy: number % 4 == 1
                ? PrivacyConfiguration(rotationInterval: .seconds(60), connectionsPerAddress: number % 8 == 1 ? 2 : nil)
                : nil,
            peerPrivacyMode: number % 5 == 2 ? .network : .device
        )
        configuration.pairingSeed = number
        return configuration
    }

    @Test(
        "ends every call, link and channel once on a controller with random behaviour",
        arguments: simulationSeeds(10)
    )
    func anyController(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let testbed = HostTestbed(Self.configuration(seed, address: seed % 3 == 0 ? nil : PrivateHost.identity))
        let user = SimulatedUser(
            testbed.host,
            peers: Self.identities.map(\.address),
            identities: Self.identities,
            knowsPeer: false,
            seed: seed
        )
        var controller = SimulatedController(testbed.controller, peers: Self.identities.map(\.address), seed: seed)
        testbed.host.attach(to: testbed.controller)
        testbed.run()
        var shutdowns = (asked: 0, ended: 0)
        for round in 0..<160 {
            switch choices.below(18) {
            // Without a controller, requests wait for the next one; after a shutdown there are none.
            case 0...8: if shutdowns.asked == 0, testbed.host.controller.channel != nil { user.act() }
            case 9: controller.changeBehaviour()
            case 10: testbed.run(.milliseconds(Int64(choices.pick([1, 100, 1_999, 2_000, 5_000, 30_000, 60_000]))))
            case 11 where round > 80 && choices.once(in: 20):
                shutdowns.asked += 1
                testbed.host.detachGracefully(within: .seconds(1)) { shutdowns.ended += 1 }
            default: controller.speak()
            }
            if !choices.once(in: 3) { testbed.run() }
        }
        testbed.run(.seconds(100))
        testbed.host.detach()
        testbed.run()
        #expect(user.openCalls.isEmpty && user.openLinks.isEmpty && user.channelIDs.isEmpty)
        #expect(testbed.host.links.isEmpty && testbed.host.controller.waitingCommandCount == 0)
        #expect(testbed.host.radio.initiating.pending.isEmpty && testbed.host.radio.initiating.isIdle)
        #expect(
            testbed.host.radio.advertising.isOff && testbed.host.radio.scanning.isOff
                && shutdowns.asked == shutdowns.ended
        )
    }

    @Test("agrees with another host on links, MTU, keys, channels and octets", arguments: simulationSeeds(3))
    func twoHosts(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let loop = EmbeddedEventLoop()
        let air = Air(eventLoop: loop, settings: seed % 2 == 0 ? .instant : .realistic, seed: seed)
        let identities = [PrivateHost.identity, PrivateHost.peer.address].enumerated().map { number, address in
            IdentityInformation(identityResolvingKey: Octets16(high: 9, low: UInt64(number + 1)), address: address)
        }
        let users = [0, 1].map { index in
            let configuration = Self.configuration(seed * 3 + UInt64(index), address: identities[index].address)
            let host = LEHost(eventLoop: loop, configuration: configuration)
            host.identityResolvingKey = identities[index].identityResolvingKey
            var controller = VirtualController.Configuration()
            controller.model.resolvingListSize = choices.pick([0, 1, 64])
            host.attach(to: air.makeController(configuration: controller))
            return SimulatedUser(
                host,
                peers: [identities[1 - index].address],
                identities: [identities[1 - index]],
                knowsPeer: true,
                seed: seed * 2 + UInt64(index)
            )
        }
        loop.advanceTime(by: .seconds(1))
        for _ in 0..<300 {
            choices.pick(users).act()
            let pause = choices.pick([0, 0, 10, 100, 500, choices.once(in: 10) ? 30_000 : 100])
            loop.advanceTime(by: .milliseconds(Int64(pause)))
        }
        for _ in 0..<60 {
            for user in users { user.consumeAll() }
            loop.advanceTime(by: .seconds(2))
        }
        let (first, second) = (users[0], users[1])
        #expect(first.host.links.count == second.host.links.count)
        for (one, other) in zip(first.host.links, second.host.links) {
            #expect(one.isCentral != other.isCentral && first.host.mtu(of: one.id) == second.host.mtu(of: other.id))
            #expect(first.host.security(of: one.id)?.key == second.host.security(of: other.id)?.key)
        }
        #expect(first.channelIDs.count == second.channelIDs.count)
        #expect(first.writtenOctets == second.receivedOctets && second.writtenOctets == first.receivedOctets)
        for user in users { user.host.detach() }
        loop.advanceTime(by: .seconds(1))
        for user in users {
            #expect(user.openCalls.isEmpty && user.openLinks.isEmpty && user.channelIDs.isEmpty)
            #expect(user.host.links.isEmpty && user.host.controller.waitingCommandCount == 0)
        }
    }
}
