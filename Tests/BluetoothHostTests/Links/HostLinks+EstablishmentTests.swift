// Links that this host opens: reported when the peer has answered, and tried again if it never does.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: establishment of links")
struct LEHostEstablishmentTests {
    private let peer = HostTestbed.peers[0]
    private var connected: String { "connected \(self.peer) central" }
    private func failed(_ status: HCIErrorCode) -> String { "failed \(self.peer) \(status.rawValue)" }
    private static let handle = ConnectionHandle(rawValue: 0x40)

    /// A host that has opened a link, on which nothing has been received yet.
    private func awaiting(_ prepare: (ScriptedController) -> Void = { _ in }) -> HostTestbed {
        let testbed = HostTestbed.started(LEHostConfiguration(), prepare)
        testbed.host.connect(to: self.peer)
        testbed.run()
        self.open(testbed)
        return testbed
    }

    /// The controller reports the link that the host waits for.
    private func open(_ testbed: HostTestbed, peer: DeviceAddress? = nil) {
        testbed.controller.connect(0x40, peer: peer ?? self.peer, role: .central, isHeard: false)
        testbed.run()
        testbed.forget()
        #expect(testbed.host.links.isEmpty)
    }

    private func end(_ testbed: HostTestbed, _ reason: HCIErrorCode) {
        testbed.controller.disconnect(0x40, reason: reason)
        testbed.run()
    }

    // MARK: Signs of the peer

    @Test("begins a link with a request to the peer immediately, and sends no other")
    func request() {
        let testbed = self.awaiting()
        #expect(testbed.takePayloads() == ["02 05 02"])
        #expect(testbed.controller.takeCommands() == [])
    }

    private static let signs: [HCIPacket] = [
        LEReadRemoteFeaturesComplete(handle: handle, features: []).packet(),
        ReadRemoteVersionInformationComplete(handle: handle, version: .v5_0, company: 2, subversion: 0).packet(),
        LERemoteConnectionParameterRequest(
            handle: handle,
            minimumInterval: ConnectionInterval(rawValue: 24),
            maximumInterval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        ).packet(),
        EncryptionChange(handle: handle, encryption: .on).packet(),
        EncryptionChange(status: .pinOrKeyMissing, handle: handle, encryption: .off).packet(),
        EncryptionChangeV2(handle: handle, encryption: .on, keySize: 16).packet(),
        EncryptionKeyRefreshComplete(handle: handle).packet(),
        .aclData(handle: handle, boundary: .firstFlushable, fragment: hex("03 00 04 00 03 40 00")),
        .aclData(handle: handle, boundary: .continuing, fragment: ByteBuffer()),
    ]

