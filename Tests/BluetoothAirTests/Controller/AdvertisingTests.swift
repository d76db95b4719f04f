import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Advertising")
struct AdvertisingTests {
    private static let random = DeviceAddress(0xC011_2233_4455, kind: .random)

    @Test(
        "reports each type of advertising",
        arguments: [
            (.connectableUndirected, .connectableUndirected, true), (.scannableUndirected, .scannableUndirected, true),
            (.nonConnectableUndirected, .nonConnectableUndirected, false),
        ] as [(AdvertisingType, LEAdvertisingReport.EventType, Bool)]
    )
    func types(type: AdvertisingType, expected: LEAdvertisingReport.EventType, isScannable: Bool) throws {
        let testbed = AirTestbed()
        let (advertiser, passive, active) = (testbed.host(), testbed.host(), testbed.host())
        advertiser.advertise(type: type)
        passive.scan(type: .passive)
        active.scan(type: .active)
        testbed.pass(.milliseconds(150))
        let heard = passive.reports
        #expect(heard.map(\.eventType) == [expected])
        let report = try #require(heard.first)
        #expect(report.address == advertiser.controller.address && report.rssi == -45)
        #expect(report.data == TestHost.advertisingData)
        let asked = active.reports
        #expect(asked.map(\.eventType) == (isScannable ? [expected, .scanResponse] : [expected]))
        if isScannable { #expect(asked.last?.data == TestHost.scanResponse) }
    }

    @Test("the first event comes at once, the next after the interval and up to 10 ms")
    func interval() throws {
        let testbed = AirTestbed()
        let (advertiser, scanner) = (testbed.host(), testbed.host())
        scanner.scan()
        var times: [NIODeadline] = []
        scanner.onPacket = { _ in times.append(testbed.loop.now) }
        advertiser.advertise(interval: 0x00A0)
        testbed.loop.run()
        #expect(times == [testbed.loop.now])
        testbed.pass(.seconds(5))
        #expect((46...50).contains(times.count))
        let gaps = zip(times, times.dropFirst()).map { ($1 - $0).nanoseconds }
        #expect(gaps.allSatisfy { (100_000_000...110_000_000).contains($0) })
        #expect(Set(gaps).count > 10)
        advertiser.ok(LESetAdvertisingEnable(isEnabled: false))
        times = []
        testbed.pass(.seconds(1))
        #expect(times.isEmpty)
    }

    @Test("refuses parameters out of their ranges (7.8.5)")
    func invalid() {
        let changes: [(inout LESetAdvertisingParameters) -> Void] = [
            { $0.minimumInterval = 0x1F }, { $0.maximumInterval = 0x4001 }, { $0.minimumInterval = 0x41 },
            { $0.type = AdvertisingType(rawValue: 5) }, { $0.ownAddressType = OwnAddressType(rawValue: 4) },
            { $0.channels = [] }, { $0.channels = AdvertisingChannels(rawValue: 8) },
            { $0.filterPolicy = AdvertisingFilterPolicy(rawValue: 4) },
        ]
        let valid = LESetAdvertisingParameters(minimumInterval: 0x20, maximumInterval: 0x40)
        #expect(freshStatus(valid) == .success)
        for (index, change) in changes.enumerated() {
            var command = valid
            change(&command)
            #expect(freshStatus(command) == .invalidParameters, "change \(index)")
        }
    }

    @Test("refuses new parameters and a new random address while advertising, and takes new data")
    func disallowed() throws {
        let testbed = AirTestbed()
        let (host, scanner) = (testbed.host(), testbed.host())
        host.ok(LESetRandomAddress(address: Self.random))
        host.advertise(ownAddressType: .random)
        host.refused(LESetAdvertisingParameters(interval: 0x20), .commandDisallowed)
        host.refused(LESetRandomAddress(address: Self.random), .commandDisallowed)
        host.ok(LESetAdvertisingData(data: ByteBuffer(bytes: [0x02, 0x01, 0x04])))
        host.ok(LESetAdvertisingEnable(isEnabled: true))
        scanner.scan()
        testbed.pass(.milliseconds(200))
        let report = try #require(scanner.reports.first)
        #expect(report.address == Self.random)
        #expect(report.data == ByteBuffer(bytes: [0x02, 0x01, 0x04]))
        host.ok(LESetAdvertisingEnable(isEnabled: false))
        host.ok(LESetAdvertisingEnable(isEnabled: false))
        host.ok(LESetRandomAddress(address: Self.random))
    }

    @Test("refuses to use a random address that was never set (7.8.9, 7.8.11, 7.8.12)")
    func noRandomAddress() {
        let setAddress = LESetRandomAddress(address: Self.random)
        let cases: [(any HCICommand, [any HCICommand])] = [
            (LESetAdvertisingEnable(isEnabled: true), [LESetAdvertisingParameters(ownAddressType: .random)]),
            (LESetScanEnable(isEnabled: true), [LESetScanParameters(type: .passive, ownAddressType: .random)]),
            (
                LESetExtendedScanEnable(isEnabled: true),
                [LESetExtendedScanParameters(ownAddressType: .random, le1M: .init(type: .passive))]
            ),
            (TestHost.createConnection(to: DeviceAddress(1, kind: .public), ownAddressType: .random), []),
        ]
        for (command, others) in cases {
            #expect(freshStatus(command, after: others) == .invalidParameters)
            #expect(freshStatus(command, after: [setAddress] + others) == .success)
        }
    }

    @Test("directed advertising is heard by its target alone, and only the target connects")
    func directed() throws {
        let testbed = AirTestbed()
        let (advertiser, target, other) = (testbed.host(), testbed.host(), testbed.host())
        advertiser.advertise(type: .connectableDirectedLowDutyCycle, peer: target.controller.address)
        target.scan(type: .active)
        other.scan(type: .active)
        testbed.pass(.milliseconds(150))
        let reports = target.reports
        #expect(reports.map(\.eventType) == [.connectableDirected])
        #expect(reports.first?.data.readableBytes == 0)
        #expect(other.reports.isEmpty)
        other.ok(TestHost.createConnection(to: advertiser.controller.address))
        testbed.pass(.seconds(1))
        #expect(other.take(LEConnectionComplete.self) == nil)
        target.ok(TestHost.createConnection(to: advertiser.controller.address))
        testbed.pass(.milliseconds(200))
        #expect(target.take(LEConnectionComplete.self)?.status == .success)
        #expect(advertiser.take(LEConnectionComplete.self)?.role == .peripheral)
    }

    @Test("directed advertising with a high duty cycle ends after 1.28 s with 0x3C")
    func highDutyCycle() throws {
        let testbed = AirTestbed()
        let (advertiser, target) = (testbed.host(), testbed.host())
        target.scan()
        advertiser.advertise(type: .connectableDirectedHighDutyCycle, peer: target.controller.address, interval: 0)
        testbed.pass(.milliseconds(1_270))
        #expect(advertiser.take(LEConnectionComplete.self) == nil)
        testbed.pass(.milliseconds(10))
        #expect(target.reports.count > 300)
        let event = try #require(advertiser.take(LEConnectionComplete.self))
        #expect(event.status == .advertisingTimeout && event.role == .peripheral)
        #expect(event.handle.rawValue == 0 && event.peer == .none && event.interval.rawValue == 0)
        testbed.pass(.seconds(1))
        #expect(target.reports.isEmpty)
        advertiser.ok(LESetAdvertisingEnable(isEnabled: true))
    }

    @Test("the filter policy decides which devices may send scan and connection requests")
    func filterPolicy() throws {
        for policy in [AdvertisingFilterPolicy.all, .scanFromAcceptList, .connectFromAcceptList, .acceptList] {
            let testbed = AirTestbed()
            let (advertiser, listed, unlisted) = (testbed.host(), testbed.host(), testbed.host())
            advertiser.ok(LEAddDeviceToFilterAcceptList(entry: .device(listed.controller.address)))
            advertiser.advertise(filterPolicy: policy)
            let asksAll = policy == .all || policy == .connectFromAcceptList
            for (host, isAnswered) in [(listed, true), (unlisted, asksAll)] {
                host.scan(type: .active)
                testbed.pass(.milliseconds(150))
                #expect(host.reports.contains { $0.eventType == .scanResponse } == isAnswered)
                host.ok(LESetScanEnable(isEnabled: false))
            }
            let connectsAll = policy == .all || policy == .scanFromAcceptList
            unlisted.ok(TestHost.createConnection(to: advertiser.controller.address))
            testbed.pass(.milliseconds(300))
            #expect((unlisted.take(LEConnectionComplete.self) != nil) == connectsAll)
            guard !connectsAll else { continue }
            listed.ok(TestHost.createConnection(to: advertiser.controller.address))
            testbed.pass(.milliseconds(300))
            #expect(listed.take(LEConnectionComplete.self)?.status == .success)
        }
    }
}
