// What HCI Reset ends in a controller (Vol 4, Part E, 7.3.2): each of its roles, and each thing that its host has set.
// The device stays where it is, and so does what carries packets to its host.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("HCI Reset")
struct ResetTests {
    private let testbed = AirTestbed()

    private func reset(_ host: TestHost) {
        host.setUp(leEvents: TestHost.usualEvents)
        host.events = []
    }

    @Test("an advertiser is not heard any more, and may advertise again")
    func advertising() {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        advertiser.advertise()
        scanner.scan()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.reports.isEmpty)
        self.reset(advertiser)
        scanner.events = []
        self.testbed.pass(.seconds(5))
        #expect(scanner.events.isEmpty && advertiser.events.isEmpty)
        advertiser.advertise()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.reports.isEmpty)
    }

    @Test("an advertising set is gone, and the legacy commands are allowed again")
    func advertisingSets() {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        let handle = AdvertisingHandle(rawValue: 1)
        advertiser.ok(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: handle,
                properties: [.legacy, .connectable, .scannable],
                minimumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
                maximumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
                txPower: 0,
                setIdentifier: 1
            )
        )
        advertiser.ok(
            LESetExtendedAdvertisingEnable(
                isEnabled: true,
                sets: [.init(handle: handle, duration: AdvertisingDuration(rawValue: 0), maximumEvents: 0)]
            )
        )
        scanner.scan()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.reports.isEmpty)
        self.reset(advertiser)
        scanner.events = []
        self.testbed.pass(.seconds(5))
        #expect(scanner.events.isEmpty)
        advertiser.advertise()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.reports.isEmpty)
    }

    @Test("a scanner hears nothing any more, and may scan again", arguments: [false, true])
    func scanning(isExtended: Bool) {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        advertiser.advertise()
        func scan() {
            guard isExtended else { return scanner.scan() }
            let channel = LESetExtendedScanParameters.PHYParameters(
                type: .passive,
                interval: ExtendedScanInterval(rawValue: 0x10),
                window: ExtendedScanInterval(rawValue: 0x10)
            )
            scanner.ok(LESetExtendedScanParameters(ownAddressType: .public, filterPolicy: .all, le1M: channel))
            // 3 s.
            scanner.ok(
                LESetExtendedScanEnable(
                    isEnabled: true,
                    filterDuplicates: .off,
                    duration: AdvertisingDuration(rawValue: 300),
                    period: ScanPeriod(rawValue: 0)
                )
            )
        }
        scan()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.events.isEmpty)
        self.reset(scanner)
        self.testbed.pass(.seconds(5))
        #expect(scanner.events.isEmpty)
        scan()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.events.isEmpty)
    }

    @Test("an initiator connects to nobody, and may initiate again")
    func initiating() {
        let (central, peripheral) = (self.testbed.host(), self.testbed.host())
        let command = TestHost.createConnection(to: peripheral.controller.address)
        central.ok(command)
        self.reset(central)
        peripheral.advertise()
        self.testbed.pass(.seconds(2))
        #expect(central.events.isEmpty && peripheral.events.isEmpty)
        #expect(central.controller.linkCount == 0 && peripheral.controller.linkCount == 0)
        central.ok(command)
        self.testbed.pass(.seconds(1))
        #expect(central.take(LEConnectionComplete.self)?.status == .success)
        #expect(central.controller.linkCount == 1 && peripheral.controller.linkCount == 1)
    }

    @Test("the filter accept list is empty")
    func acceptList() {
        let (central, peripheral) = (self.testbed.host(), self.testbed.host())
        central.ok(LEAddDeviceToFilterAcceptList(entry: .device(peripheral.controller.address)))
        self.reset(central)
        peripheral.advertise()
        central.ok(TestHost.createConnection(to: .none, filterPolicy: .acceptList))
        self.testbed.pass(.seconds(1))
        #expect(central.events.isEmpty && central.controller.linkCount == 0)
    }

    @Test("the host's buffers are not limited any more, and it has not said how many there are")
    func flowControl() throws {
        let peripheral = self.testbed.host()
        peripheral.ok(HostBufferSize(aclDataPacketLength: 251, aclDataPacketCount: 2))
        peripheral.ok(SetControllerToHostFlowControl(mode: .acl))
        self.reset(peripheral)
        let link = try TestLink(self.testbed, peripheral: peripheral)
        for value in 0..<6 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
        self.testbed.loop.run()
        #expect(peripheral.data.count == 6)
        self.reset(peripheral)
        peripheral.refused(SetControllerToHostFlowControl(mode: .acl), .commandDisallowed)
    }

    @Test("the device stays where it is, and what carries packets to its host is as full as it was")
    func device() {
        let host = self.testbed.host()
        host.controller.distance = .metres(7)
        for isWritable in [false, true] {
            host.controller.isHostWritable = isWritable
            self.reset(host)
            #expect(host.controller.isHostWritable == isWritable)
            #expect(host.controller.distance == .metres(7))
        }
    }
}
