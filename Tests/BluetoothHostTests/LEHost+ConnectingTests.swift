// Attempts to connect that end in each way, controllers that cannot scan and initiate at the same time, devices that
// have to be heard before they are initiated to, and what is reported of advertisers.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: attempts to connect")
struct LEHostConnectingTests {
    private let first = DeviceAddress(0xC000_0000_0001, kind: .random)
    private let second = DeviceAddress(0xC000_0000_0002, kind: .random)

    // MARK: The end of an attempt

    @Test("Create Connection that is disallowed while nothing is scanned fails its device")
    func disallowedWithoutScan() {
        let testbed = HostTestbed.started { $0.refused[LECreateConnection.opcode] = .commandDisallowed }
        testbed.host.connect(to: self.first)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["failed \(self.first) 12"])
        #expect(testbed.host.initiator.pending == [] && testbed.host.connectionParameters.isEmpty)
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode])
    }

    @Test("Create Connection that is refused beside a scan for another reason fails its device, and the scan goes on")
    func refusedBesideScan() {
        let testbed = HostTestbed.started { $0.refused[LECreateConnection.opcode] = .connectionLimitExceeded }
        testbed.host.startScanning(ScanParameters())
        testbed.run()
        testbed.forget()
        testbed.host.connect(to: self.first)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["failed \(self.first) 9"])
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode])
        #expect(testbed.host.connectionParameters.isEmpty)
    }

    @Test("An attempt that the controller ends with an error fails its devices, and a refused scan is tried again")
    func failedAttempt() {
        let testbed = HostTestbed.started()
        testbed.host.connect(to: self.first)
        testbed.host.connect(to: self.second)
        testbed.run()
        testbed.controller.refused[LESetScanParameters.opcode] = .commandDisallowed
        testbed.host.startScanning(ScanParameters())
        testbed.run()
        testbed.forget()
        testbed.controller.refused = [:]
        testbed.controller.failConnection(.connectionFailedToBeEstablished)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["failed \(self.first) 62", "failed \(self.second) 62"])
        #expect(testbed.host.initiator.pending == [] && testbed.host.connectionParameters.isEmpty)
        #expect(testbed.controller.takeCommands() == [LESetScanParameters.opcode, LESetScanEnable.opcode])
    }

    @Test("A scan that was refused is tried again when a link begins in either role, and not before")
    func scanAfterLinkBegins() {
        for role in [ConnectionRole.central, .peripheral] {
            let testbed = HostTestbed.started { $0.refused[LESetScanParameters.opcode] = .commandDisallowed }
            testbed.host.startScanning(ScanParameters())
            if role == .central { testbed.host.connect(to: self.first) }
            testbed.run()
            testbed.controller.refused = [:]
            testbed.forget()
            testbed.run(.seconds(5))
            #expect(testbed.controller.takeCommands() == [])
            testbed.controller.connect(0x40, peer: self.first, role: role)
            testbed.run()
            #expect(testbed.controller.takeCommands() == [LESetScanParameters.opcode, LESetScanEnable.opcode])
        }
    }

    @Test("The event that ends a cancelled attempt is awaited for the time of a command, from its answer on")
    func awaitedEnd() {
        let testbed = HostTestbed(LEHostConfiguration(commandTimeout: .seconds(5)))
        testbed.start()
        testbed.host.connect(to: self.first)
        testbed.run(.seconds(1))
        #expect(testbed.host.stopConnecting(to: self.first))
        testbed.run()
        #expect(testbed.host.cancelDeadline == .uptimeNanoseconds(6_000_000_000))
        testbed.run(.seconds(5) - .nanoseconds(1))
        #expect(testbed.host.initiator.awaitsEnd)
        testbed.run(.nanoseconds(1))
        #expect(!testbed.host.initiator.awaitsEnd && testbed.host.initiator.isIdle)
        #expect(testbed.host.cancelDeadline == nil)
    }

    @Test("A cancelled attempt that ends with its event, with a link, or whose cancel is refused is not awaited")
    func notAwaitedEnd() {
        for end in ["event", "link", "refused"] {
            let testbed = HostTestbed.started()
            testbed.host.connect(to: self.first)
            testbed.run()
            if end == "refused" { testbed.controller.refused[LECreateConnectionCancel.opcode] = .commandDisallowed }
            testbed.host.stopConnecting(to: self.first)
            testbed.run()
            #expect((testbed.host.cancelDeadline == nil) == (end == "refused"), "\(end)")
            switch end {
            case "event": testbed.controller.failConnection(.unknownConnectionIdentifier)
            case "link": testbed.controller.connect(0x40, peer: self.first, role: .central)
            default: break
            }
            testbed.run()
            #expect(testbed.host.cancelDeadline == nil && testbed.host.initiator.isIdle, "\(end)")
            #expect(testbed.host.links.count == (end == "link" ? 1 : 0), "\(end)")
        }
    }

    @Test("A link that a peer makes does not end the wait for the end of a cancelled attempt")
    func peripheralLinkMeanwhile() {
        let testbed = HostTestbed.started()
        testbed.host.connect(to: self.first)
        testbed.run()
        testbed.host.stopConnecting(to: self.first)
        testbed.run()
        testbed.controller.connect(0x40, peer: self.second, role: .peripheral)
        testbed.run()
        #expect(testbed.host.cancelDeadline != nil && testbed.host.initiator.awaitsEnd)
    }

    // MARK: One radio

    @Test("A controller that cannot scan and initiate at once scans again when no connection is pending any more")
    func scanAfterAll() {
        let testbed = HostTestbed.started()
        testbed.controller.scansOrInitiates()
        testbed.host.startScanning(ScanParameters())
        testbed.run()
        testbed.host.connect(to: self.first)
        testbed.host.connect(to: self.second)
        testbed.run()
        testbed.forget()
        testbed.controller.connect(0x40, peer: self.first, role: .central)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode])
        #expect(testbed.delegate.takeLines() == ["connected \(self.first) central"])
        testbed.controller.connect(0x41, peer: self.second, role: .central)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LESetScanParameters.opcode, LESetScanEnable.opcode])
        // It is not paused any more: the next attempt begins with another refusal.
        testbed.host.connect(to: DeviceAddress(7, kind: .public))
        testbed.run()
        #expect(
            testbed.controller.takeCommands() == [
                LECreateConnection.opcode, LESetScanEnable.opcode, LECreateConnection.opcode,
            ]
        )
        testbed.host.stopConnecting(to: DeviceAddress(7, kind: .public))
        testbed.run()
        #expect(
            testbed.controller.takeCommands() == [
                LECreateConnectionCancel.opcode, LESetScanParameters.opcode, LESetScanEnable.opcode,
            ]
        )
    }

    // MARK: Devices that are heard first

    private static func report(
        _ address: DeviceAddress,
        _ type: LEAdvertisingReport.EventType = .connectableUndirected
    ) -> HCIPacket {
        LEAdvertisingReports([
            LEAdvertisingReport(eventType: type, address: address, data: hex("02 01 06"), rssi: -40)
        ]).packet()
    }

    private static func extendedReport(
        _ address: DeviceAddress,
        _ type: LEExtendedAdvertisingReport.EventType
    ) -> HCIPacket {
        LEExtendedAdvertisingReports([
            LEExtendedAdvertisingReport(eventType: type, address: address, rssi: -40, data: hex("02 01 06"))
        ]).packet()
    }

    /// A host whose controller has no resolving list, and that waits for a bonded peer.
    private func waiting(
        _ parameters: ConnectionParameters = .initial,
        scans: Bool = false
    ) -> HostTestbed {
        let testbed = HostTestbed.started()
        testbed.controller.scansOrInitiates()
        testbed.host.bondedPeers = [PrivateHost.peer]
        if scans { testbed.host.startScanning(ScanParameters()) }
        testbed.host.connect(to: PrivateHost.peer.address, parameters: parameters)
        testbed.run()
        testbed.forget()
        return testbed
    }

    @Test("A device that is heard is initiated to for 5 s; then it has to be heard again, also on one radio")
    func heardAgain() {
        let testbed = self.waiting(scans: true)
        let address = PrivateHost.peerAddress()
        testbed.controller.deliver(Self.report(address))
        testbed.run()
        #expect(
            testbed.controller.takeCommands() == [
                LECreateConnection.opcode, LESetScanEnable.opcode, LECreateConnection.opcode,
            ]
        )
        #expect(testbed.controller.createdPeers.last == address)
        testbed.run(.seconds(5) - .nanoseconds(1))
        #expect(testbed.controller.takeCommands() == [])
        testbed.run(.nanoseconds(1))
        #expect(
            testbed.controller.takeCommands() == [
                LECreateConnectionCancel.opcode, LESetScanParameters.opcode, LESetScanEnable.opcode,
            ]
        )
        #expect(testbed.host.attemptDeadline == nil)
    }

    @Test("The parameters that were asked for a device are those of the attempt under the address that it has")
    func parametersOfHeard() throws {
        let slow = ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: 80),
            maximumInterval: ConnectionInterval(rawValue: 80),
            supervisionTimeout: SupervisionTimeout(rawValue: 400)
        )
        let testbed = self.waiting(slow)
        let address = PrivateHost.peerAddress()
        testbed.controller.deliver(Self.report(address))
        testbed.run()
        let command = try testbed.controller.last(LECreateConnection.self)
        #expect(command.peer == address && command.parameters == slow && command.filterPolicy.rawValue == 0)
        #expect(testbed.host.attemptDeadline != nil)
        testbed.forget()
        testbed.controller.connect(0x40, peer: address, role: .central, interval: ConnectionInterval(rawValue: 80))
        testbed.run()
        #expect(testbed.host.attemptDeadline == nil && testbed.host.connectionParameters.isEmpty)
        #expect(testbed.controller.takeCommands() == [], "the link has what was asked for")
        #expect(testbed.delegate.takeLines() == ["connected \(PrivateHost.peer.address) central"])
    }

    @Test("A device that advertises without being connectable is heard, and not initiated to")
    func notConnectable() {
        let silent: [HCIPacket] = [
            Self.report(PrivateHost.peerAddress(), .scannableUndirected),
            Self.report(PrivateHost.peerAddress(), .nonConnectableUndirected),
            Self.report(PrivateHost.peerAddress(), .scanResponse),
            Self.extendedReport(PrivateHost.peerAddress(), .scannable),
        ]
        let connectable: [HCIPacket] = [
            Self.report(PrivateHost.peerAddress()), Self.report(PrivateHost.peerAddress(), .connectableDirected),
            Self.extendedReport(PrivateHost.peerAddress(), .connectable),
        ]
        for (packets, isInitiated) in [(silent, false), (connectable, true)] {
            for packet in packets {
                let testbed = self.waiting()
                testbed.controller.deliver(packet)
                testbed.run()
                #expect(testbed.controller.takeCommands().contains(LECreateConnection.opcode) == isInitiated)
                #expect((testbed.host.attemptDeadline != nil) == isInitiated)
                #expect(testbed.delegate.takeLines() == [], "the user does not scan")
            }
        }
    }

    @Test("A host that waits for a device scans for it passively and without a duplicate filter")
    func scanForDevice() throws {
        let testbed = HostTestbed.started()
        testbed.host.bondedPeers = [PrivateHost.peer]
        testbed.host.connect(to: PrivateHost.peer.address)
        testbed.run()
        #expect(try testbed.controller.last(LESetScanParameters.self).type.rawValue == 0)
        let enable = try testbed.controller.last(LESetScanEnable.self)
        #expect(enable.isEnabled && enable.filterDuplicates.rawValue == 0)
    }

    // MARK: Reports

    @Test("An extended report says of an advertiser what it is, on which PHYs, and whether its data is whole")
    func extendedReports() {
        typealias EventType = LEExtendedAdvertisingReport.EventType
        let testbed = HostTestbed.started()
        testbed.host.startScanning(ScanParameters())
        testbed.run()
        var truncated: EventType = [.scannable, .scanResponse]
        truncated.dataStatus = .truncated
        for (type, primary, secondary) in [
            (truncated, PHY.leCoded, PHY.leCoded), ([.connectable], .le1M, nil), ([], .le1M, .le2M),
        ] as [(EventType, PHY, PHY?)] {
            let report = LEExtendedAdvertisingReport(
                eventType: type,
                address: self.first,
                primaryPHY: primary,
                secondaryPHY: secondary,
                rssi: -70,
                data: hex("02 01 06")
            )
            testbed.controller.deliver(LEExtendedAdvertisingReports([report]).packet())
        }
        testbed.run()
        let reports = testbed.delegate.reports
        #expect(reports.map(\.isConnectable) == [false, true, false])
        #expect(reports.map(\.isScannable) == [true, false, false])
        #expect(reports.map(\.isScanResponse) == [true, false, false])
        #expect(reports.map(\.isTruncated) == [true, false, false])
        #expect(reports.map(\.primaryPHY) == [.leCoded, .le1M, .le1M])
        #expect(reports.map(\.secondaryPHY) == [.leCoded, nil, .le2M])
        #expect(reports.allSatisfy { $0.rssi == RSSI(rawValue: -70) && $0.address == self.first })
        testbed.host.stopScanning()
        testbed.run()
        testbed.controller.deliver(Self.extendedReport(self.first, .connectable))
        testbed.run()
        #expect(testbed.delegate.reports.count == 3, "nobody scans any more")
    }

    @Test("A report of a legacy advertiser has its data and strength, one PHY, and is never truncated")
    func legacyReport() {
        let testbed = HostTestbed.started()
        testbed.host.startScanning(ScanParameters())
        testbed.run()
        testbed.controller.deliver(Self.report(self.first))
        testbed.run()
        #expect(
            testbed.delegate.reports == [
                AdvertisingReport(
                    address: self.first,
                    isConnectable: true,
                    isScannable: true,
                    isScanResponse: false,
                    isTruncated: false,
                    data: hex("02 01 06"),
                    rssi: -40,
                    primaryPHY: .le1M,
                    secondaryPHY: nil
                )
            ]
        )
    }
}
