// A host that is given a second controller: nothing of what was asked of the first one, or learned of it, is left, and
// the second one is used as if it were the first. And the time of a pairing, which counts from its own beginning.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: a controller after another one")
struct LEHostSecondControllerTests {
    private static let peers = (1...3).map { DeviceAddress(0xC000_0000_0000 + UInt64($0), kind: .random) }

    /// How a controller goes.
    enum Loss: String, CaseIterable {
        case detached
        case closed
        case failed
    }

    private func lose(_ testbed: HostTestbed, _ loss: Loss) {
        switch loss {
        case .detached: testbed.host.detach()
        case .closed: testbed.controller.fail("unplugged")
        case .failed: testbed.controller.deliver(HardwareError(hardwareCode: 1).packet())
        }
        testbed.run()
    }

    /// Advertises, scans, and connects to more devices than the accept list holds.
    private func useRadio(_ testbed: HostTestbed) {
        testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        testbed.host.startScanning(ScanParameters())
        for peer in Self.peers { testbed.host.connect(to: peer) }
        testbed.run()
    }

    @Test("the second controller is started as the first one, and gets the same commands for the same wishes")
    func commands() {
        for loss in Loss.allCases {
            let testbed = HostTestbed(LEHostConfiguration(limitsReceivedData: true))
            testbed.controller.acceptListSize = 2
            testbed.host.attach(to: testbed.controller)
            testbed.run()
            let start = testbed.controller.takeCommands()
            self.useRadio(testbed)
            let use = testbed.controller.takeCommands()
            #expect(use.contains(LECreateConnection.opcode) && use.contains(LESetAdvertisingEnable.opcode))
            // A link with a packet in the controller, and one that waits.
            testbed.controller.connect(0x40, peer: Self.peers[0], role: .central)
            testbed.run()
            self.lose(testbed, loss)
            #expect(testbed.host.initiator.pending == [] && !testbed.host.scanner.isWanted, "\(loss)")
            #expect(!testbed.host.advertiser.isWanted && testbed.host.advertiser.isOff, "\(loss)")
            #expect(testbed.host.transmitter.credits == 0 && testbed.host.transmitter.dataLength == 27, "\(loss)")
            #expect(!testbed.host.limitsReceivedData, "\(loss)")

            let next = ScriptedController(eventLoop: testbed.loop)
            next.acceptListSize = 2
            testbed.host.attach(to: next)
            testbed.run(.seconds(120))
            #expect(next.takeCommands() == start, "\(loss)")
            #expect(testbed.host.state == .ready && testbed.host.limitsReceivedData, "\(loss)")
            self.useRadio(testbed)
            #expect(next.takeCommands() == use, "\(loss)")
            next.connect(0x40, peer: Self.peers[0], role: .central)
            testbed.run()
            #expect(testbed.host.links.count == 1, "\(loss)")
        }
    }

    @Test("what was learned of a controller, and what was to come of it in time, is forgotten with it")
    func state() {
        for loss in Loss.allCases {
            let testbed = HostTestbed()
            testbed.controller.address = DeviceAddress(0xAABB, kind: .public)
            testbed.controller.features = [.phy2M, .privacy]
            testbed.controller.supportedCommands = SupportedCommands(HCICommandTable.entries.map(\.command))
            testbed.start()
            let host = testbed.host
            #expect(host.address == testbed.controller.address && host.controller.supportedCommands != nil)
            let later = testbed.loop.now + .hours(1)
            host.connect(to: Self.peers[0])
            #expect(host.connectionParameters.count == 1)
            (host.attemptDeadline, host.cancelDeadline, host.rotationDeadline) = (later, later, later)
            (host.isProbing, host.unreadablePacketCount) = (true, 5)
            self.lose(testbed, loss)
            #expect(host.connectionParameters.isEmpty, "\(loss)")
            #expect(host.attemptDeadline == nil, "\(loss)")
            #expect(host.cancelDeadline == nil, "\(loss)")
            #expect(host.rotationDeadline == nil, "\(loss)")
            #expect(!host.isProbing && host.unreadablePacketCount == 0, "\(loss)")
            #expect(host.controller.features.rawValue == 0 && host.controller.supportedCommands == nil, "\(loss)")
            #expect(host.controller.publicAddress == nil && host.controller.acceptListSize == 0, "\(loss)")
            #expect(host.controller.resolvingListSize == 0 && host.controller.aclDataLength == 27, "\(loss)")
            #expect(host.address == nil, "\(loss)")
        }
    }

