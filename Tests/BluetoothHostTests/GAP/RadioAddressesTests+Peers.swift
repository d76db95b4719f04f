// Bonded peers with privacy: the controller's resolving list, and the addresses that the host resolves beyond it.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: addresses of peers")
struct LEHostPrivacyPeerTests {
    // MARK: The resolving list

    @Test("fills the resolving list while the radio is idle, and then uses addresses of the list")
    func list() throws {
        let device = PrivateHost()
        device.advertise()
        device.host.startScanning(ScanParameters())
        device.testbed.run()
        _ = device.takeSteps()
        device.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
        device.testbed.run()
        let steps = device.takeSteps()
        #expect(Set(steps.prefix(2)) == ["advertising ends", "scanning ends"])
        #expect(steps.dropFirst(2).prefix(5) == ["clear", "timeout 900", "add", "mode", "resolve"])
        #expect(Set(steps.dropFirst(7)) == ["advertise as 3", "advertising", "scan as 3", "scanning"])
        let command = try device.testbed.controller.last(LEAddDeviceToResolvingList.self)
        #expect(command.peer == PrivateHost.peer.address)
        #expect(command.peerIdentityResolvingKey == PrivateHost.peer.identityResolvingKey)
        #expect(command.localIdentityResolvingKey == PrivateHost.key)
        device.host.bondedPeers = []
        device.testbed.run()
        #expect(device.takeSteps().filter { ["remove", "resolve"].contains($0) } == ["remove", "resolve"])
        #expect(device.mistakes == [])
    }

    @Test("resolves bonded peers without an own key if it has no privacy")
    func listWithoutPrivacy() throws {
        let device = PrivateHost(nil)
        _ = device.takeSteps()
        device.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
        device.testbed.run()
        #expect(device.takeSteps() == ["clear", "add", "mode", "resolve"])
        var parameters = try #require(device.testbed.controller.parameters[LEAddDeviceToResolvingList.opcode])
        #expect(try LEAddDeviceToResolvingList(parsing: &parameters).localIdentityResolvingKey == .zero)
        device.advertise()
        #expect(device.takeSteps() == ["advertise as 1", "advertising"])
    }

    @Test("renews the addresses of the list together with its own")
    func renewal() {
        let device = PrivateHost()
        device.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
        device.advertise()
        _ = device.takeSteps()
        device.testbed.run(.seconds(901))
        let steps = device.takeSteps()
        let changes = ["address", "clear", "add", "mode"]
        #expect(steps.filter(changes.contains) == changes)
        #expect(steps.last == "advertising")
        #expect(device.mistakes == [])
    }

    @Test("sets the mode of a peer by its declared privacy, if network privacy is configured")
    func modeChanges() throws {
        for mode in [PrivacyMode.network, .device] {
            let device = PrivateHost(nil, mode: mode)
            device.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
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

    // MARK: Connecting

    @Test("connects to a bonded peer by its identity if the controller resolves it", arguments: [true, false])
    func connecting(knowsPrivacyMode: Bool) throws {
        let device = PrivateHost { controller in
            var commands: [any HCICommand.Type] = [
                Reset.self, LEReadResolvingListSize.self, LEAddDeviceToResolvingList.self,
                LESetAddressResolutionEnable.self,
            ]
            if knowsPrivacyMode { commands.append(LESetPrivacyMode.self) }
            controller.supportedCommands = SupportedCommands(commands)
        }
        device.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
        device.testbed.run()
        #expect(device.takeSteps().contains("mode") == knowsPrivacyMode)
        device.host.connect(to: PrivateHost.peer.address)
        device.testbed.run()
        #expect(device.takeSteps() == ["address", "connect to \(PrivateHost.peer.address) as 3"])
        // Without privacy modes the controller does not take a plain address for an identity.
        #expect(device.testbed.controller.createdPeers.last?.kind == (knowsPrivacyMode ? .random : .randomIdentity))
        device.connect(
            0x40,
            peer: DeviceAddress(PrivateHost.peer.address.value, kind: .randomIdentity),
            role: .central
        )
        #expect(device.host.links.map(\.peer) == [PrivateHost.peer.address])
    }

    // MARK: Resolving

    @Test("resolves addresses that the controller has not resolved", arguments: [true, false])
    func resolving(isScanning: Bool) {
        let device = PrivateHost(nil, hasList: false)
        device.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
        if isScanning { device.host.startScanning(ScanParameters()) }
        device.testbed.run()
        device.testbed.forget()
        device.report(PrivateHost.peerAddress())
        device.report(PrivateHost.peerAddress(2))
        device.report(PrivateHost.peer.address)
        let lines = device.testbed.delegate.takeLines()
        #expect(lines == (isScanning ? Array(repeating: "report \(PrivateHost.peer.address)", count: 3) : []))
        device.connect(0x40, peer: PrivateHost.peerAddress(3), role: .peripheral)
        #expect(device.host.links.map(\.peer) == [PrivateHost.peer.address])
        // Pairing is computed with the address on the air.
        #expect(device.host.openLinks.all.first?.securityManager.peerAddress == PrivateHost.peerAddress(3))
    }

    @Test(
        "ignores the identity address of a peer with privacy only in network privacy mode (Vol 6, Part B, 4.7)",
        arguments: [
            (.network, true, true, 0), (.network, false, true, 1), (.device, true, true, 1), (.network, true, false, 1),
        ] as [(PrivacyMode, Bool, Bool, Int)]
    )
    func privacyModes(mode: PrivacyMode, hides: Bool, isBonded: Bool, reports: Int) {
        let device = PrivateHost(nil, hasList: false, mode: mode)
        if isBonded { device.host.bondedPeers = [BondedPeer(PrivateHost.peer)] }
        let peer = PrivateHost.peer.address
        device.host.peerPrivacy = [peer: PeerPrivacy(resolvesAddresses: true, usesOnlyPrivateAddresses: hides)]
        device.host.startScanning(ScanParameters())
        device.testbed.run()
        device.testbed.forget()
        device.report(peer)
        #expect(device.testbed.delegate.reports.map(\.address) == Array(repeating: peer, count: reports))
        // The controller has resolved it.
        device.report(DeviceAddress(peer.value, kind: .randomIdentity))
        device.report(PrivateHost.peerAddress())
        #expect(device.testbed.delegate.reports.count == reports + 2)
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

    @Test("tells a channel which reports it needs: all while it waits to hear a device")
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
        testbed.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
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
        #expect(channel.needs.count == 5, "the host has left the channel")
    }
}
