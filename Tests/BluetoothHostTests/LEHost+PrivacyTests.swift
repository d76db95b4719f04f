// A host that hides itself, and one that resolves others: which commands its controller gets, in which order and when,
// with a resolving list and without.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: privacy")
struct LEHostPrivacyTests {
    @Test("GAP/PRIV: a host that hides itself sets a private address before it advertises, and never its identity")
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

    @Test("A controller's public address is not used by a host that hides itself")
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

    @Test("Without privacy the address stays what it is, and nothing changes it")
    func notPrivate() {
        let device = PrivateHost(nil)
        #expect(device.takeSteps() == ["address"])
        #expect(device.randomAddresses == [PrivateHost.identity])
        device.advertise()
        device.testbed.run(.hours(3))
        #expect(device.takeSteps() == ["advertise as 1", "advertising"])
    }

    @Test("When the time of an address is over, everything stops, another address is set, and everything goes on")
    func rotation() throws {
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
        #expect(steps.last?.hasPrefix("connect to") == true || steps.contains { $0.hasPrefix("connect to") })
        #expect(Set(device.randomAddresses).count == 2)
        device.testbed.run(.seconds(9000))
        #expect(Set(device.randomAddresses).count == 12)
        #expect(device.randomAddresses.allSatisfy { ResolvablePrivateAddress.matches($0, PrivateHost.key) })
        #expect(device.mistakes == [])
    }

    @Test("While nobody can see it the address stays; it is replaced before it is used again")
    func idle() {
        let device = PrivateHost()
        device.advertise()
        device.host.stopAdvertising()
        device.testbed.run(.hours(5))
        #expect(device.randomAddresses.count == 1)
        _ = device.takeSteps()
        device.advertise()
        #expect(device.takeSteps() == ["address", "advertise as 1", "advertising"])
        #expect(Set(device.randomAddresses).count == 2)
    }

    @Test("After a number of links another address is used, where one is given")
    func count() {
        let device = PrivateHost(PrivacyConfiguration(connectionsPerAddress: 2))
        device.advertise()
        device.connect(0x40, peer: DeviceAddress(0x11, kind: .public), role: .peripheral)
        #expect(device.randomAddresses.count == 1)
        device.connect(0x41, peer: DeviceAddress(0x12, kind: .public), role: .peripheral)
        #expect(Set(device.randomAddresses).count == 2)
        #expect(device.mistakes == [])
    }

    @Test("The key that the user sets is that of the addresses; another one makes another address at once")
    func key() throws {
        let device = PrivateHost()
        device.advertise()
        let other = Octets16(high: 5, low: 6)
        device.host.identityResolvingKey = other
        device.testbed.run()
        #expect(ResolvablePrivateAddress.matches(try #require(device.radioAddress), other))
        #expect(device.mistakes == [])
    }

    @Test("A controller that refuses the first private address gets no other: advertising fails")
    func refused() {
        let device = PrivateHost { $0.refused = [LESetRandomAddress.opcode: .commandDisallowed] }
        device.testbed.controller.refused[LESetAdvertisingEnable.opcode] = .invalidParameters
        var outcome: Result<Void, LEHostError>?
        device.host.startAdvertising(AdvertisingParameters(data: hex("02 01 06"))) { outcome = $0 }
        device.testbed.run()
        guard case .failure(.refused(.invalidParameters))? = outcome else {
            return #expect(Bool(false), "\(String(describing: outcome))")
        }
        #expect(device.takeSteps() == ["advertise as 1"])
    }

    @Test("The resolving list is filled while the radio is silent, and own addresses come from it from then on")
    func list() throws {
        let device = PrivateHost()
        device.advertise()
        device.host.startScanning(ScanParameters())
        device.testbed.run()
        _ = device.takeSteps()
        device.host.bondedPeers = [PrivateHost.peer]
        device.testbed.run()
        let steps = device.takeSteps()
        #expect(Set(steps.prefix(2)) == ["advertising ends", "scanning ends"])
        #expect(steps.dropFirst(2).prefix(5) == ["clear", "timeout 900", "add", "mode", "resolve"])
        #expect(Set(steps.dropFirst(7)) == ["advertise as 3", "advertising", "scan as 3", "scanning"])
        var parameters = try #require(device.testbed.controller.parameters[LEAddDeviceToResolvingList.opcode])
        let command = try LEAddDeviceToResolvingList(parsing: &parameters)
        #expect(command.peer == PrivateHost.peer.address)
        #expect(command.peerIdentityResolvingKey == PrivateHost.peer.identityResolvingKey)
        #expect(command.localIdentityResolvingKey == PrivateHost.key)
        device.host.bondedPeers = []
        device.testbed.run()
        #expect(device.takeSteps().filter { ["remove", "resolve"].contains($0) } == ["remove", "resolve"])
        #expect(device.mistakes == [])
    }

