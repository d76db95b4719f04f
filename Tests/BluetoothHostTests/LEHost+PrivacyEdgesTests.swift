// Privacy where one thing alone calls for it: a host that only scans, a key that is the same, a mode that changes, and
// addresses that a controller has resolved already.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: privacy at its edges")
struct LEHostPrivacyEdgesTests {
    private static let foreign = DeviceAddress(0x11, kind: .public)

    // MARK: The own address

    @Test("A host that only scans has a private address, and another one when its time is over")
    func scanning() {
        let device = PrivateHost(hasList: false)
        device.host.startScanning(ScanParameters())
        device.testbed.run()
        #expect(device.takeSteps() == ["address", "scan as 1", "scanning"])
        device.testbed.run(.seconds(900) - .nanoseconds(1))
        #expect(device.takeSteps() == [])
        device.testbed.run(.nanoseconds(1))
        #expect(device.takeSteps() == ["scanning ends", "address", "scan as 1", "scanning"])
        #expect(Set(device.randomAddresses).count == 2 && device.mistakes == [])
    }

    @Test("A host that only connects has a private address, and another one when its time is over")
    func connecting() {
        let device = PrivateHost(hasList: false)
        device.host.connect(to: Self.foreign)
        device.testbed.run()
        #expect(device.takeSteps() == ["address", "connect to \(Self.foreign) as 1"])
        device.testbed.run(.seconds(900) - .nanoseconds(1))
        #expect(device.takeSteps() == [])
        device.testbed.run(.nanoseconds(1))
        #expect(device.takeSteps() == ["connecting ends", "address", "connect to \(Self.foreign) as 1"])
        #expect(Set(device.randomAddresses).count == 2 && device.mistakes == [])
    }

    @Test("A controller that has refused the first private address is asked again when its time would be over")
    func refusedAddress() {
        let device = PrivateHost(hasList: false) { $0.refused[LESetRandomAddress.opcode] = .commandDisallowed }
        device.advertise()
        #expect(device.takeSteps() == ["advertise as 1", "advertising"] && device.randomAddresses == [])
        device.testbed.run(.seconds(900) - .nanoseconds(1))
        #expect(device.takeSteps() == [])
        device.testbed.controller.refused = [:]
        device.testbed.run(.nanoseconds(1))
        #expect(device.takeSteps() == ["advertising ends", "address", "advertise as 1", "advertising"])
        #expect(device.randomAddresses.count == 1 && device.mistakes == [])
    }

    @Test("A link that this side has made counts for its address, which is replaced before the radio is used again")
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

    @Test("Another key of the host is given to the controller for each peer of its list")
    func keyOfTheList() throws {
        let device = PrivateHost()
        device.host.bondedPeers = [PrivateHost.peer]
        device.testbed.run()
        _ = device.takeSteps()
        device.host.identityResolvingKey = Octets16(high: 5, low: 6)
        device.testbed.run()
        #expect(device.takeSteps() == ["remove", "add", "mode"])
        let command = try device.testbed.controller.last(LEAddDeviceToResolvingList.self)
        #expect(command.localIdentityResolvingKey == Octets16(high: 5, low: 6))
        #expect(command.peerIdentityResolvingKey == PrivateHost.peer.identityResolvingKey)
    }

    @Test("The key that a host has already changes nothing")
    func sameKey() {
        let device = PrivateHost()
        device.advertise()
        _ = device.takeSteps()
        device.host.identityResolvingKey = PrivateHost.key
        device.testbed.run(.seconds(10))
        #expect(device.takeSteps() == [] && device.randomAddresses.count == 1)
    }

    @Test("A host that hides itself and has no key draws one when its controller is ready; another one draws none")
    func drawnKey() {
        for isPrivate in [true, false] {
            var configuration = LEHostConfiguration(
                address: PrivateHost.identity,
                privacy: isPrivate ? PrivacyConfiguration() : nil
            )
            configuration.pairingSeed = 7
            let testbed = HostTestbed(configuration)
            #expect(testbed.host.identityResolvingKey == nil)
            testbed.start()
            testbed.host.startScanning(ScanParameters())
            testbed.run()
            #expect((testbed.host.identityResolvingKey != nil) == isPrivate)
            let drawn = testbed.host.identityResolvingKey
            testbed.run(.seconds(2_000))
            #expect(testbed.host.identityResolvingKey == drawn && drawn != .zero)
        }
    }

