// A host with privacy: its own addresses, and the order and time of the commands for its controller.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: own private addresses")
struct LEHostPrivacyTests {
    private static let foreign = DeviceAddress(0x11, kind: .public)

    @Test(
        "GAP/PRIV: sets a private address before it advertises, and never passes its identity address to the controller"
    )
    func advertising() throws {
        let device = PrivateHost()
        #expect(device.takeSteps() == [], "nothing is set before the radio is used")
        device.advertise()
        #expect(device.takeSteps() == ["address", "advertise as 1", "advertising"])
        let address = try #require(device.radioAddress)
        #expect(address.randomKind == .resolvablePrivate)
        #expect(ResolvablePrivateAddress.matches(address, PrivateHost.key))
        #expect(device.host.address == PrivateHost.identity, "peers know it by its identity")
        #expect(device.mistakes == [])
    }

    @Test("does not use the controller's public address with privacy")
    func publicIdentity() throws {
        let publicAddress = DeviceAddress(0x00AA_BBCC_DDEE, kind: .public)
        let device = PrivateHost(address: nil) { $0.address = publicAddress }
        device.advertise()
        device.host.startScanning(ScanParameters())
        device.testbed.run()
        #expect(device.takeSteps() == ["address", "advertise as 1", "advertising", "scan as 1", "scanning"])
        #expect(device.host.address == publicAddress)
        #expect(device.randomAddresses.count == 1)
    }

    @Test("keeps its address without privacy")
    func notPrivate() {
        let device = PrivateHost(nil)
        #expect(device.takeSteps() == ["address"])
        #expect(device.randomAddresses == [PrivateHost.identity])
        device.advertise()
        device.testbed.run(.hours(3))
        #expect(device.takeSteps() == ["advertise as 1", "advertising"])
    }

    @Test("stops everything, sets another address and continues when the time of an address is over")
    func rotation() {
        let device = PrivateHost(hasList: false)
        device.advertise()
        device.host.startScanning(ScanParameters())
        device.host.connect(to: PrivateHost.identity)
        device.testbed.run()
        _ = device.takeSteps()
        device.testbed.run(.seconds(899))
        #expect(device.takeSteps() == [] && device.randomAddresses.count == 1)
        device.testbed.run(.seconds(2))
        let steps = device.takeSteps()
        #expect(Set(steps.prefix(3)) == ["advertising ends", "scanning ends", "connecting ends"])
        #expect(steps.dropFirst(3).first == "address")
        #expect(Set(steps.dropFirst(4)).isSuperset(of: ["advertising", "scanning", "advertise as 1", "scan as 1"]))
        #expect(steps.dropFirst(4).contains { $0.hasPrefix("connect to") })
        #expect(Set(device.randomAddresses).count == 2)
        device.testbed.run(.seconds(9000))
        #expect(Set(device.randomAddresses).count == 12)
        #expect(device.randomAddresses.allSatisfy { ResolvablePrivateAddress.matches($0, PrivateHost.key) })
        #expect(device.mistakes == [])
    }

    @Test("counts links that it has opened, and replaces the address before the next use of the radio")
    func linkOfThisSide() {
        let device = PrivateHost(PrivacyConfiguration(connectionsPerAddress: 1), hasList: false)
        device.host.connect(to: Self.foreign)
        device.testbed.run()
        _ = device.takeSteps()
        device.connect(0x40, peer: Self.foreign, role: .central)
        device.testbed.run(.seconds(10))
        #expect(device.takeSteps() == [] && device.randomAddresses.count == 1)
        device.host.startScanning(ScanParameters())
        device.testbed.run()
        #expect(device.takeSteps() == ["address", "scan as 1", "scanning"])
        #expect(Set(device.randomAddresses).count == 2 && device.mistakes == [])
    }

    // MARK: The silence of the radio

    /// A host that uses the radio and whose private address expires in the next nanosecond, on a controller that
    /// accepts four commands at a time.
    private func nearlyDue(_ use: (PrivateHost) -> Void) -> PrivateHost {
        let device = PrivateHost(hasList: false)
        use(device)
        device.testbed.run()
        device.testbed.run(.seconds(900) - .nanoseconds(1))
        device.testbed.deliver(CommandComplete(numberOfCommandPackets: 4, opcode: .none).packet())
        device.testbed.forget()
        return device
    }

    @Test(
        "sets the address when the controller has answered the end of scanning or advertising (Vol 4, Part E, 7.8.4)",
        arguments: [
            (LESetScanEnable.opcode, LESetScanParameters.opcode),
            (LESetAdvertisingEnable.opcode, LESetAdvertisingParameters.opcode),
        ]
    )
    func waitsForAnswer(enable: HCIOpcode, parameters: HCIOpcode) {
        let device = self.nearlyDue {
            if enable == LESetScanEnable.opcode { $0.host.startScanning(ScanParameters()) } else { $0.advertise() }
        }
        device.testbed.controller.silent = [enable]
        device.testbed.run(.nanoseconds(1))
        #expect(device.testbed.controller.takeCommands() == [enable])
        device.testbed.answer(enable)
        let commands = device.testbed.controller.takeCommands()
        #expect(Array(commands.prefix(2)) == [LESetRandomAddress.opcode, parameters] && commands.last == enable)
        #expect(Set(device.randomAddresses).count == 2)
    }

