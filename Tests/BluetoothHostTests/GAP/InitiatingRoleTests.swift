// Pending connections: all outcomes of attempts, one radio for scanning and initiating, and devices that have to be
// heard first.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: pending connections")
struct LEHostGAPConnectingTests {
    private let first = HostTestbed.peers[0]
    private let second = HostTestbed.peers[1]
    private static let slow = ConnectionParameters(
        minimumInterval: ConnectionInterval(rawValue: 80),
        maximumInterval: ConnectionInterval(rawValue: 90),
        latency: 3,
        supervisionTimeout: SupervisionTimeout(rawValue: 400)
    )

    @Test("initiates to one device directly, and to several by the accept list with the parameters of the first one")
    func createConnection() throws {
        let testbed = HostTestbed.started()
        testbed.host.connect(to: self.first, parameters: Self.slow)
        testbed.run()
        var command = try testbed.controller.last(LECreateConnection.self)
        #expect(command.filterPolicy.rawValue == 0 && command.peer == self.first && command.parameters == Self.slow)
        // 30 ms, in units of 0.625 ms: the radio listens all the time.
        #expect(command.scanInterval.rawValue == 48 && command.scanWindow.rawValue == 48)
        testbed.controller.scansOrInitiates()
        testbed.host.connect(to: self.second)
        testbed.run()
        command = try testbed.controller.last(LECreateConnection.self)
        #expect(
            command.filterPolicy.rawValue == 1 && command.peer == DeviceAddress.none && command.parameters == Self.slow
        )
        testbed.host.stopConnecting(to: self.first)
        testbed.run()
        command = try testbed.controller.last(LECreateConnection.self)
        // 30 ms without latency, and 720 ms, as Apple's devices begin.
        #expect(command.peer == self.second && command.parameters.minimumInterval.rawValue == 24)
        #expect(command.parameters.maximumInterval.rawValue == 24 && command.parameters.latency == 0)
        #expect(command.parameters.supervisionTimeout.rawValue == 72)
    }

    @Test("stops a pending connection, returns that it was pending, and keeps a link that was opened first")
    func stopConnecting() {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, self.first)
        testbed.host.connect(to: self.second)
        testbed.run()
        testbed.forget()
        #expect(!testbed.host.stopConnecting(to: self.first))
        testbed.run()
        #expect(testbed.controller.takeCommands() == [])
        #expect(testbed.host.stopConnecting(to: self.second))
        #expect(!testbed.host.stopConnecting(to: self.second))
        #expect(!testbed.host.radio.initiating.isConnecting(to: self.second))
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LECreateConnectionCancel.opcode])
        #expect(testbed.host.links.map(\.peer) == [self.first])
    }

    @Test("ends the link of a cancelled connection that was opened meanwhile, and no other link")
    func cancelAfterConnection() throws {
        let testbed = HostTestbed.started()
        testbed.controller.connect(0x3E, peer: self.first, role: .peripheral)
        testbed.connect(0x3F, self.second)
        testbed.connect(0x40, self.first)
        testbed.forget()
        testbed.host.cancelConnection(to: self.first)
        testbed.run()
        #expect(try testbed.disconnected().handle.rawValue == 0x40)
        #expect(testbed.controller.takeCommands() == [Disconnect.opcode])
        // Neither a device without a link, nor one that has opened its link itself.
        testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        testbed.run()
        for address in [self.first, DeviceAddress(7, kind: .public)] { testbed.host.cancelConnection(to: address) }
        testbed.run()
        #expect(testbed.controller.takeCommands() == [])
    }

    @Test("keeps a connection pending if the device connects to this one")
    func crossing() {
        let testbed = HostTestbed.started()
        testbed.host.connect(to: self.first, parameters: Self.slow)
        testbed.run()
        testbed.forget()
        testbed.controller.connect(0x40, peer: self.first, role: .peripheral)
        testbed.run()
        #expect(testbed.host.radio.initiating.pending == [self.first] && testbed.controller.takeCommands() == [])
        // In the end its link has the requested parameters.
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.controller.connect(0x41, peer: self.first, role: .central)
        testbed.run()
        #expect(testbed.host.radio.initiating.pending == [])
        #expect(testbed.controller.takeCommands().contains(LEConnectionUpdate.opcode))
    }

    // MARK: The end of an attempt

    @Test(
        "fails the device of a refused attempt",
        arguments: [HCIErrorCode.commandDisallowed, .connectionLimitExceeded]
    )
    func refused(status: HCIErrorCode) {
        let testbed = HostTestbed.started { $0.refused[LECreateConnection.opcode] = status }
        testbed.run()
        testbed.forget()
        testbed.host.connect(to: self.first)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["failed \(self.first) \(status.rawValue)"])
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode])
        #expect(testbed.host.radio.initiating.pending == [])
    }

    @Test(
        "stops waiting for the end of a cancelled attempt with its event, a link, or a refused cancel",
        arguments: ["event", "link", "refused"]
    )
    func notAwaitedEnd(end: String) {
        let testbed = HostTestbed.started()
        testbed.host.connect(to: self.first)
        testbed.run()
        if end == "refused" { testbed.controller.refused[LECreateConnectionCancel.opcode] = .commandDisallowed }
        testbed.host.stopConnecting(to: self.first)
        testbed.run()
        #expect((testbed.host.radio.initiating.deadline == nil) == (end == "refused"))
        // A link that a peer opens is not the end of the attempt.
        testbed.controller.connect(0x41, peer: self.second, role: .peripheral)
        testbed.run()
        #expect((testbed.host.radio.initiating.deadline == nil) == (end == "refused"))
        switch end {
        case "event": testbed.controller.failConnection(.unknownConnectionIdentifier)
        case "link": testbed.controller.connect(0x40, peer: self.first, role: .central)
        default: break
        }
        testbed.run()
        #expect(testbed.host.radio.initiating.deadline == nil && testbed.host.radio.initiating.isIdle)
        #expect(testbed.host.links.count == (end == "link" ? 2 : 1))
    }

    // MARK: Devices that are heard first

    /// A host that waits for a bonded peer, on a controller without a resolving list.
    private func waiting(_ parameters: ConnectionParameters = .initial) -> HostTestbed {
        let testbed = HostTestbed.started(LEHostConfiguration(commandTimeout: .seconds(20)))
        testbed.controller.scansOrInitiates()
        testbed.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
        testbed.host.connect(to: PrivateHost.peer.address, parameters: parameters)
        testbed.run()
        testbed.forget()
        return testbed
    }

    @Test("scans passively and without a duplicate filter, initiates to a heard device for 5 s, then scans again")
    func heardAgain() throws {
        let testbed = self.waiting()
        #expect(try testbed.controller.last(LESetScanParameters.self).type.rawValue == 0)
        let enable = try testbed.controller.last(LESetScanEnable.self)
        #expect(enable.isEnabled && enable.filterDuplicates.rawValue == 0)
        let address = PrivateHost.peerAddress()
        testbed.report(address)
        #expect(testbed.controller.takeCommands() == [LESetScanEnable.opcode, LECreateConnection.opcode])
        #expect(testbed.controller.createdPeers.last == address)
        testbed.run(.seconds(5) - .nanoseconds(1))
        #expect(testbed.controller.takeCommands() == [])
        testbed.run(.nanoseconds(1))
        #expect(
            testbed.controller.takeCommands() == [
                LESetScanParameters.opcode, LECreateConnectionCancel.opcode, LESetScanEnable.opcode,
            ]
        )
        #expect(testbed.host.radio.initiating.deadline == nil)
    }

    @Test("initiates to a heard device at its current address with the parameters of the request")
    func parametersOfHeard() throws {
        let testbed = self.waiting(Self.slow)
        let address = PrivateHost.peerAddress()
        testbed.report(address)
        let command = try testbed.controller.last(LECreateConnection.self)
        #expect(command.peer == address && command.parameters == Self.slow && command.filterPolicy.rawValue == 0)
        #expect(testbed.host.radio.initiating.deadline != nil)
        testbed.forget()
        testbed.controller.connect(0x40, peer: address, role: .central, interval: Self.slow.minimumInterval)
        testbed.run()
        #expect(testbed.host.radio.initiating.deadline == nil)
        #expect(testbed.controller.takeCommands() == [], "the link has the requested parameters")
        #expect(testbed.delegate.takeLines() == ["connected \(PrivateHost.peer.address) central"])
    }

    @Test(
        "initiates to a heard device only if it is connectable, and reports nothing to a user who does not scan",
        arguments: [
            (.scannableUndirected, false), (.nonConnectableUndirected, false), (.scanResponse, false),
            (.connectableUndirected, true), (.connectableDirected, true),
        ] as [(LEAdvertisingReport.EventType, Bool)]
    )
    func connectable(type: LEAdvertisingReport.EventType, isInitiated: Bool) {
        let testbed = self.waiting()
        testbed.report(PrivateHost.peerAddress(), type)
        #expect(testbed.controller.takeCommands().contains(LECreateConnection.opcode) == isInitiated)
        #expect((testbed.host.radio.initiating.deadline != nil) == isInitiated)
        #expect(testbed.delegate.takeLines() == [])
    }

    @Test("does not initiate after a report that came before the scan for the device")
    func reportBeforeScan() {
        let testbed = HostTestbed.started()
        testbed.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
        testbed.run()
        let report = LEAdvertisingReport(
            eventType: .connectableUndirected,
            address: PrivateHost.peerAddress(),
            data: hex("02 01 06"),
            rssi: -40
        )
        // It is in transit when the user requests the connection.
        testbed.controller.deliver(LEAdvertisingReports.packet(report))
        testbed.host.connect(to: PrivateHost.peer.address)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LESetScanParameters.opcode, LESetScanEnable.opcode])
        #expect(testbed.host.radio.initiating.deadline == nil)
    }
}
