// The numbers and bits of values that are sent as an octet, as the specification assigns them.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothTypes

@Suite("Assigned codes")
struct AssignedCodesTests {
    @Test("flags have the bits of CSS, Part A, 1.3")
    func flags() {
        let flags: [AdvertisingFlags] = [
            .limitedDiscoverable, .generalDiscoverable, .bredrNotSupported, .simultaneousLEAndBREDR,
        ]
        #expect(flags.map(\.rawValue) == [0x01, 0x02, 0x04, 0x08])
    }

    @Test("types of addresses have their numbers, and there is an address for \"none\" (Vol 4, Part E, 7.8.12)")
    func addresses() {
        let kinds: [DeviceAddress.Kind] = [.public, .random, .publicIdentity, .randomIdentity]
        #expect(kinds.map(\.rawValue) == [0, 1, 2, 3])
        #expect(DeviceAddress.none.value == 0 && DeviceAddress.none.kind == .public)
        #expect(DeviceAddress.Kind(rawValue: 4) == nil)
    }

    @Test("PHYs have a number and a bit (Vol 4, Part E, 7.8.47 and 7.8.48)")
    func phys() {
        #expect([PHY.le1M, .le2M, .leCoded].map(\.rawValue) == [1, 2, 3])
        #expect([PHYSet.le1M, .le2M, .leCoded].map(\.rawValue) == [1, 2, 4])
        #expect([PHY.le1M, .le2M, .leCoded].map { PHYSet($0) } == [.le1M, .le2M, .leCoded])
    }

    @Test("zero has no bits, and 127 is no power")
    func zeros() {
        #expect(Octets16.zero.high == 0 && Octets16.zero.low == 0)
        #expect(Octets32.zero.high == .zero && Octets32.zero.low == .zero)
        #expect(RSSI.notAvailable.rawValue == 127 && TransmitPower.notAvailable.rawValue == 127)
    }

    @Test(
        "advertising data without elements is empty and not truncated, and an element has two octets besides its value"
    )
    func empty() {
        let data = AdvertisingData()
        #expect(data.elements.isEmpty && !data.isTruncated && data.octetCount == 0)
        #expect(data.bytes.readableBytes == 0)
        var one = AdvertisingData()
        one.append(.flags, ByteBuffer(bytes: [0x06]))
        #expect(one.octetCount == 3 && one[.completeLocalName] == nil)
        #expect(one[.flags] == ByteBuffer(bytes: [0x06]))
    }
}