    @Test("sets the address when the end of the attempt to connect was reported")
    func initiating() {
        let device = self.nearlyDue { $0.host.connect(to: DeviceAddress(0x11, kind: .public)) }
        // The end of the attempt is reported below.
        device.testbed.controller.whenCommanded = nil
        device.testbed.run(.nanoseconds(1))
        #expect(device.testbed.controller.takeCommands() == [LECreateConnectionCancel.opcode])
        device.testbed.controller.failConnection(.unknownConnectionIdentifier)
        device.testbed.run()
        #expect(
            device.testbed.controller.takeCommands() == [LESetRandomAddress.opcode, LECreateConnection.opcode]
        )
    }

    // MARK: Keys

    @Test("generates a key if it has privacy and no key, and keeps it", arguments: [true, false])
    func drawnKey(isPrivate: Bool) {
        let privacy = isPrivate ? PrivacyConfiguration() : nil
        let testbed = HostTestbed(LEHostConfiguration(address: PrivateHost.identity, privacy: privacy))
        #expect(testbed.host.identityResolvingKey == nil)
        testbed.start()
        testbed.host.startScanning(ScanParameters())
        testbed.run()
        let drawn = testbed.host.identityResolvingKey
        #expect((drawn != nil) == isPrivate && drawn != .zero)
        testbed.run(.seconds(2_000))
        #expect(testbed.host.identityResolvingKey == drawn)
    }

    @Test("generates another address immediately for another key, and changes nothing for the same key")
    func otherKey() throws {
        let device = PrivateHost()
        device.advertise()
        _ = device.takeSteps()
        device.host.identityResolvingKey = PrivateHost.key
        device.testbed.run(.seconds(10))
        #expect(device.takeSteps() == [] && device.randomAddresses.count == 1)
        let other = Octets16(high: 5, low: 6)
        device.host.identityResolvingKey = other
        device.testbed.run()
        #expect(ResolvablePrivateAddress.matches(try #require(device.radioAddress), other))
        device.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
        device.testbed.run()
        device.host.identityResolvingKey = PrivateHost.key
        device.testbed.run()
        let entry = try device.testbed.controller.last(LEAddDeviceToResolvingList.self)
        #expect(entry.localIdentityResolvingKey == PrivateHost.key)
        #expect(device.mistakes == [])
    }

    // MARK: Pairing

    @Test("computes a pairing with the address of the link, and distributes its identity only with privacy")
    func pairing() throws {
        let device = PrivateHost()
        device.advertise()
        let address = try #require(device.radioAddress)
        device.connect(0x40, peer: Self.foreign, role: .peripheral)
        let manager = try #require(device.host.openLinks.all.first?.securityManager)
        #expect(manager.localAddress == address)
        let identity = IdentityInformation(identityResolvingKey: PrivateHost.key, address: PrivateHost.identity)
        #expect(manager.configuration.identity == identity)
        let open = PrivateHost(nil)
        open.connect(0x40, peer: Self.foreign, role: .peripheral)
        #expect(open.host.openLinks.all.first?.securityManager.configuration.identity == nil)
        #expect(open.host.openLinks.all.first?.securityManager.localAddress == PrivateHost.identity)
    }

    @Test("computes a pairing with the private addresses that the controllers generated for the link")
    func addressesOfTheLink() throws {
        for isResolved in [true, false] {
            let device = PrivateHost()
            let (own, other) = (PrivateHost.peerAddress(5), PrivateHost.peerAddress(6))
            device.testbed.deliver(
                LEEnhancedConnectionComplete(
                    handle: ConnectionHandle(rawValue: 0x40),
                    role: .peripheral,
                    peer: DeviceAddress(PrivateHost.peer.address.value, kind: .randomIdentity),
                    localResolvableAddress: isResolved ? own : nil,
                    peerResolvableAddress: isResolved ? other : nil,
                    interval: ConnectionInterval(rawValue: 24),
                    latency: 0,
                    supervisionTimeout: SupervisionTimeout(rawValue: 72)
                ).packet()
            )
            let link = try #require(device.host.openLinks.all.first)
            #expect(link.information.peer == PrivateHost.peer.address)
            // Without an own private address it can only have used its identity address.
            #expect(link.securityManager.localAddress == (isResolved ? own : PrivateHost.identity))
            #expect(link.securityManager.peerAddress == (isResolved ? other : PrivateHost.peer.address))
        }
    }

    @Test("applies changes of the key, the pairing and the bonds to open links")
    func linksThereAre() {
        let device = PrivateHost()
        device.advertise()
        device.connect(0x40, peer: Self.foreign, role: .peripheral)
        func configuration() -> PairingConfiguration? { device.host.openLinks.all.first?.securityManager.configuration }
        #expect(configuration()?.identity?.identityResolvingKey == PrivateHost.key)
        device.host.identityResolvingKey = Octets16(high: 5, low: 6)
        #expect(configuration()?.identity?.identityResolvingKey == Octets16(high: 5, low: 6))
        #expect(device.host.security.identities.key == Octets16(high: 5, low: 6))
        device.host.pairing.ioCapability = .keyboardDisplay
        #expect(configuration()?.ioCapability == .keyboardDisplay)
        let identity = IdentityInformation(identityResolvingKey: Octets16(high: 8, low: 9), address: Self.foreign)
        device.host.pairing.identity = identity
        #expect(configuration()?.identity == identity, "the user's counts before its own")
        device.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
        #expect(device.host.security.identities.peers == [BondedPeer(PrivateHost.peer)])
    }
}
