// The advertising reports of a scanning host.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: advertising reports")
struct LEHostGAPReportsTests {
    private static let advertiser = HostTestbed.peers[0]

    private static func scanning() -> HostTestbed {
        let testbed = HostTestbed.started()
        testbed.host.startScanning(ScanParameters())
        testbed.run()
        return testbed
    }

    /// The only report: whether it is connectable, scannable and a scan response.
    private static func expect(
        _ kind: [Bool],
        _ primary: PHY = .le1M,
        _ secondary: PHY? = nil,
        of packet: HCIPacket
    ) {
        let testbed = Self.scanning()
        testbed.deliver(packet)
        #expect(
            testbed.delegate.reports == [
                AdvertisingReport(
                    address: Self.advertiser,
                    isConnectable: kind[0],
                    isScannable: kind[1],
                    isScanResponse: kind[2],
                    data: hex("02 01 06"),
                    rssi: -40,
                    primaryPHY: primary,
                    secondaryPHY: secondary
                )
            ]
        )
        testbed.host.stopScanning()
        testbed.deliver(packet)
        #expect(testbed.delegate.reports.count == 1, "the user does not scan")
    }

    @Test(
        "reports the kind of a legacy advertiser (Vol 4, Part E, 7.7.65.2)",
        arguments: [
            (0, [true, true, false]), (1, [true, false, false]), (2, [false, true, false]),
            (3, [false, false, false]), (4, [false, false, true]),
        ] as [(UInt8, [Bool])]
    )
    func legacyReports(type: UInt8, kind: [Bool]) {
        let type = LEAdvertisingReport.EventType(rawValue: type)
        let report = LEAdvertisingReport(eventType: type, address: Self.advertiser, data: hex("02 01 06"), rssi: -40)
        Self.expect(kind, of: LEAdvertisingReports.packet(report))
    }

    @Test(
        "reports the kind and the PHYs of an extended advertiser, even if its data is truncated",
        arguments: [
            ([.scannable, .scanResponse], .truncated, .leCoded, .leCoded, [false, true, true]),
            (.connectable, .complete, .le1M, nil, [true, false, false]),
            ([], .complete, .le1M, .le2M, [false, false, false]),
        ] as [(LEExtendedAdvertisingReport.EventType, LEExtendedAdvertisingReport.DataStatus, PHY, PHY?, [Bool])]
    )
    func extendedReports(
        type: LEExtendedAdvertisingReport.EventType,
        status: LEExtendedAdvertisingReport.DataStatus,
        primary: PHY,
        secondary: PHY?,
        kind: [Bool]
    ) {
        var type = type
        type.dataStatus = status
        let report = LEExtendedAdvertisingReport(
            eventType: type,
            address: Self.advertiser,
            primaryPHY: primary,
            secondaryPHY: secondary,
            rssi: -40,
            data: hex("02 01 06")
        )
        Self.expect(kind, primary, secondary, of: LEExtendedAdvertisingReports([report]).packet())
    }

    // MARK: Fragments

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

    @Test(
        "does not join fragments across scans or controllers",
        arguments: ["no scan", "stopped", "restarted", "controller"]
    )
    func earlierFragment(before: String) {
        let testbed = before == "no scan" ? HostTestbed.started() : Self.scanning()
        testbed.deliver(Self.part("02 01 06", isLast: false))
        var controller = testbed.controller
        switch before {
        case "stopped":
            testbed.host.stopScanning()
            testbed.run()
        case "controller":
            controller = ScriptedController(eventLoop: testbed.loop)
            testbed.host.detach()
            testbed.host.attach(to: controller)
            testbed.run()
        default: break
        }
        testbed.host.startScanning(ScanParameters())
        testbed.run()
        controller.deliver(Self.part("03 09 48 69", isLast: true))
        testbed.run()
        #expect(testbed.delegate.reports.map(\.data) == [hex("03 09 48 69")])
    }

    @Test("keeps the fragments of 32 advertisers, regardless of anonymous advertisers")
    func anonymous() {
        let testbed = Self.scanning()
        for number in 1...32 as ClosedRange<UInt64> {
            let address = DeviceAddress(0xC000_0000_0000 | number, kind: .random)
            testbed.deliver(Self.part("02 01 06", isLast: false, of: address))
        }
        testbed.deliver(Self.part("02 01 04", isLast: false, of: nil))
        testbed.deliver(Self.part("03 09 48 69", isLast: true, of: nil))
        #expect(testbed.delegate.reports.isEmpty)
        testbed.deliver(Self.part("03 09 48 69", isLast: true))
        #expect(testbed.delegate.reports.map(\.data) == [hex("02 01 06 03 09 48 69")])
    }
}
