// How many advertisements are collected at a time (Vol 4, Part E, 7.7.65.13).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("AdvertisingReassembler: limits")
struct AdvertisingReassemblerLimitTests {
    private static let start = NIODeadline.uptimeNanoseconds(0)

    /// A fragment of a device's advertisement, of one octet.
    private static func fragment(_ number: UInt8, isLast: Bool) -> LEExtendedAdvertisingReport {
        var type = LEExtendedAdvertisingReport.EventType.connectable
        type.dataStatus = isLast ? .complete : .incomplete
        return LEExtendedAdvertisingReport(
            eventType: type,
            address: DeviceAddress(UInt64(number), kind: .public),
            rssi: nil,
            data: ByteBuffer(bytes: [number])
        )
    }

    @Test("32 advertisements are collected at a time; with one more, the oldest is reported as truncated")
    func count() {
        var reassembler = AdvertisingReassembler()
        for number in 1...32 as ClosedRange<UInt8> {
            let nothing = reassembler.receive(Self.fragment(number, isLast: false), now: Self.start)
            #expect(nothing == nil)
        }
        let displaced = reassembler.receive(Self.fragment(33, isLast: false), now: Self.start)
        #expect(displaced?.address == DeviceAddress(1, kind: .public))
        #expect(displaced?.eventType.dataStatus == .truncated)
        #expect(displaced?.data == ByteBuffer(bytes: [1]))
        // The other ones are collected still.
        for number in 2...33 as ClosedRange<UInt8> {
            let whole = reassembler.receive(Self.fragment(number, isLast: true), now: Self.start)
            #expect(whole?.data == ByteBuffer(bytes: [number, number]))
        }
    }
}