    @Test("reports a link once when an event or data shows that the peer has answered", arguments: signs)
    func sign(packet: HCIPacket) {
        let testbed = self.awaiting()
        testbed.deliver(packet)
        #expect(testbed.delegate.takeLines().first == self.connected)
        #expect(
            testbed.host.links.map(\.peer) == [self.peer] && !testbed.host.radio.initiating.isConnecting(to: self.peer)
        )
        testbed.deliver(packet)
        testbed.run(.seconds(1))
        #expect(!testbed.delegate.takeLines().contains(self.connected))
    }

    private static let noSigns: [HCIPacket] = [
        NumberOfCompletedPackets.packet([.init(handle: handle, count: 1)]),
        LEChannelSelectionAlgorithm(handle: handle, algorithm: .algorithm2).packet(),
        LEPHYUpdateComplete(handle: handle, transmitter: .le1M, receiver: .le1M).packet(),
        LEDataLengthChange(
            handle: handle,
            transmitOctets: 27,
            transmitTime: 2_704,
            receiveOctets: 27,
            receiveTime: 2_704
        ).packet(),
        LEReadRemoteFeaturesComplete(status: .connectionFailedToBeEstablished, handle: handle, features: []).packet(),
        EncryptionChange(status: .connectionTimeout, handle: handle, encryption: .off).packet(),
        LEReadRemoteFeaturesComplete(handle: ConnectionHandle(rawValue: 0x41), features: []).packet(),
    ]

    @Test(
        "does not report a link for events that its controller may send alone, or of another link",
        arguments: noSigns
    )
    func noSign(packet: HCIPacket) {
        let testbed = self.awaiting()
        testbed.deliver(packet)
        #expect(testbed.delegate.takeLines() == [] && testbed.host.links.isEmpty)
    }

    @Test("reports a link after six of its intervals and 100 ms at the latest")
    func time() {
        let testbed = self.awaiting()
        testbed.run(.milliseconds(280) - .nanoseconds(1))
        #expect(testbed.delegate.takeLines() == [])
        testbed.run(.nanoseconds(1))
        #expect(testbed.delegate.takeLines() == [self.connected])
        self.end(testbed, .connectionTimeout)
        #expect(testbed.delegate.takeLines() == ["disconnected \(self.peer) 8"])
    }

    @Test("reports a link whose data came before it, and then handles the data")
    func earlyData() {
        let testbed = HostTestbed.started()
        testbed.host.connect(to: self.peer)
        testbed.run()
        testbed.receive(4, "02 40 00")
        testbed.controller.connect(0x40, peer: self.peer, role: .central, isHeard: false)
        testbed.run()
        #expect(testbed.delegate.takeLines() == [self.connected, "mtu 64"])
    }

    @Test("reports a link that a peer has opened immediately")
    func peripheral() {
        let testbed = HostTestbed.started()
        #expect(testbed.acceptLink(0x40, from: self.peer) != nil)
        #expect(testbed.delegate.takeLines() == ["connected \(self.peer) peripheral"])
        self.end(testbed, .connectionFailedToBeEstablished)
        #expect(testbed.delegate.takeLines() == ["disconnected \(self.peer) 62"])
    }

    // MARK: Ends

    @Test("tries a link that ends with 0x3E again, up to three times", arguments: 1...3)
    func retry(count: Int) throws {
        let testbed = self.awaiting()
        // After an established link, the next one is tried three times again.
        for _ in 1...2 {
            for _ in 1...count {
                testbed.forget()
                self.end(testbed, .connectionFailedToBeEstablished)
                #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode])
                #expect(try testbed.controller.last(LECreateConnection.self).peer == self.peer)
                #expect(testbed.delegate.takeLines() == [])
                self.open(testbed)
            }
            testbed.receive(4, "03 40 00")
            #expect(testbed.delegate.takeLines() == [self.connected, "mtu 64"])
            self.end(testbed, .remoteUserTerminated)
            testbed.host.connect(to: self.peer)
            testbed.run()
            self.open(testbed)
        }
    }

    @Test("fails a device whose link ends with 0x3E four times, in either form, once", arguments: [0, 1, 3, 4])
    func fails(linkCount: Int) {
        let testbed = HostTestbed.started()
        testbed.host.connect(to: self.peer)
        testbed.run()
        for number in 1...4 {
            testbed.forget()
            if number <= linkCount {
                self.open(testbed)
                self.end(testbed, .connectionFailedToBeEstablished)
            } else {
                testbed.controller.failConnection(.connectionFailedToBeEstablished)
                testbed.run()
            }
            #expect(testbed.delegate.takeLines() == (number < 4 ? [] : [self.failed(.connectionFailedToBeEstablished)]))
        }
        #expect(
            testbed.host.radio.initiating.pending == [] && !testbed.host.radio.initiating.isConnecting(to: self.peer)
        )
        testbed.run(.seconds(60))
        #expect(testbed.delegate.takeLines() == [])
    }

    @Test(
        "reports a link that ends with another reason, since its peer was there, and then its end",
        arguments: [.connectionTimeout, .remoteUserTerminated, .unspecifiedError] as [HCIErrorCode]
    )
    func otherReason(reason: HCIErrorCode) {
        let testbed = self.awaiting()
        self.end(testbed, reason)
        #expect(testbed.delegate.takeLines() == [self.connected, "disconnected \(self.peer) \(reason.rawValue)"])
        #expect(testbed.controller.takeCommands() == [] && !testbed.host.radio.initiating.isConnecting(to: self.peer))
    }

    @Test("tries again with the parameters of the request, at the current address of the device")
    func privateDevice() throws {
        let testbed = HostTestbed.started()
        testbed.controller.scansOrInitiates()
        testbed.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
        var parameters = ConnectionParameters.initial
        parameters.latency = 3
        testbed.host.connect(to: PrivateHost.peer.address, parameters: parameters)
        testbed.run()
        for seed in [1, 2] as [UInt64] {
            let address = PrivateHost.peerAddress(seed)
            testbed.report(address)
            let command = try testbed.controller.last(LECreateConnection.self)
            #expect(command.peer == address && command.parameters == parameters)
            self.open(testbed, peer: address)
            if seed == 1 { self.end(testbed, .connectionFailedToBeEstablished) }
        }
        testbed.receive(4, "03 40 00")
        #expect(testbed.delegate.takeLines().first == "connected \(PrivateHost.peer.address) central")
    }

    @Test("tries one of several devices again beside the others")
    func accompanied() {
        let testbed = HostTestbed.started()
        testbed.controller.scansOrInitiates()
        testbed.host.connect(to: HostTestbed.peers[1])
        testbed.host.connect(to: self.peer)
        testbed.run()
        self.open(testbed)
        self.end(testbed, .connectionFailedToBeEstablished)
        #expect(testbed.host.radio.initiating.pending == [HostTestbed.peers[1], self.peer])
        #expect(testbed.delegate.takeLines() == [])
    }

    // MARK: The user meanwhile

    @Test(
        "ends the link of a connection that is cancelled while it is awaited, and reports neither",
        arguments: [.localHostTerminated, .connectionFailedToBeEstablished] as [HCIErrorCode]
    )
    func cancelled(reason: HCIErrorCode) throws {
        let testbed = self.awaiting()
        testbed.host.cancelConnection(to: self.peer)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [Disconnect.opcode])
        testbed.receive(4, "03 40 00")
        self.end(testbed, reason)
        testbed.run(.seconds(60))
        #expect(testbed.delegate.takeLines().filter { !$0.hasPrefix("mtu") } == [])
        #expect(testbed.controller.takeCommands() == [] && testbed.host.openLinks.all.isEmpty)
    }

    @Test("connects again after the end of a link that was cancelled while it was awaited")
    func connectAfterCancel() {
        let testbed = self.awaiting()
        testbed.host.cancelConnection(to: self.peer)
        testbed.host.connect(to: self.peer)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [Disconnect.opcode])
        self.end(testbed, .localHostTerminated)
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode])
        testbed.controller.connect(0x41, peer: self.peer, role: .central)
        testbed.run()
        #expect(testbed.delegate.takeLines() == [self.connected])
    }

    @Test(
        "keeps an awaited link whose connection is stopped, and reports it if it is established",
        arguments: [true, false]
    )
    func stopped(isHeard: Bool) {
        let testbed = self.awaiting()
        #expect(!testbed.host.stopConnecting(to: self.peer))
        testbed.run()
        #expect(testbed.controller.takeCommands() == [])
        if isHeard {
            testbed.receive(4, "03 40 00")
            #expect(testbed.delegate.takeLines().first == self.connected)
        } else {
            self.end(testbed, .connectionFailedToBeEstablished)
            #expect(testbed.delegate.takeLines() == [] && testbed.controller.takeCommands() == [])
        }
    }

    @Test("treats a request for a device whose link is awaited, and a repeated event of it, as the same")
    func duplicates() {
        let testbed = self.awaiting()
        testbed.host.connect(to: self.peer)
        testbed.run()
        self.open(testbed)
        #expect(testbed.host.openLinks.all.count == 1)
        testbed.receive(4, "03 40 00")
        #expect(testbed.delegate.takeLines() == [self.connected, "mtu 64"])
        #expect(testbed.controller.takeCommands() == [])
    }

    @Test("tries an awaited device again if another one has its handle")
    func takenHandle() {
        let testbed = self.awaiting()
        testbed.controller.connect(0x40, peer: HostTestbed.peers[1], role: .peripheral)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["connected \(HostTestbed.peers[1]) peripheral"])
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode])
    }

    @Test("ends an awaited link at a shutdown, and with the controller, and reports neither", arguments: [true, false])
    func shutdown(isGraceful: Bool) {
        let testbed = self.awaiting { $0.dataIsAnswered = true }
        if isGraceful {
            testbed.shutDown()
            #expect(testbed.controller.takeCommands().contains(Disconnect.opcode))
            self.end(testbed, .connectionFailedToBeEstablished)
            #expect(testbed.shutdownCount == 1)
        } else {
            testbed.host.detach()
            testbed.run()
        }
        #expect(testbed.delegate.takeLines() == ["state detached"])
        #expect(testbed.host.openLinks.all.isEmpty && testbed.host.radio.initiating.pending == [])
    }
}