    @Test("the fragments of an advertisement that one controller has received are not joined to those of the next one")
    func fragments() {
        let first = "04 3E 1D 0D 01 21 00 01 01 00 00 00 00 C0 01 02 05 7F CE 00 00 00 00 00 00 00 00 00 03 02 01 06"
        let last = "04 3E 1E 0D 01 01 00 01 01 00 00 00 00 C0 01 02 05 7F C4 00 00 00 00 00 00 00 00 00 04 03 09 48 69"
        for isSameController in [true, false] {
            let testbed = HostTestbed.started()
            testbed.host.startScanning(ScanParameters())
            testbed.run()
            testbed.controller.deliver(HCIPacket(h4: hex(first)))
            testbed.run()
            var controller = testbed.controller
            if !isSameController {
                controller = ScriptedController(eventLoop: testbed.loop)
                testbed.host.detach()
                testbed.host.attach(to: controller)
                testbed.run()
                testbed.host.startScanning(ScanParameters())
                testbed.run()
            }
            controller.deliver(HCIPacket(h4: hex(last)))
            testbed.run()
            let data = (isSameController ? "02 01 06 " : "") + "03 09 48 69"
            #expect(testbed.delegate.reports.map(\.data) == [hex(data)])
        }
    }

    @Test("a start of advertising that the lost controller has not answered is told that, once")
    func advertisingStarts() {
        for loss in Loss.allCases {
            let testbed = HostTestbed.started { $0.silent = [LESetAdvertisingParameters.opcode] }
            var ends: [String] = []
            testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { result in
                if case .failure(let error) = result { ends.append("\(error == .controllerLost)") }
            }
            testbed.run()
            #expect(ends == [])
            self.lose(testbed, loss)
            #expect(ends == ["true"], "\(loss)")
            testbed.host.stopAdvertising()
            testbed.run()
            testbed.host.attach(to: ScriptedController(eventLoop: testbed.loop))
            testbed.run()
            #expect(ends == ["true"], "\(loss)")
        }
    }

    /// Notes where the host stands when the end of a link is reported.
    private final class StateDelegate: LEHostDelegate {
        var states: [LEHostState] = []
        var linkCounts: [Int] = []

        func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
            self.states.append(host.state)
            self.linkCounts.append(host.links.count)
        }
    }

    @Test("when the end of a link is reported, the host has no controller any more, and the link is none of its links")
    func stateAtTheEndOfLinks() {
        let states: [Loss: LEHostState] = [
            .detached: .detached, .closed: .failed("unplugged"),
            .failed: .failed("the controller reported hardware error 1"),
        ]
        for loss in Loss.allCases {
            let testbed = HostTestbed.started()
            let delegate = StateDelegate()
            testbed.host.delegate = delegate
            for handle in [0x40, 0x41] as [UInt16] {
                testbed.controller.connect(handle, peer: Self.peers[Int(handle - 0x40)], role: .peripheral)
            }
            testbed.run()
            #expect(testbed.host.links.count == 2)
            self.lose(testbed, loss)
            #expect(delegate.states.map(Optional.some) == [states[loss], states[loss]], "\(loss)")
            #expect(delegate.linkCounts == [1, 0], "\(loss)")
        }
    }

    @Test("the time of a pairing counts from its own beginning, and a link that is established anew has none")
    func pairingTime() throws {
        let testbed = HostTestbed.started()
        testbed.run(.seconds(7))
        let id = try #require(testbed.acceptLink(0x40))
        testbed.run(.seconds(4))
        let link = try #require(testbed.host.linksByID[id])
        #expect(link.securityManager.deadline == nil)
        testbed.controller.receive(0x40, channel: 6, [0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00])
        testbed.run()
        try #require(link.securityManager.isPairing)
        try #require(testbed.host.securityContext.now == testbed.loop.now)
        try #require(link.securityManager.deadline == .uptimeNanoseconds(41_000_000_000))
        testbed.run(.seconds(29))
        #expect(link.securityManager.isPairing)
        testbed.run(.seconds(1))
        #expect(!link.securityManager.isPairing && link.securityManager.isTimedOut)
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run(.seconds(10))
        let second = try #require(testbed.acceptLink(0x40))
        testbed.host.pair(second)
        testbed.run()
        let manager = try #require(testbed.host.linksByID[second]?.securityManager)
        #expect(!manager.isTimedOut && manager.requestedLevel == .encrypted)
        #expect(manager.deadline == testbed.loop.now + .seconds(30))
    }

    @Test("a host knows the identity address of its own as soon as the controller is ready, and that of the next one")
    func ownIdentity() {
        let testbed = HostTestbed()
        for address in Self.peers.prefix(2) {
            let controller = ScriptedController(eventLoop: testbed.loop)
            let identity = DeviceAddress(address.value, kind: .public)
            controller.address = identity
            testbed.host.attach(to: controller)
            testbed.run()
            #expect(testbed.host.address == identity)
            #expect(testbed.host.securityContext.identities.address == identity)
            testbed.host.detach()
        }
    }
}
