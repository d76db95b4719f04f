// Resolvable private addresses on the air: in scan requests, in directed advertising, through the accept lists, and who
// is not believed under an identity address (Vol 6, Part B, 6).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAir

@Suite("Privacy on the air")
struct PrivacyOnAirTests {
    private let advertiserKey = Octets16(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)
    private let centralKey = Octets16(high: 1, low: 2)
    private let testbed = AirTestbed()
    private let advertiser: TestHost
    private let central: TestHost
    /// Knows no keys.
    private let foreign: TestHost

    /// An advertiser and a central that know each other's keys, and a device that knows neither.
    init() {
        let all = LEEventMask(rawValue: .max)
        self.advertiser = self.testbed.host(leEvents: all)
        self.central = self.testbed.host(leEvents: all)
        self.foreign = self.testbed.host(leEvents: all)
        self.advertiser.addToResolvingList(
            self.central.controller.address,
            peerKey: self.centralKey,
            localKey: self.advertiserKey
        )
        self.central.addToResolvingList(
            self.advertiser.controller.address,
            peerKey: self.advertiserKey,
            localKey: self.centralKey
        )
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
        host.ok(
            LESetScanParameters(
                type: type,
                interval: ScanInterval(rawValue: 0x10),
                window: ScanInterval(rawValue: 0x10),
                ownAddressType: ownAddressType,
                filterPolicy: filterPolicy
            )
        )
        host.ok(LESetScanEnable(isEnabled: true))
    }

    // MARK: Directed advertising

    @Test("directed advertising hides both devices, and is understood by the one that it is meant for")
    func directed() throws {
        self.advertiser.advertise(
            type: .connectableDirectedLowDutyCycle,
            ownAddressType: .resolvableOrPublic,
            peer: self.central.controller.address
        )
        self.scan(self.central)
        self.scan(self.foreign, ownAddressType: .public, filterPolicy: .allAndUnresolvedDirected)
        self.testbed.pass(.milliseconds(300))
        let known = try #require(self.central.reports.first)
        #expect(known.eventType == .connectableDirected)
        #expect(known.address == self.identity(of: self.advertiser))
        let unknown = try #require(self.foreign.takeAll(LEDirectedAdvertisingReports.self).flatMap { Array($0) }.first)
        #expect(ResolvableAddress.matches(unknown.address, self.advertiserKey))
        guard case .unresolved(let target) = unknown.target else {
            Issue.record("the target can be recognized: \(unknown.target)")
            return
        }
        #expect(ResolvableAddress.matches(target, self.centralKey))

        self.central.ok(LESetScanEnable(isEnabled: false))
        self.central.ok(
            TestHost.createConnection(to: self.advertiser.controller.address, ownAddressType: .resolvableOrPublic)
        )
        self.testbed.pass(.milliseconds(300))
        let event = try #require(self.central.take(LEEnhancedConnectionCompleteV2.self))
        #expect(event.peer == self.identity(of: self.advertiser))
    }

    @Test("directed advertising of a device that hides names a peer without a key by its identity address")
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

    @Test("the addresses in directed advertising are renewed together, when their time is over")
    func directedRotation() throws {
        self.advertiser.ok(
            LESetResolvablePrivateAddressTimeout(timeout: ResolvablePrivateAddressTimeout(rawValue: 900))
        )
        self.advertiser.advertise(
            type: .connectableDirectedLowDutyCycle,
            ownAddressType: .resolvableOrPublic,
            peer: self.central.controller.address
        )
        self.scan(self.foreign, ownAddressType: .public, filterPolicy: .allAndUnresolvedDirected)
        self.testbed.pass(.seconds(5))
        // A shorter time holds for the addresses in use, too.
        self.advertiser.ok(
            LESetResolvablePrivateAddressTimeout(timeout: ResolvablePrivateAddressTimeout(rawValue: 10))
        )
        self.testbed.pass(.seconds(20))
        let reports = self.foreign.takeAll(LEDirectedAdvertisingReports.self).flatMap { Array($0) }
        #expect(reports.count > 100)
        #expect(Set(reports.map(\.address)).count == 3)
        #expect(Set(reports.map(\.target)).count == 3)
    }

    @Test("directed advertising of a device that does not hide names its peer by its identity address")
    func directedOpenly() throws {
        self.central.ok(LESetAddressResolutionEnable(isEnabled: false))
        self.advertiser.advertise(
            type: .connectableDirectedLowDutyCycle,
            ownAddressType: .public,
            peer: self.central.controller.address
        )
        self.scan(self.central, ownAddressType: .public)
        self.testbed.pass(.milliseconds(300))
        let report = try #require(self.central.reports.first)
        #expect(report.eventType == .connectableDirected)
        #expect(report.address == self.advertiser.controller.address)
    }

