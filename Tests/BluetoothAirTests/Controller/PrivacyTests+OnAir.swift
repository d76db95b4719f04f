// Resolvable private addresses in scan requests, directed advertising and accept lists.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Privacy on the air")
struct PrivacyOnAirTests {
    private let advertiserKey = Octets16(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)
    private let centralKey = Octets16(high: 1, low: 2)
    private let testbed = AirTestbed()
    private let advertiser: TestHost
    private let central: TestHost
    /// Has no keys.
    private let foreign: TestHost

    /// An advertiser and a central that know each other's keys, and a device that knows neither.
    init() {
        self.advertiser = self.testbed.host(leEvents: .all)
        self.central = self.testbed.host(leEvents: .all)
        self.foreign = self.testbed.host(leEvents: .all)
        let (one, other) = (self.advertiserKey, self.centralKey)
        self.advertiser.addToResolvingList(self.central.controller.address, peerKey: other, localKey: one)
        self.central.addToResolvingList(self.advertiser.controller.address, peerKey: one, localKey: other)
        for host in [self.advertiser, self.central] { host.ok(LESetAddressResolutionEnable(isEnabled: true)) }
    }

    private func identity(of host: TestHost) -> DeviceAddress {
        DeviceAddress(host.controller.address.value, kind: .publicIdentity)
    }

    private func scan(
        _ host: TestHost,
        type: ScanType = .passive,
        ownAddressType: OwnAddressType = .resolvableOrPublic,
        filterPolicy: ScanFilterPolicy = .all
    ) {
        host.ok(LESetScanParameters(type: type, ownAddressType: ownAddressType, filterPolicy: filterPolicy))
        host.ok(LESetScanEnable(isEnabled: true))
    }

    @Test("the target understands directed advertising of a device that hides itself")
    func directed() throws {
        self.advertiser.advertise(
            type: .connectableDirectedLowDutyCycle,
            ownAddressType: .resolvableOrPublic,
            peer: self.central.controller.address
        )
        self.scan(self.central)
        self.testbed.pass(.milliseconds(300))
        let known = try #require(self.central.reports.first)
        #expect(known.eventType == .connectableDirected && known.address == self.identity(of: self.advertiser))
        self.central.ok(LESetScanEnable(isEnabled: false))
        self.central.ok(
            TestHost.createConnection(to: self.advertiser.controller.address, ownAddressType: .resolvableOrPublic)
        )
        self.testbed.pass(.milliseconds(300))
        let event = try #require(self.central.take(LEEnhancedConnectionCompleteV2.self)).connection
        #expect(event.peer == self.identity(of: self.advertiser))
    }

    @Test("directed advertising of a device that hides itself has the identity address of a peer without a key")
    func directedWithoutKey() throws {
        self.central.addToResolvingList(self.foreign.controller.address, localKey: self.centralKey)
        self.central.advertise(
            type: .connectableDirectedLowDutyCycle,
            ownAddressType: .resolvableOrPublic,
            peer: self.foreign.controller.address
        )
        self.scan(self.foreign, ownAddressType: .public)
        self.testbed.pass(.milliseconds(300))
        let report = try #require(self.foreign.reports.first)
        #expect(report.eventType == .connectableDirected)
        #expect(ResolvableAddress.matches(report.address, self.centralKey))
    }

    @Test("renews both addresses in directed advertising when they expire")
    func directedRotation() throws {
        self.advertiser.ok(LESetResolvablePrivateAddressTimeout(timeout: 900))
        self.advertiser.advertise(
            type: .connectableDirectedLowDutyCycle,
            ownAddressType: .resolvableOrPublic,
            peer: self.central.controller.address
        )
        self.scan(self.foreign, ownAddressType: .public, filterPolicy: .allAndUnresolvedDirected)
        self.testbed.pass(.seconds(5))
        // A shorter time also applies to the addresses in use.
        self.advertiser.ok(LESetResolvablePrivateAddressTimeout(timeout: 10))
        self.testbed.pass(.seconds(20))
        let reports = self.foreign.takeAll(LEDirectedAdvertisingReports.self).flatMap { Array($0) }
        #expect(reports.count > 100)
        #expect(Set(reports.map(\.address)).count == 3)
        #expect(Set(reports.map(\.target)).count == 3)
    }

