// What a virtual controller does when its host takes no more: data of peers is not acknowledged, the link stays, other
// links go on, and advertisements are lost.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Capacity of the host")
struct HostCapacityTests {
    /// A host that takes `count` packets at a time.
    private func limitedHost(_ testbed: AirTestbed, _ count: UInt16) -> TestHost {
        let host = testbed.host()
        host.ok(HostBufferSize(aclDataPacketLength: 251, aclDataPacketCount: count))
        host.ok(SetControllerToHostFlowControl(mode: .acl))
        return host
    }

    @Test("An only link leaves half of few buffers, and a quarter of the others, to links that come")
    func onlyLink() throws {
        let testbed = AirTestbed()
        let peripheral = self.limitedHost(testbed, 8)
        let link = try TestLink(testbed, peripheral: peripheral)
        for value in 0..<8 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
        testbed.loop.run()
        #expect(peripheral.data.count == 4)
    }

    @Test("A1: a link gets its packets although the host has finished with none of all other links")
    func oneOfMany() throws {
        let testbed = AirTestbed()
        let peripheral = self.limitedHost(testbed, 16)
        var links: [TestLink] = []
        for _ in 0..<8 {
            let link = try TestLink(testbed, peripheral: peripheral)
            for value in 0..<6 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
            testbed.loop.run()
            links.append(link)
        }
        let last = try #require(links.last)
        for value in 0..<6 {
            #expect(peripheral.data.filter { $0.handle == last.peripheralHandle }.map(\.octets).last == [UInt8(value)])
            let completed = CompletedPackets.Element(handle: last.peripheralHandle, count: 1)
            peripheral.send(HostNumberOfCompletedPackets(completed: CompletedPackets([completed])))
            testbed.loop.run()
        }
        #expect(peripheral.data.count < 16 + 6)
    }

    @Test("A1: a host that takes nothing holds back its peer, beyond the supervision timeout, and loses nothing")
    func notWritable() throws {
        for settings in [AirSettings.instant, .realistic] {
            let testbed = AirTestbed(settings)
            let link = try TestLink(testbed)
            link.peripheral.controller.isHostWritable = false
            for value in 0..<6 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
            testbed.loop.advanceTime(by: .seconds(60))
            #expect(link.peripheral.data.isEmpty)
            #expect(link.central.outstanding[link.centralHandle] == 6)
            #expect(link.central.take(DisconnectionComplete.self) == nil)
            link.peripheral.controller.isHostWritable = true
            testbed.loop.advanceTime(by: .seconds(1))
            #expect(link.peripheral.data.map(\.octets) == (0..<6).map { [UInt8($0)] })
            #expect(link.central.outstanding[link.centralHandle] == 0)
        }
    }

    @Test("a host that takes nothing misses advertisements, and gets none of them later", arguments: [false, true])
    func missedAdvertisements(isExtended: Bool) throws {
        let testbed = AirTestbed()
        let advertiser = testbed.host()
        advertiser.advertise()
        let scanner = testbed.host()
        if isExtended {
            let channel = LESetExtendedScanParameters.PHYParameters(
                type: .passive,
                interval: ExtendedScanInterval(rawValue: 0x10),
                window: ExtendedScanInterval(rawValue: 0x10)
            )
            scanner.ok(LESetExtendedScanParameters(ownAddressType: .public, filterPolicy: .all, le1M: channel))
            scanner.ok(LESetExtendedScanEnable(isEnabled: true, filterDuplicates: .off))
        } else {
            scanner.scan()
        }
        testbed.pass(.seconds(1))
        #expect(!scanner.events.isEmpty)
        scanner.controller.isHostWritable = false
        scanner.events.removeAll()
        testbed.pass(.seconds(1))
        #expect(scanner.events.isEmpty)
        scanner.controller.isHostWritable = true
        #expect(scanner.events.isEmpty)
        testbed.pass(.seconds(1))
        #expect(!scanner.events.isEmpty)
    }

    @Test("a report of completed packets waits up to its delay, while at most half of the buffers are waited for")
    func completedPacketsDelay() throws {
        var configuration = VirtualControllerConfiguration()
        configuration.aclDataPacketCount = 8
        configuration.completedPacketsDelay = .milliseconds(7)
        let testbed = AirTestbed()
        let central = testbed.host(configuration: configuration)
        let link = try TestLink(testbed, central: central)
        func send(_ count: Int) {
            for value in 0..<count { central.sendData([UInt8(value)], on: link.centralHandle) }
            testbed.loop.run()
        }
        // More than half is reported at once, and what comes then is counted anew.
        for count in [5, 4, 1, 5, 4, 8, 1] {
            send(count)
            #expect(central.outstanding[link.centralHandle] == (count > 4 ? 0 : count), "\(count) packets")
            guard count <= 4 else { continue }
            testbed.pass(.nanoseconds(6_999_999))
            #expect(central.outstanding[link.centralHandle] == count)
            testbed.pass(.nanoseconds(1))
            #expect(central.outstanding[link.centralHandle] == 0)
        }
    }
}