    @Test("A device that does not hide resolves its bonded peers, with no key of its own")
    func listWithoutPrivacy() throws {
        let device = PrivateHost(nil)
        _ = device.takeSteps()
        device.host.bondedPeers = [PrivateHost.peer]
        device.testbed.run()
        #expect(device.takeSteps() == ["clear", "add", "mode", "resolve"])
        var parameters = try #require(device.testbed.controller.parameters[LEAddDeviceToResolvingList.opcode])
        #expect(try LEAddDeviceToResolvingList(parsing: &parameters).localIdentityResolvingKey == .zero)
        device.advertise()
        #expect(device.takeSteps() == ["advertise as 1", "advertising"])
    }

    @Test("With the list, a new time also makes new addresses there")
    func renewal() {
        let device = PrivateHost()
        device.host.bondedPeers = [PrivateHost.peer]
        device.advertise()
        _ = device.takeSteps()
        device.testbed.run(.seconds(901))
        let steps = device.takeSteps()
        let changes = ["address", "clear", "add", "mode"]
        #expect(steps.filter(changes.contains) == changes)
        #expect(steps.last == "advertising")
        #expect(device.mistakes == [])
    }

    @Test("A bonded peer is connected to by its identity where the controller resolves it", arguments: [true, false])
    func connecting(knowsPrivacyMode: Bool) throws {
        let device = PrivateHost { controller in
            var commands: [any HCICommand.Type] = [
                Reset.self, LEReadResolvingListSize.self, LEAddDeviceToResolvingList.self,
                LESetAddressResolutionEnable.self,
            ]
            if knowsPrivacyMode { commands.append(LESetPrivacyMode.self) }
            controller.supportedCommands = SupportedCommands(commands)
        }
        device.host.bondedPeers = [PrivateHost.peer]
        device.testbed.run()
        #expect(device.takeSteps().contains("mode") == knowsPrivacyMode)
        device.host.connect(to: PrivateHost.peer.address)
        device.testbed.run()
        #expect(device.takeSteps() == ["address", "connect to \(PrivateHost.peer.address) as 3"])
        // Without privacy modes a plain address is no identity to the controller.
        #expect(device.testbed.controller.createdPeers.last?.kind == (knowsPrivacyMode ? .random : .randomIdentity))
        device.connect(
            0x40,
            peer: DeviceAddress(PrivateHost.peer.address.value, kind: .randomIdentity),
            role: .central
        )
        #expect(device.host.links.map(\.peer) == [PrivateHost.peer.address])
    }

    @Test("Without a list the host scans for a bonded peer, and connects to the address that it has then")
    func connectingWithoutList() {
        let device = PrivateHost(hasList: false)
        device.host.bondedPeers = [PrivateHost.peer]
        device.host.connect(to: PrivateHost.peer.address)
        device.testbed.run()
        #expect(device.takeSteps() == ["address", "scan as 1", "scanning"])
        device.testbed.forget()
        device.report(DeviceAddress(0x4123_4567_89AB, kind: .random))
        #expect(device.takeSteps() == [], "a foreign address")
        let address = PrivateHost.peerAddress()
        device.report(address)
        #expect(device.takeSteps() == ["scanning ends", "connect to \(address) as 1"])
        #expect(device.testbed.delegate.takeLines() == [], "the user does not scan")
        // The peer has changed its address just then.
        device.testbed.run(.seconds(6))
        #expect(device.takeSteps() == ["scan as 1", "connecting ends", "scanning"])
        let next = PrivateHost.peerAddress(2)
        device.report(next)
        #expect(device.takeSteps() == ["scanning ends", "connect to \(next) as 1"])
        device.connect(0x40, peer: next, role: .central)
        #expect(device.host.links.map(\.peer) == [PrivateHost.peer.address])
        #expect(device.takeSteps() == [] && device.mistakes == [])
    }

