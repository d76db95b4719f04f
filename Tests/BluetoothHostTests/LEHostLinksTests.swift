// What a host does on a new link, and what it does with links that cross what its user asks for.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: links")
struct LEHostLinksTests {
    private let peer = DeviceAddress(0xC000_0000_0001, kind: .random)
    private let other = DeviceAddress(0xC000_0000_0002, kind: .random)

    /// The commands that follow a new link.
    private func commands(
        features: LEFeatures,
        without missing: [any HCICommand.Type] = [],
        role: ConnectionRole = .central
    ) -> [HCIOpcode] {
        let testbed = HostTestbed.started {
            $0.features = features
            let known = HCICommandTable.entries.map(\.command).filter { command in !missing.contains { $0 == command } }
            $0.supportedCommands = SupportedCommands(known)
        }
        if role == .central { testbed.host.connect(to: self.peer) }
        testbed.run()
        testbed.forget()
        testbed.controller.connect(0x40, peer: self.peer, role: role)
        testbed.run()
        return testbed.controller.takeCommands()
    }

    @Test("a central asks for longer packets and for 2M where its controller can, and a peripheral leaves it to it")
    func preparation() {
        #expect(self.commands(features: []) == [])
        #expect(self.commands(features: .dataPacketLengthExtension) == [LESetDataLength.opcode])
        #expect(self.commands(features: .dataPacketLengthExtension, without: [LESetDataLength.self]) == [])
        #expect(self.commands(features: .phy2M) == [LESetPHY.opcode])
        #expect(self.commands(features: .phy2M, without: [LESetPHY.self]) == [])
        let both: LEFeatures = [.dataPacketLengthExtension, .phy2M]
        #expect(self.commands(features: both) == [LESetDataLength.opcode, LESetPHY.opcode])
        #expect(self.commands(features: both, role: .peripheral) == [])
    }