    @Test(
        "an extended report of directed advertising shows the own identity: the one in use",
        arguments: [OwnAddressType.resolvableOrPublic, .resolvableOrRandom]
    )
    func directedExtended(ownAddressType: OwnAddressType) throws {
        let random = DeviceAddress(0xC001_0203_0405, kind: .random)
        self.central.ok(LESetRandomAddress(address: random))
        let handle = AdvertisingHandle(rawValue: 1)
        self.advertiser.ok(self.extended(handle, [.connectable, .directed], peer: self.central.controller.address))
        self.advertiser.ok(
            LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: handle)])
        )
        self.central.ok(
            LESetExtendedScanParameters(
                ownAddressType: ownAddressType,
                le1M: .init(
                    type: .passive,
                    interval: ExtendedScanInterval(rawValue: 0x10),
                    window: ExtendedScanInterval(rawValue: 0x10)
                )
            )
        )
        self.central.ok(LESetExtendedScanEnable(isEnabled: true))
        self.testbed.pass(.milliseconds(300))
        let report = try #require(self.central.extendedReports.first)
        #expect(report.address == self.identity(of: self.advertiser))
        let randomIdentity = DeviceAddress(random.value, kind: .randomIdentity)
        let identity = ownAddressType == .resolvableOrPublic ? self.identity(of: self.central) : randomIdentity
        #expect(report.target == .device(identity))
    }

    private func extended(
        _ handle: AdvertisingHandle,
        _ properties: AdvertisingEventProperties,
        peer: DeviceAddress,
        filterPolicy: AdvertisingFilterPolicy = .all
    ) -> LESetExtendedAdvertisingParameters {
        var command = LESetExtendedAdvertisingParameters(
            advertisingHandle: handle,
            properties: properties,
            minimumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
            maximumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0)
        )
        command.ownAddressType = .resolvableOrPublic
        command.peer = peer
        command.filterPolicy = filterPolicy
        command.notifiesScanRequests = true
        return command
    }

    // MARK: Scan requests

    @Test("a scanner asks with a resolvable address, and is recognized by it", arguments: [true, false])
    func scanRequest(knowsKey: Bool) throws {
        let handle = AdvertisingHandle(rawValue: 1)
        if !knowsKey {
            self.advertiser.ok(LERemoveDeviceFromResolvingList(peer: self.central.controller.address))
        }
        self.advertiser.ok(LEAddDeviceToFilterAcceptList(entry: .device(self.central.controller.address)))
        self.advertiser.ok(
            self.extended(
                handle,
                [.legacy, .scannable],
                peer: self.central.controller.address,
                filterPolicy: knowsKey ? .scanFromAcceptList : .all
            )
        )
        self.advertiser.ok(
            LESetExtendedScanResponseData(
                advertisingHandle: handle,
                operation: .complete,
                data: TestHost.scanResponse
            )
        )
        self.advertiser.ok(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: handle)]))
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

    // MARK: Accept lists

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
        let event = try #require(self.central.take(LEEnhancedConnectionCompleteV2.self))
        #expect(event.peer == self.identity(of: self.advertiser))
        #expect(event.localResolvableAddress.map { ResolvableAddress.matches($0, self.centralKey) } == true)
        #expect(event.peerResolvableAddress.map { ResolvableAddress.matches($0, self.advertiserKey) } == true)
    }

    // MARK: Privacy modes

    @Test(
        "a central with a key is not believed under its identity address in network privacy mode",
        arguments: [true, false]
    )
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

    // MARK: Commands

    @Test("two peers cannot have one key")
    func sameKey() {
        let peer = DeviceAddress(7, kind: .public)
        for (key, isAccepted) in [(self.centralKey, false), (Octets16.zero, true)] {
            let command = LEAddDeviceToResolvingList(
                peer: peer,
                peerIdentityResolvingKey: key,
                localIdentityResolvingKey: self.advertiserKey
            )
            if isAccepted { self.advertiser.ok(command) } else { self.advertiser.refused(command, .invalidParameters) }
        }
    }

    @Test("a privacy mode may change while addresses are not resolved, whatever the radio does")
    func modeWhileScanning() {
        self.scan(self.central)
        let command = LESetPrivacyMode(peer: self.advertiser.controller.address, mode: .device)
        self.central.refused(command, .commandDisallowed)
        self.central.ok(LESetScanEnable(isEnabled: false))
        self.central.ok(LESetAddressResolutionEnable(isEnabled: false))
        self.central.ok(LESetScanEnable(isEnabled: true))
        self.central.ok(command)
    }
}