    @Test("a scanner asks with a resolvable address, and is recognized by it", arguments: [true, false])
    func scanRequest(knowsKey: Bool) throws {
        let peer = self.central.controller.address
        if !knowsKey { self.advertiser.ok(LERemoveDeviceFromResolvingList(peer: peer)) }
        self.advertiser.ok(LEAddDeviceToFilterAcceptList(entry: .device(peer)))
        var parameters = LESetExtendedAdvertisingParameters(advertisingHandle: 1, properties: [.legacy, .scannable])
        parameters.ownAddressType = .resolvableOrPublic
        parameters.peer = peer
        parameters.filterPolicy = knowsKey ? .scanFromAcceptList : .all
        parameters.notifiesScanRequests = true
        self.advertiser.ok(parameters)
        self.advertiser.ok(LESetExtendedScanResponseData(advertisingHandle: 1, data: TestHost.scanResponse))
        self.advertiser.ok(LESetExtendedAdvertisingEnable(1))
        if !knowsKey {
            // The advertiser is then seen under its public address, which device privacy mode admits.
            self.central.ok(LESetPrivacyMode(peer: self.advertiser.controller.address, mode: .device))
        }
        self.scan(self.central, type: .active)
        self.testbed.pass(.milliseconds(300))
        let event = try #require(self.advertiser.take(LEScanRequestReceived.self))
        if knowsKey {
            #expect(event.scanner == self.identity(of: self.central))
            let own = self.central.run(LEReadLocalResolvableAddress(peer: self.advertiser.controller.address))
            #expect(own.map { ResolvableAddress.matches($0.address, self.centralKey) } == true)
        } else {
            #expect(ResolvableAddress.matches(event.scanner, self.centralKey))
        }
        #expect(self.central.reports.contains { $0.eventType == .scanResponse })
    }

    @Test("accept lists hold identities: of advertisers, for scanners and initiators")
    func acceptLists() throws {
        self.advertiser.advertise(ownAddressType: .resolvableOrPublic, peer: self.central.controller.address)
        self.foreign.advertise()
        self.central.ok(LEAddDeviceToFilterAcceptList(entry: .device(self.advertiser.controller.address)))
        self.scan(self.central, filterPolicy: .acceptList)
        self.testbed.pass(.milliseconds(300))
        let reports = self.central.reports
        #expect(!reports.isEmpty)
        #expect(Set(reports.map(\.address)) == [self.identity(of: self.advertiser)])
        self.central.ok(LESetScanEnable(isEnabled: false))
        self.central.ok(
            TestHost.createConnection(to: .none, filterPolicy: .acceptList, ownAddressType: .resolvableOrPublic)
        )
        self.testbed.pass(.milliseconds(300))
        let event = try #require(self.central.take(LEEnhancedConnectionCompleteV2.self)).connection
        #expect(event.peer == self.identity(of: self.advertiser))
        #expect(event.localResolvableAddress.map { ResolvableAddress.matches($0, self.centralKey) } == true)
        #expect(event.peerResolvableAddress.map { ResolvableAddress.matches($0, self.advertiserKey) } == true)
    }

    @Test("ignores the identity address of a central with a key in network privacy mode", arguments: [true, false])
    func identityOfCentral(isNetworkMode: Bool) throws {
        if !isNetworkMode { self.advertiser.ok(LESetPrivacyMode(peer: self.central.controller.address, mode: .device)) }
        self.advertiser.advertise(ownAddressType: .resolvableOrPublic, peer: self.central.controller.address)
        self.scan(self.central, type: .active, ownAddressType: .public)
        self.testbed.pass(.milliseconds(300))
        #expect(self.central.reports.contains { $0.eventType == .scanResponse } == !isNetworkMode)
        self.central.ok(LESetScanEnable(isEnabled: false))
        self.central.ok(TestHost.createConnection(to: self.advertiser.controller.address, ownAddressType: .public))
        self.testbed.pass(.seconds(2))
        #expect((self.central.take(LEEnhancedConnectionCompleteV2.self) != nil) == !isNetworkMode)
        #expect((self.advertiser.take(LEEnhancedConnectionCompleteV2.self) != nil) == !isNetworkMode)
    }

    @Test("allows a new privacy mode during a scan if addresses are not resolved")
    func modeWhileScanning() {
        self.scan(self.central)
        let command = LESetPrivacyMode(peer: self.advertiser.controller.address, mode: .device)
        self.central.refused(command, .commandDisallowed)
        self.central.ok(LESetScanEnable(isEnabled: false))
        self.central.ok(LESetAddressResolutionEnable(isEnabled: false))
        self.central.ok(LESetScanEnable(isEnabled: true))
        self.central.ok(command)
    }

    @Test(
        "advertising that is directed to a resolvable address is meant for the identity of the scanner's address type",
        arguments: [
            (.public, false), (.random, true), (.resolvableOrPublic, false), (.resolvableOrRandom, true),
        ] as [(OwnAddressType, Bool)]
    )
    func target(ownAddressType: OwnAddressType, isRandom: Bool) throws {
        let (advertiser, scanner) = (self.advertiser, self.central)
        scanner.ok(LESetRandomAddress(address: DeviceAddress(0xC001_0203_0405, kind: .random)))
        advertiser.ok(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: 1,
                properties: [.connectable, .directed],
                ownAddressType: .resolvableOrPublic,
                peer: scanner.controller.address
            )
        )
        advertiser.ok(LESetExtendedAdvertisingEnable(1))
        scanner.ok(LESetExtendedScanParameters(ownAddressType: ownAddressType, le1M: .init(type: .passive)))
        scanner.ok(LESetExtendedScanEnable(isEnabled: true))
        self.testbed.pass(.milliseconds(300))
        let report = try #require(scanner.extendedReports.first)
        #expect(report.address == self.identity(of: advertiser))
        let random = DeviceAddress(0xC001_0203_0405, kind: .randomIdentity)
        let identity = isRandom ? random : self.identity(of: scanner)
        #expect(report.target == .device(identity))
    }
}
