// Walks of whole hosts with everything on record: one on a controller that does what it likes, and two on an air.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("Hosts: walks")
struct HostWalkTests {
    private static let peers =
        [PrivateHost.peer.address] + (1...3).map { DeviceAddress(0xC000_0000_0000 + UInt64($0), kind: .random) }
    private static let identities =
        [PrivateHost.peer]
        + Self.peers.dropFirst().enumerated().map {
            IdentityInformation(identityResolvingKey: Octets16(high: 5, low: UInt64($0)), address: $1)
        }

    private static func configuration(_ number: UInt64, address: DeviceAddress?) -> LEHostConfiguration {
        var configuration = LEHostConfiguration(
            address: address,
            fallbackAddress: DeviceAddress(0xC0DE_0000_0009, kind: .random),
            preferredMTU: number % 2 == 0 ? 517 : 23,
            limitsReceivedData: number % 3 == 0,
            pairing: PairingConfiguration(
                ioCapability: IOCapability.allCases[Int(number % 5)],
                prefersMITMProtection: number % 2 == 0,
                supportsSecureConnections: number % 3 != 1,
                initiatorKeys: [.encryptionKey, .identityKey, .signingKey],
                responderKeys: [.encryptionKey, .identityKey, .signingKey],
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

    private static let pauses: [TimeAmount] = [
        .zero, .zero, .zero, .zero, .milliseconds(1), .milliseconds(100), .milliseconds(1_999), .milliseconds(2_000),
        .seconds(5), .seconds(30), .seconds(35), .seconds(60),
    ]

    @Test("a host whose controller does anything: it goes on, or says what failed", arguments: 0..<48 as Range<UInt64>)
    func anyController(seed: UInt64) {
        var choice = WalkChoice(seed)
        let testbed = HostTestbed(Self.configuration(seed, address: seed % 3 == 0 ? nil : PrivateHost.identity))
        let user = HostWalkUser("user", testbed.host, peers: Self.peers, identities: Self.identities, seed: seed)
        var controller = HostWalkController(testbed.controller, peers: Self.peers, seed: seed)
        testbed.host.attach(to: testbed.controller)
        testbed.run()
        for round in 0..<160 {
            switch choice.below(18) {
            case 16, 17: user.useValues()
            case 0, 1, 2: user.useRadio()
            case 3, 4, 5: user.useLink()
            case 6, 7: user.useChannel()
            case 8: controller.changeBehaviour()
            case 9: testbed.run(choice.one(Self.pauses))
            case 10 where round > 80 && choice.oneIn(20):
                testbed.host.detachGracefully(within: .seconds(1)) { RunRecord.note("detached") }
            default: controller.speak()
            }
            if !choice.oneIn(3) { testbed.run() }
            if case .ready = testbed.host.state {} else if choice.oneIn(4), testbed.controller.isClosed { break }
            user.noteState()
        }
        testbed.run(.seconds(100))
        testbed.host.detach()
        testbed.run()
        user.noteState()
        #expect(testbed.host.links.isEmpty && user.channels.isEmpty)
    }

    @Test("two hosts on an air, which advertise, connect, pair and open channels", arguments: 0..<12 as Range<UInt64>)
    func twoHosts(seed: UInt64) {
        var choice = WalkChoice(seed)
        let loop = EmbeddedEventLoop()
        let air = Air(eventLoop: loop, settings: seed % 2 == 0 ? .instant : .realistic, seed: seed)
        let addresses = [PrivateHost.identity, PrivateHost.peer.address]
        let users = addresses.indices.map { index in
            let host = LEHost(
                eventLoop: loop,
                configuration: Self.configuration(seed * 3 + UInt64(index), address: addresses[index])
            )
            host.identityResolvingKey = Octets16(high: 9, low: UInt64(index + 1))
            var configuration = VirtualControllerConfiguration()
            configuration.resolvingListSize = choice.one([0, 1, 64])
            let channel = NotingChannel(air.makeController(configuration: configuration), index)
            host.attach(to: channel)
            return HostWalkUser(
                "user \(index)",
                host,
                peers: [addresses[1 - index]],
                identities: [
                    IdentityInformation(
                        identityResolvingKey: Octets16(high: 9, low: UInt64(2 - index)),
                        address: addresses[1 - index]
                    )
                ],
                seed: seed * 2 + UInt64(index)
            )
        }
        loop.advanceTime(by: .seconds(1))
        for _ in 0..<220 {
            let user = choice.one(users)
            if user.host.links.isEmpty {
                user.useRadio()
            } else {
                switch choice.below(10) {
                case 8, 9: user.useValues()
                case 0: user.useRadio()
                case 1...4: user.useLink()
                default: user.useChannel()
                }
            }
            let pause = choice.one([0, 0, 10, 100, 500, choice.oneIn(10) ? 30_000 : 100])
            loop.advanceTime(by: .milliseconds(Int64(pause)))
            for user in users where choice.oneIn(4) { user.noteState() }
        }
        for user in users { user.host.detach() }
        loop.advanceTime(by: .seconds(1))
        #expect(users.allSatisfy { $0.host.links.isEmpty && $0.channels.isEmpty })
    }
}

/// A channel to a controller of an air, which notes the packets that pass.
private final class NotingChannel: HCIChannel, HCIChannelReceiver {
    private let controller: any HCIChannel
    private let number: UInt64
    private var receiver: (any HCIChannelReceiver)?

    var eventLoop: any EventLoop { self.controller.eventLoop }

    init(_ controller: any HCIChannel, _ number: Int) {
        self.controller = controller
        self.number = UInt64(number)
    }

    private func note(_ packet: HCIPacket, _ direction: UInt64) {
        guard let record = RunRecord.current else { return }
        let time = self.eventLoop.now.uptimeNanoseconds
        packet.bytes.withUnsafeReadableBytes { record.note($0, self.number * 2 + direction, at: time) }
    }

    func start(receiver: any HCIChannelReceiver) {
        self.receiver = receiver
        self.controller.start(receiver: self)
    }

    func send(_ packet: HCIPacket) {
        self.note(packet, 0)
        self.controller.send(packet)
    }

    func close() {
        self.receiver = nil
        self.controller.close()
    }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        self.note(packet, 1)
        self.receiver?.channel(self, didReceive: packet)
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) { self.receiver?.channelDidFinishBatch(self) }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.receiver?.channel(self, didCloseBecause: reason)
    }
}
