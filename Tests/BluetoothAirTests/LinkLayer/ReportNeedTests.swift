import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Reports that a host needs")
struct ReportNeedTests {
    let testbed = AirTestbed()
    let advertiser: TestHost
    let scanner: TestHost

    init() {
        self.advertiser = self.testbed.host()
        self.scanner = self.testbed.host()
        self.scanner.controller.setReportNeed(.changes(1))
    }

    /// The reports of a second.
    private func types() -> [LEAdvertisingReport.EventType] {
        self.testbed.pass(.seconds(1))
        return self.scanner.reports.map(\.eventType)
    }

    @Test("an advertisement comes once to a passive scanner, once with its response to an active one")
    func once() {
        self.advertiser.advertise()
        self.scanner.scan()
        #expect(self.types() == [.connectableUndirected])
        #expect(self.types() == [])
        self.scanner.ok(LESetScanEnable(isEnabled: false))
        self.scanner.scan(type: .active)
        #expect(self.types() == [.connectableUndirected, .scanResponse], "another scan begins anew")
        #expect(self.types() == [])
    }

    @Test("reports an advertisement again with other data, another response, another strength, another need")
    func changes() {
        self.advertiser.advertise()
        self.scanner.scan(type: .active)
        let both: [LEAdvertisingReport.EventType] = [.connectableUndirected, .scanResponse]
        #expect(self.types() == both)
        self.advertiser.ok(LESetAdvertisingData(data: ByteBuffer(bytes: [0x02, 0x01, 0x04])))
        #expect(self.types() == both)
        self.advertiser.ok(LESetScanResponseData(data: ByteBuffer(bytes: [0x02, 0x09, 0x42])))
        #expect(self.types() == both)
        self.advertiser.controller.distance = .metres(10)
        #expect(self.types() == both)
        self.advertiser.controller.distance = .metres(10.01)
        #expect(self.types() == [], "the strength is the same")
        self.scanner.controller.setReportNeed(.changes(2))
        #expect(self.types() == both)
        self.scanner.controller.setReportNeed(.changes(2))
        #expect(self.types() == [])
        self.scanner.controller.setReportNeed(.all)
        #expect(self.types().count > 16)
    }

    @Test("with loss, both are reported in the end", arguments: 1...20)
    func loss(seed: UInt64) {
        let testbed = AirTestbed(AirSettings(hasAirTime: false, loss: 0.5), seed: seed)
        let (advertiser, scanner) = (testbed.host(), testbed.host())
        scanner.controller.setReportNeed(.changes(1))
        advertiser.advertise()
        scanner.scan(type: .active)
        testbed.pass(.seconds(20))
        let types = scanner.reports.map(\.eventType)
        #expect(types.count { $0 == .scanResponse } == 1)
        #expect((1...2).contains(types.count { $0 == .connectableUndirected }))
    }

    @Test("a host that initiates, or takes nothing at present, misses nothing")
    func others() {
        self.scanner.scan()
        self.scanner.ok(TestHost.createConnection(to: DeviceAddress(0x0102, kind: .public)))
        self.advertiser.advertise()
        #expect(self.types().count > 8, "who initiates hears all")
        self.scanner.send(LECreateConnectionCancel())
        self.testbed.pass(.seconds(1))
        self.scanner.events = []
        self.scanner.controller.isHostWritable = false
        self.advertiser.ok(LESetAdvertisingData(data: ByteBuffer(bytes: [0x02, 0x01, 0x04])))
        #expect(self.types() == [])
        self.scanner.controller.isHostWritable = true
        #expect(self.types() == [.connectableUndirected])
    }

    @Test("a scan request is reported to an advertiser that asked for it, each time")
    func scanRequests() {
        let extended = self.testbed.host()
        var parameters = LESetExtendedAdvertisingParameters(advertisingHandle: 0, properties: [.legacy, .scannable])
        parameters.notifiesScanRequests = true
        extended.ok(parameters)
        extended.ok(LESetExtendedAdvertisingEnable(0))
        self.scanner.scan(type: .active)
        #expect(self.types().count == 2)
        #expect(extended.takeAll(LEScanRequestReceived.self).count > 8)
    }

    @Test("gives every report to a host that resolves addresses")
    func reportsWhileResolving() {
        self.advertiser.advertise()
        for isResolving in [false, true, false] {
            self.scanner.ok(LESetAddressResolutionEnable(isEnabled: isResolving))
            self.scanner.scan()
            let count = self.types().count
            #expect(isResolving ? count > 8 : count == 1)
            self.scanner.ok(LESetScanEnable(isEnabled: false))
        }
    }

    @Test("a host that needs no repetition is told of a new private address, and of new parameters")
    func otherAddressOrParameters() {
        let (advertiser, scanner) = (self.advertiser, self.scanner)
        advertiser.addToResolvingList(scanner.controller.address, localKey: Octets16(high: 1, low: 2))
        advertiser.ok(LESetResolvablePrivateAddressTimeout(timeout: 10))
        advertiser.advertise(ownAddressType: .resolvableOrPublic, peer: scanner.controller.address)
        scanner.scan()
        self.testbed.pass(.seconds(25))
        let addresses = scanner.reports.map(\.address)
        #expect(addresses.count == 3 && Set(addresses).count == 3)
        for (type, reported) in [
            (.scannableUndirected, .scannableUndirected), (.nonConnectableUndirected, .nonConnectableUndirected),
        ] as [(AdvertisingType, LEAdvertisingReport.EventType)] {
            advertiser.ok(LESetAdvertisingEnable(isEnabled: false))
            advertiser.advertise(type: type)
            #expect(self.types() == [reported])
        }
    }
}