    @Test("The controller uses the addresses that it makes for as long as the host does", arguments: [1, 60, 3_600])
    func timeout(seconds: Int64) throws {
        let device = PrivateHost(PrivacyConfiguration(rotationInterval: .seconds(seconds)))
        device.host.bondedPeers = [PrivateHost.peer]
        device.testbed.run()
        #expect(device.takeSteps() == ["clear", "timeout \(seconds)", "add", "mode", "resolve"])
    }

    @Test("A pairing is computed with the private addresses that the controllers have made for the link")
    func addressesOfTheLink() throws {
        for isResolved in [true, false] {
            let device = PrivateHost()
            let (own, other) = (PrivateHost.peerAddress(5), PrivateHost.peerAddress(6))
            device.testbed.controller.deliver(
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
            device.testbed.run()
            let link = try #require(device.host.openLinks.first)
            #expect(link.information.peer == PrivateHost.peer.address)
            // Without a private address of its own it can only have been seen under its identity.
            #expect(link.securityManager.localAddress == (isResolved ? own : PrivateHost.identity))
            #expect(link.securityManager.peerAddress == (isResolved ? other : PrivateHost.peer.address))
        }
    }

    // MARK: Pairing

    @Test("An identity that the user has set for pairings is distributed, and not that of the host")
    func identityOfTheUser() {
        let device = PrivateHost()
        let identity = IdentityInformation(identityResolvingKey: Octets16(high: 8, low: 9), address: Self.foreign)
        device.host.pairing.identity = identity
        device.advertise()
        device.connect(0x40, peer: Self.foreign, role: .peripheral)
        #expect(device.host.openLinks.first?.securityManager.configuration.identity == identity)
    }

    @Test("A change of the key, or of how the host pairs, is for the links that there are, too")
    func linksThereAre() {
        let device = PrivateHost()
        device.advertise()
        device.connect(0x40, peer: Self.foreign, role: .peripheral)
        func configuration() -> PairingConfiguration? { device.host.openLinks.first?.securityManager.configuration }
        #expect(configuration()?.identity?.identityResolvingKey == PrivateHost.key)
        device.host.identityResolvingKey = Octets16(high: 5, low: 6)
        #expect(configuration()?.identity?.identityResolvingKey == Octets16(high: 5, low: 6))
        #expect(device.host.securityContext.identities.key == Octets16(high: 5, low: 6))
        device.host.pairing.ioCapability = .keyboardDisplay
        #expect(configuration()?.ioCapability == .keyboardDisplay)
        device.host.bondedPeers = [PrivateHost.peer]
        #expect(device.host.securityContext.identities.peers == [PrivateHost.peer])
    }

    // MARK: Peers

    @Test("What a peer says of its privacy changes its mode in the controller, where network privacy is wanted")
    func modeChanges() throws {
        for mode in [PrivacyMode.network, .device] {
            let device = PrivateHost(nil, mode: mode)
            device.host.bondedPeers = [PrivateHost.peer]
            device.testbed.run()
            #expect(try device.testbed.controller.last(LESetPrivacyMode.self).mode == .device)
            _ = device.takeSteps()
            let privacy = [PrivateHost.peer.address: PeerPrivacy(usesOnlyPrivateAddresses: true)]
            device.host.peerPrivacy = privacy
            device.testbed.run()
            #expect(device.takeSteps() == (mode == .network ? ["mode"] : []))
            let command = try device.testbed.controller.last(LESetPrivacyMode.self)
            #expect(command.mode == mode && command.peer == PrivateHost.peer.address)
            device.host.peerPrivacy = privacy
            device.testbed.run()
            #expect(device.takeSteps() == [])
            device.host.peerPrivacy = [:]
            device.testbed.run()
            #expect(device.takeSteps() == (mode == .network ? ["mode"] : []))
        }
    }

    @Test("An address is believed that is none of a bonded peer's, or that the controller has resolved")
    func believedAddresses() {
        let resolved = DeviceAddress(PrivateHost.peer.address.value, kind: .randomIdentity)
        for (address, isBonded, isReported) in [
            (PrivateHost.peer.address, false, true), (PrivateHost.peer.address, true, false), (resolved, true, true),
        ] {
            let device = PrivateHost(nil, hasList: false, mode: .network)
            if isBonded { device.host.bondedPeers = [PrivateHost.peer] }
            device.host.peerPrivacy = [PrivateHost.peer.address: PeerPrivacy(usesOnlyPrivateAddresses: true)]
            device.host.startScanning(ScanParameters())
            device.testbed.run()
            device.testbed.forget()
            device.report(address)
            #expect(device.testbed.delegate.reports.map(\.address) == (isReported ? [PrivateHost.peer.address] : []))
        }
    }

    @Test("An identity of a public address is one to a controller without privacy modes, a device without key is none")
    func initiatingAddress() {
        let peer = IdentityInformation(
            identityResolvingKey: Octets16(high: 3, low: 4),
            address: DeviceAddress(0x00AA_BBCC_DD01, kind: .public)
        )
        for (target, kind) in [(peer.address, DeviceAddress.Kind.publicIdentity), (Self.foreign, .public)] {
            let device = PrivateHost { controller in
                controller.supportedCommands = SupportedCommands([
                    Reset.self, LEReadResolvingListSize.self, LEAddDeviceToResolvingList.self,
                    LESetAddressResolutionEnable.self,
                ])
            }
            device.host.bondedPeers = [peer]
            device.testbed.run()
            device.host.connect(to: target)
            device.testbed.run()
            #expect(device.testbed.controller.createdPeers == [DeviceAddress(target.value, kind: kind)])
        }
    }

    @Test("Bonded peers are known by plain addresses, whichever kind they were given with")
    func plainAddresses() {
        let testbed = HostTestbed()
        let host = testbed.host
        let key = Octets16(high: 1, low: 2)
        host.bondedPeers = [
            IdentityInformation(identityResolvingKey: key, address: DeviceAddress(1, kind: .publicIdentity)),
            IdentityInformation(identityResolvingKey: .zero, address: DeviceAddress(2, kind: .randomIdentity)),
        ]
        #expect(host.bondedPeers.map(\.address) == [DeviceAddress(1, kind: .public), DeviceAddress(2, kind: .random)])
        #expect(host.peerIdentities.resolvable.map(\.address) == [DeviceAddress(1, kind: .public)])
        #expect(host.peerIdentities.key(of: DeviceAddress(1, kind: .public)) == key)
        #expect(host.peerIdentities.key(of: DeviceAddress(2, kind: .random)) == nil)
        testbed.run()
    }

    // MARK: Channels that omit reports

    /// A channel to a scripted controller that can omit reports.
    private final class OmittingChannel: HCIChannel, HCIChannelReceiver, ReportOmittingChannel {
        private let controller: ScriptedController
        private var receiver: (any HCIChannelReceiver)?
        private(set) var needs: [AdvertisingReportNeed] = []

        init(_ controller: ScriptedController) { self.controller = controller }

        var eventLoop: any EventLoop { self.controller.eventLoop }

        func setReportNeed(_ need: AdvertisingReportNeed) { self.needs.append(need) }

        func start(receiver: any HCIChannelReceiver) {
            self.receiver = receiver
            self.controller.start(receiver: self)
        }

        func send(_ packet: HCIPacket) { self.controller.send(packet) }

        func close() {
            self.receiver = nil
            self.controller.close()
        }

        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
            self.receiver?.channel(self, didReceive: packet)
        }

        func channelDidFinishBatch(_ channel: any HCIChannel) { self.receiver?.channelDidFinishBatch(self) }

        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
            self.receiver?.channel(self, didCloseBecause: reason)
        }
    }

    @Test("A channel that can omit reports is told which are needed: all, while a device is waited for that is heard")
    func reportNeed() {
        let testbed = HostTestbed()
        let channel = OmittingChannel(testbed.controller)
        testbed.host.reportNeed = .changes(3)
        testbed.host.attach(to: channel)
        testbed.run()
        #expect(channel.needs == [.changes(3)])
        testbed.host.reportNeed = .changes(3)
        #expect(channel.needs == [.changes(3)])
        testbed.host.reportNeed = .changes(4)
        #expect(channel.needs == [.changes(3), .changes(4)])
        testbed.host.bondedPeers = [PrivateHost.peer]
        testbed.host.connect(to: PrivateHost.peer.address)
        testbed.run()
        #expect(channel.needs.dropFirst(2) == [.all])
        testbed.host.reportNeed = .changes(5)
        testbed.run()
        #expect(channel.needs.dropFirst(3) == [.all])
        testbed.host.stopConnecting(to: PrivateHost.peer.address)
        testbed.run()
        #expect(channel.needs.dropFirst(4) == [.changes(5)])
        testbed.host.detach()
        testbed.host.reportNeed = .all
        #expect(channel.needs.count == 5, "it is not the host's channel any more")
    }
}