    @Test("What the controller has not resolved, the host resolves", arguments: [true, false])
    func resolving(isScanning: Bool) {
        let device = PrivateHost(nil, hasList: false)
        device.host.bondedPeers = [PrivateHost.peer]
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
        #expect(device.host.openLinks.first?.securityManager.peerAddress == PrivateHost.peerAddress(3))
    }

    @Test("Vol 6, Part B, 4.7: an identity address is believed in device privacy mode, not in network privacy mode")
    func privacyModes() {
        for mode in [PrivacyMode.network, .device] {
            for only in [true, false] {
                let device = PrivateHost(nil, hasList: false, mode: mode)
                device.host.bondedPeers = [PrivateHost.peer]
                device.host.peerPrivacy = [
                    PrivateHost.peer.address: PeerPrivacy(resolvesAddresses: true, usesOnlyPrivateAddresses: only)
                ]
                device.host.startScanning(ScanParameters())
                device.testbed.run()
                device.testbed.forget()
                device.report(PrivateHost.peer.address)
                // Of a peer that has not said so (Vol 3, Part C, 12.5), it is believed in both modes.
                #expect(device.testbed.delegate.takeLines().count == (mode == .device || !only ? 1 : 0))
                device.report(PrivateHost.peerAddress())
                #expect(device.testbed.delegate.takeLines().count == 1)
            }
        }
    }

    @Test("A pairing is computed with the private address of the link, and distributes the identity")
    func pairing() throws {
        let device = PrivateHost()
        device.advertise()
        let address = try #require(device.radioAddress)
        device.connect(0x40, peer: DeviceAddress(0x11, kind: .public), role: .peripheral)
        let manager = try #require(device.host.openLinks.first?.securityManager)
        #expect(manager.localAddress == address)
        let identity = IdentityInformation(identityResolvingKey: PrivateHost.key, address: PrivateHost.identity)
        #expect(manager.configuration.identity == identity)
        let open = PrivateHost(nil)
        open.connect(0x40, peer: DeviceAddress(0x11, kind: .public), role: .peripheral)
        #expect(open.host.openLinks.first?.securityManager.configuration.identity == nil)
        #expect(open.host.openLinks.first?.securityManager.localAddress == PrivateHost.identity)
    }

    @Test("Directed advertising names the peer by its identity")
    func directed() throws {
        let device = PrivateHost()
        device.host.bondedPeers = [PrivateHost.peer]
        device.host.peerPrivacy = [PrivateHost.peer.address: PeerPrivacy(resolvesAddresses: true)]
        device.host.startAdvertising(
            AdvertisingParameters(data: ByteBuffer(), directedTo: PrivateHost.peer.address)
        ) { _ in }
        device.testbed.run()
        var parameters = try #require(device.testbed.controller.parameters[LESetAdvertisingParameters.opcode])
        let command = try LESetAdvertisingParameters(parsing: &parameters)
        #expect(command.type == .connectableDirectedLowDutyCycle && command.ownAddressType == .resolvableOrRandom)
        #expect(command.peer == PrivateHost.peer.address)
    }

    @Test("A controller that comes back gets its addresses and its list anew")
    func newController() {
        let device = PrivateHost()
        device.host.bondedPeers = [PrivateHost.peer]
        device.advertise()
        let first = device.radioAddress
        device.host.detach()
        device.testbed.run()
        _ = device.takeSteps()
        let controller = ScriptedController(eventLoop: device.testbed.loop)
        controller.features = [.privacy]
        device.host.attach(to: controller)
        device.testbed.run()
        device.host.startAdvertising(AdvertisingParameters(data: hex("02 01 06"))) { _ in }
        device.testbed.run()
        let commands = controller.takeCommands()
        #expect(commands.contains(LESetRandomAddress.opcode) && commands.contains(LEAddDeviceToResolvingList.opcode))
        #expect(first != nil)
    }
}
