// To which of the own identities an extended report says that directed advertising was meant (Vol 4, Part E,
// 7.7.65.13): the one that belongs to the address type of the scanner, also where that is not a resolvable one.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Privacy: own identities in extended reports")
struct PrivacyTargetsTests {
    private let advertiserKey = Octets16(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)
    private let scannerKey = Octets16(high: 1, low: 2)

    private func add(_ peer: TestHost, to host: TestHost, peerKey: Octets16, localKey: Octets16) {
        host.addToResolvingList(peer.controller.address, peerKey: peerKey, localKey: localKey)
        host.ok(LESetAddressResolutionEnable(isEnabled: true))
    }

    @Test(
        "Advertising that is directed to a resolvable address is meant for the identity of the scanner's address type",
        arguments: [
            (.public, false), (.random, true), (.resolvableOrPublic, false), (.resolvableOrRandom, true),
        ] as [(OwnAddressType, Bool)]
    )
    func identity(ownAddressType: OwnAddressType, isRandom: Bool) throws {
        let testbed = AirTestbed()
        let all = LEEventMask(rawValue: .max)
        let (advertiser, scanner) = (testbed.host(leEvents: all), testbed.host(leEvents: all))
        self.add(scanner, to: advertiser, peerKey: self.scannerKey, localKey: self.advertiserKey)
        self.add(advertiser, to: scanner, peerKey: self.advertiserKey, localKey: self.scannerKey)
        scanner.ok(LESetRandomAddress(address: DeviceAddress(0xC001_0203_0405, kind: .random)))
        let handle = AdvertisingHandle(rawValue: 1)
        var parameters = LESetExtendedAdvertisingParameters(
            advertisingHandle: handle,
            properties: [.connectable, .directed],
            minimumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
            maximumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0)
        )
        parameters.ownAddressType = .resolvableOrPublic
        parameters.peer = scanner.controller.address
        advertiser.ok(parameters)
        advertiser.ok(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: handle)]))
        scanner.ok(
            LESetExtendedScanParameters(
                ownAddressType: ownAddressType,
                le1M: .init(
                    type: .passive,
                    interval: ExtendedScanInterval(rawValue: 0x10),
                    window: ExtendedScanInterval(rawValue: 0x10)
                )
            )
        )
        scanner.ok(LESetExtendedScanEnable(isEnabled: true))
        testbed.pass(.milliseconds(300))
        let report = try #require(scanner.extendedReports.first)
        #expect(report.address == DeviceAddress(advertiser.controller.address.value, kind: .publicIdentity))
        let identity =
            isRandom
            ? DeviceAddress(0xC001_0203_0405, kind: .randomIdentity)
            : DeviceAddress(scanner.controller.address.value, kind: .publicIdentity)
        #expect(report.target == .device(identity))
    }
}
