// Reports that come before a scan, or of which a part came in front of its end, and those of advertisers without an
// address.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: reports around a scan")
struct LEHostStoppedScanTests {
    private static let advertiser = DeviceAddress(0xC000_0000_0001, kind: .random)

    /// A part of an advertisement.
    private static func part(_ data: String, isLast: Bool, of address: DeviceAddress? = advertiser) -> HCIPacket {
        var type: LEExtendedAdvertisingReport.EventType = .connectable
        type.dataStatus = isLast ? .complete : .incomplete
        let report = LEExtendedAdvertisingReport(
            eventType: type,
            address: address,
            secondaryPHY: .le2M,
            setIdentifier: 1,
            rssi: -50,
            data: hex(data)
        )
        return LEExtendedAdvertisingReports([report]).packet()
    }

    private static func scan(_ testbed: HostTestbed) {
        testbed.host.startScanning(ScanParameters())
        testbed.run()
    }

    private static func deliver(_ packet: HCIPacket, _ testbed: HostTestbed) {
        testbed.controller.deliver(packet)
        testbed.run()
    }

    @Test("The part of an advertisement that came before a scan ended is not joined to what the next scan receives")
    func partOfEarlierScan() {
        for isStopped in [true, false] {
            let testbed = HostTestbed.started()
            Self.scan(testbed)
            Self.deliver(Self.part("02 01 06", isLast: false), testbed)
            if isStopped {
                testbed.host.stopScanning()
                testbed.run()
            }
            // Where it was not stopped it begins anew, with an end in between.
            Self.scan(testbed)
            Self.deliver(Self.part("03 09 48 69", isLast: true), testbed)
            #expect(testbed.delegate.reports.map(\.data) == [hex("03 09 48 69")], "\(isStopped)")
        }
    }

    @Test("The part of an advertisement that comes while nothing is scanned is not joined to what is received later")
    func partWithoutScan() {
        let testbed = HostTestbed.started()
        Self.deliver(Self.part("02 01 06", isLast: false), testbed)
        Self.scan(testbed)
        Self.deliver(Self.part("03 09 48 69", isLast: true), testbed)
        #expect(testbed.delegate.reports.map(\.data) == [hex("03 09 48 69")])
    }

    @Test("An advertiser without an address takes the place of none of the 32 whose parts are collected")
    func anonymous() {
        let testbed = HostTestbed.started()
        Self.scan(testbed)
        for number in 1...32 as ClosedRange<UInt64> {
            let address = DeviceAddress(0xC000_0000_0000 | number, kind: .random)
            Self.deliver(Self.part("02 01 06", isLast: false, of: address), testbed)
        }
        Self.deliver(Self.part("02 01 04", isLast: false, of: nil), testbed)
        Self.deliver(Self.part("03 09 48 69", isLast: true, of: nil), testbed)
        #expect(testbed.delegate.reports.isEmpty)
        Self.deliver(Self.part("03 09 48 69", isLast: true), testbed)
        #expect(testbed.delegate.reports.map(\.data) == [hex("02 01 06 03 09 48 69")])
        #expect(testbed.delegate.reports.map(\.isTruncated) == [false])
    }

    @Test("A report that comes while nothing is scanned begins no attempt to connect")
    func reportWithoutScan() {
        let device = PrivateHost(nil, hasList: false)
        device.host.bondedPeers = [PrivateHost.peer]
        device.testbed.run()
        _ = device.takeSteps()
        // It is on its way when the user asks for the connection.
        device.testbed.controller.deliver(
            LEAdvertisingReports([
                LEAdvertisingReport(
                    eventType: .connectableUndirected,
                    address: PrivateHost.peerAddress(),
                    data: hex("02 01 06"),
                    rssi: -40
                )
            ]).packet()
        )
        device.host.connect(to: PrivateHost.peer.address)
        device.testbed.run()
        #expect(device.takeSteps() == ["scan as 1", "scanning"])
        #expect(device.testbed.host.attemptDeadline == nil)
    }
}