    @Test("a link that does not begin with the interval that was asked for is updated to it")
    func interval() throws {
        let wanted = ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: 24),
            maximumInterval: ConnectionInterval(rawValue: 40),
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        for (interval, isUpdated) in [(23, true), (24, false), (30, false), (40, false), (41, true)] {
            let testbed = HostTestbed.started()
            testbed.host.connect(to: self.peer, parameters: wanted)
            testbed.run()
            testbed.forget()
            let interval = ConnectionInterval(rawValue: UInt16(interval))
            testbed.controller.connect(0x40, peer: self.peer, role: .central, interval: interval)
            testbed.run()
            #expect(testbed.controller.takeCommands().contains(LEConnectionUpdate.opcode) == isUpdated, "\(interval)")
        }
    }

    @Test("a device that connects to this one while a connection to it is pending leaves that pending")
    func crossing() {
        let testbed = HostTestbed.started()
        let slow = ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: 800),
            maximumInterval: ConnectionInterval(rawValue: 800),
            supervisionTimeout: SupervisionTimeout(rawValue: 600)
        )
        testbed.host.connect(to: self.peer, parameters: slow)
        testbed.run()
        testbed.forget()
        testbed.controller.connect(0x40, peer: self.peer, role: .peripheral)
        testbed.run()
        #expect(testbed.host.initiator.pending == [self.peer] && testbed.controller.takeCommands() == [])
        // Its link comes with the parameters that were asked for, in the end.
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.controller.connect(0x41, peer: self.peer, role: .central)
        testbed.run()
        #expect(testbed.host.initiator.pending == [])
        #expect(testbed.controller.takeCommands().contains(LEConnectionUpdate.opcode))
    }

    @Test("a controller that is lost while it is asked for a connection ends that request without a failure of its own")
    func lostController() {
        let testbed = HostTestbed.started()
        testbed.controller.silent = [LECreateConnection.opcode]
        testbed.host.connect(to: self.peer)
        testbed.run()
        #expect(testbed.controller.takeCommands().last == LECreateConnection.opcode)
        testbed.forget()
        testbed.controller.fail("unplugged")
        testbed.run()
        #expect(testbed.host.initiator.pending == [])
        #expect(testbed.delegate.takeLines() == ["state failed(\"unplugged\")"])
    }

    @Test("cancelling a connection that was made meanwhile ends that link, and no other one")
    func cancelAfterConnection() throws {
        let testbed = HostTestbed.started()
        testbed.controller.connect(0x3E, peer: self.peer, role: .peripheral)
        testbed.connect(0x3F, self.other)
        testbed.connect(0x40, self.peer)
        testbed.forget()
        testbed.host.cancelConnection(to: self.peer)
        testbed.run()
        #expect(try testbed.disconnected().handle.rawValue == 0x40)
        #expect(testbed.controller.takeCommands() == [Disconnect.opcode])
        // Neither a device without a link, nor one whose link it has made itself.
        testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        testbed.run()
        for address in [self.peer, DeviceAddress(7, kind: .public)] { testbed.host.cancelConnection(to: address) }
        testbed.run()
        #expect(testbed.controller.takeCommands() == [])
    }

    @Test("a link that has ended is neither measured, nor ended again, nor asked for other parameters")
    func endedLink() throws {
        let testbed = HostTestbed.started()
        let link = try #require(testbed.acceptLink(0x40))
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        testbed.forget()
        var result: Result<RSSI?, LEHostError>?
        testbed.host.readRSSI(of: link) { result = $0 }
        testbed.host.disconnect(link)
        testbed.host.requestConnectionParameters(.initial, of: link)
        #expect(result == nil)
        testbed.run(.seconds(1))
        #expect(result == .failure(.notConnected))
        #expect(testbed.controller.takeCommands() == [] && testbed.delegate.takeLines() == [])
    }

    @Test("a value between the fragments of a frame ends that frame, and is received; one of no link is ignored")
    func valueBetweenFragments() {
        let testbed = HostTestbed.started()
        _ = testbed.acceptLink(0x40)
        testbed.forget()
        let notification: [UInt8] = [0x1B, 0x03, 0x00, 0xAA]
        func fragment(_ octets: String, _ boundary: ACLDataHeader.Boundary) {
            testbed.controller.deliver(
                .aclData(handle: ConnectionHandle(rawValue: 0x40), boundary: boundary, fragment: hex(octets))
            )
        }
        fragment("06 00 04 00 1B 05 00", .firstFlushable)
        testbed.controller.receive(0x40, channel: 4, notification)
        fragment("BB CC DD", .continuing)
        testbed.controller.receive(0x41, channel: 4, notification)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["value 3 1"])
    }

    @Test("a central sets the parameters of its link, a peripheral asks for them by L2CAP (Vol 3, Part A, 4.20)")
    func requestedParameters() throws {
        for role in [ConnectionRole.central, .peripheral] {
            let testbed = HostTestbed.started()
            var link: LinkID?
            testbed.delegate.onConnect = { link = $0.id }
            if role == .central { testbed.host.connect(to: self.peer) }
            testbed.run()
            testbed.controller.connect(0x40, peer: self.peer, role: role)
            testbed.run()
            testbed.forget()
            _ = testbed.controller.takeData()
            testbed.host.requestConnectionParameters(.initial, of: try #require(link))
            testbed.run()
            #expect(testbed.controller.takeCommands() == (role == .central ? [LEConnectionUpdate.opcode] : []))
            let frames = testbed.controller.takeData().map { Array($0.bytes.readableBytesView.dropFirst(5).prefix(5)) }
            #expect(frames == (role == .central ? [] : [[0x0C, 0x00, 0x05, 0x00, 0x12]]))
        }
    }

    @Test("the controller's question for parameters is answered for a link that there is (Vol 4, Part E, 7.8.31)")
    func parameterRequest() {
        let testbed = HostTestbed.started()
        _ = testbed.acceptLink(0x40)
        testbed.forget()
        for (handle, commands) in [(0x40, [LERemoteConnectionParameterRequestReply.opcode]), (0x41, [])] {
            testbed.controller.deliver(
                LERemoteConnectionParameterRequest(
                    handle: ConnectionHandle(rawValue: UInt16(handle)),
                    minimumInterval: ConnectionInterval(rawValue: 24),
                    maximumInterval: ConnectionInterval(rawValue: 40),
                    latency: 0,
                    supervisionTimeout: SupervisionTimeout(rawValue: 72)
                ).packet()
            )
            testbed.run()
            #expect(testbed.controller.takeCommands() == commands)
        }
    }

    @Test(
        "a link whose end the controller refuses is over; one that it does not know, for the reason of this host",
        arguments: [HCIErrorCode.unknownConnectionIdentifier, .hardwareFailure]
    )
    func refusedDisconnect(status: HCIErrorCode) throws {
        let reason = (status == .unknownConnectionIdentifier ? .remoteUserTerminated : status).rawValue
        let testbed = HostTestbed.started { $0.refused[Disconnect.opcode] = status }
        let link = try #require(testbed.acceptLink(0x40))
        _ = testbed.delegate.takeLines()
        testbed.host.disconnect(link)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["disconnected 00:00:00:00:00:40 \(reason)"])
        testbed.host.disconnect(link)
        testbed.run()
        #expect(testbed.delegate.takeLines().isEmpty)
    }

    @Test("directed advertising that ran out is enabled again")
    func directedAdvertisingRanOut() {
        let testbed = HostTestbed.started()
        testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        testbed.run()
        testbed.forget()
        testbed.controller.failConnection(.advertisingTimeout)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LESetAdvertisingEnable.opcode])
        #expect(testbed.delegate.takeLines().isEmpty)
    }

    @Test("of two starts of advertising in one turn, the first one is superseded")
    func twoStarts() {
        let testbed = HostTestbed.started()
        var ends: [String] = []
        for (name, octets) in [("first", [2, 1, 6]), ("second", [2, 1, 4])] as [(String, [UInt8])] {
            testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: octets))) { result in
                switch result {
                case .success: ends.append("\(name) started")
                case .failure(let error): ends.append("\(name) \(error == .superseded)")
                }
            }
        }
        #expect(ends.isEmpty, "nothing is called re-entrantly")
        testbed.run()
        #expect(ends == ["first true", "second started"])
    }

    @Test("each kind of advertisement says whether it can be connected to, scanned, and what it is")
    func advertisements() {
        // ADV_IND, ADV_DIRECT_IND, ADV_SCAN_IND, ADV_NONCONN_IND, SCAN_RSP (Vol 4, Part E, 7.7.65.2).
        let kinds: [(UInt8, isConnectable: Bool, isScannable: Bool, isScanResponse: Bool)] = [
            (0, true, true, false), (1, true, false, false), (2, false, true, false), (3, false, false, false),
            (4, false, false, true),
        ]
        let testbed = HostTestbed.started()
        testbed.host.startScanning(ScanParameters())
        testbed.run()
        for kind in kinds {
            let report = LEAdvertisingReport(
                eventType: .init(rawValue: kind.0),
                address: self.peer,
                data: ByteBuffer(),
                rssi: -50
            )
            testbed.controller.deliver(LEAdvertisingReports([report]).packet())
        }
        testbed.run()
        #expect(testbed.delegate.reports.map(\.isConnectable) == kinds.map(\.isConnectable))
        #expect(testbed.delegate.reports.map(\.isScannable) == kinds.map(\.isScannable))
        #expect(testbed.delegate.reports.map(\.isScanResponse) == kinds.map(\.isScanResponse))
        // Nothing is reported to a user who does not want it any more.
        testbed.host.stopScanning()
        testbed.controller.deliver(
            LEAdvertisingReports([
                LEAdvertisingReport(eventType: .scanResponse, address: self.peer, data: ByteBuffer(), rssi: nil)
            ]).packet()
        )
        testbed.run()
        #expect(testbed.delegate.reports.count == 5)
    }

    @Test("a link whose end is not reported is over 35 s after the controller has taken the command, not before")
    func endNotReported() throws {
        let testbed = HostTestbed.started()
        let link = try #require(testbed.acceptLink(0x40))
        let other = try #require(testbed.acceptLink(0x41))
        testbed.run(.seconds(3))
        testbed.host.disconnect(link)
        testbed.host.disconnect(link)
        testbed.run()
        #expect(testbed.controller.takeCommands().filter { $0 == Disconnect.opcode }.count == 1)
        testbed.run(.seconds(10))
        testbed.host.disconnect(other)
        testbed.run(.seconds(25) - .nanoseconds(1))
        #expect(testbed.host.links.map(\.id) == [link, other])
        testbed.run(.nanoseconds(1))
        #expect(testbed.host.links.map(\.id) == [other])
        testbed.run(.seconds(10) - .nanoseconds(1))
        #expect(testbed.host.links.map(\.id) == [other])
        testbed.run(.nanoseconds(1))
        #expect(testbed.host.links.isEmpty)
        // An end that is reported late is that of no link.
        _ = testbed.delegate.takeLines()
        testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        testbed.run()
        #expect(testbed.delegate.takeLines().isEmpty && testbed.host.state == .ready)
    }
}
