// Advertising data that comes in fragments (Vol 4, Part E, 7.7.65.13).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("AdvertisingReassembler")
struct AdvertisingReassemblerTests {
    private typealias DataStatus = LEExtendedAdvertisingReport.DataStatus

    private static let first = DeviceAddress(0xC000_0000_0001, kind: .random)
    private static let second = DeviceAddress(0xC000_0000_0002, kind: .random)
    private let start = NIODeadline.uptimeNanoseconds(0)

    private static func address(_ number: Int) -> DeviceAddress {
        DeviceAddress(0xC000_0000_0100 + UInt64(number), kind: .random)
    }

    private func fragment(
        _ data: String,
        _ status: DataStatus,
        of address: DeviceAddress = Self.first,
        set: UInt8 = 0,
        type: LEExtendedAdvertisingReport.EventType = .connectable,
        secondaryPHY: PHY = .le2M,
        rssi: RSSI = -50
    ) -> LEExtendedAdvertisingReport {
        var type = type
        type.dataStatus = status
        return LEExtendedAdvertisingReport(
            eventType: type,
            address: address,
            secondaryPHY: secondaryPHY,
            setIdentifier: set,
            rssi: rssi,
            data: octets(data.split(separator: " ").map(String.init))
        )
    }

    @Test("passes a complete report on")
    func complete() {
        var reassembler = AdvertisingReassembler()
        let report = self.fragment("01 02", .complete)
        #expect(reassembler.receive(report, now: self.start) == report)
    }

    @Test("joins fragments to one advertisement with the strength of the last one")
    func fragments() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01 02", .incomplete), now: self.start) == nil)
        #expect(reassembler.receive(self.fragment("03", .incomplete), now: self.start) == nil)
        let whole = reassembler.receive(self.fragment("04", .complete, rssi: -60), now: self.start)
        #expect(whole == self.fragment("01 02 03 04", .complete, rssi: -60))
        // Nothing is left for the next one.
        let next = self.fragment("05", .complete)
        #expect(reassembler.receive(next, now: self.start) == next)
    }

    @Test("ends an advertisement with a last fragment without data")
    func emptyEnd() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01", .incomplete), now: self.start) == nil)
        let whole = reassembler.receive(self.fragment("", .complete), now: self.start)
        #expect(whole == self.fragment("01", .complete))
    }

    @Test("joins fragments of several advertisers that come in turns")
    func interleaved() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01", .incomplete), now: self.start) == nil)
        #expect(reassembler.receive(self.fragment("11", .incomplete, of: Self.second), now: self.start) == nil)
        #expect(reassembler.receive(self.fragment("02", .incomplete), now: self.start) == nil)
        let second = reassembler.receive(self.fragment("12", .complete, of: Self.second), now: self.start)
        #expect(second == self.fragment("11 12", .complete, of: Self.second))
        let first = reassembler.receive(self.fragment("03", .complete), now: self.start)
        #expect(first == self.fragment("01 02 03", .complete))
    }

    @Test("collects the advertising sets of a device apart")
    func sets() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01", .incomplete, set: 1), now: self.start) == nil)
        let other = self.fragment("11", .complete, set: 2)
        #expect(reassembler.receive(other, now: self.start) == other)
        let whole = reassembler.receive(self.fragment("02", .complete, set: 1), now: self.start)
        #expect(whole == self.fragment("01 02", .complete, set: 1))
    }

    @Test("collects fragments on different PHYs apart")
    func physicalLayers() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01", .incomplete, secondaryPHY: .le1M), now: self.start) == nil)
        let other = self.fragment("11", .complete, secondaryPHY: .leCoded)
        #expect(reassembler.receive(other, now: self.start) == other)
    }

    @Test("collects a scan response apart from the advertisement")
    func scanResponse() {
        let response: LEExtendedAdvertisingReport.EventType = [.scannable, .scanResponse]
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01", .incomplete, type: .scannable), now: self.start) == nil)
        #expect(reassembler.receive(self.fragment("11", .incomplete, type: response), now: self.start) == nil)
        let advertisement = reassembler.receive(self.fragment("02", .complete, type: .scannable), now: self.start)
        #expect(advertisement == self.fragment("01 02", .complete, type: .scannable))
        let whole = reassembler.receive(self.fragment("12", .complete, type: response), now: self.start)
        #expect(whole == self.fragment("11 12", .complete, type: response))
    }

    @Test("reports the data that came of a truncated advertisement")
    func truncated() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01 02", .incomplete), now: self.start) == nil)
        let part = reassembler.receive(self.fragment("03", .truncated), now: self.start)
        #expect(part == self.fragment("01 02 03", .truncated))
        let next = self.fragment("04", .complete)
        #expect(reassembler.receive(next, now: self.start) == next)
    }

    @Test("begins anew with a fragment that comes 3 s late")
    func lostEnd() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01", .incomplete), now: self.start) == nil)
        let late = self.start + AdvertisingReassembler.fragmentTimeout
        #expect(reassembler.receive(self.fragment("11", .incomplete), now: late) == nil)
        #expect(reassembler.receive(self.fragment("12", .complete), now: late) == self.fragment("11 12", .complete))
    }

    @Test("gives each fragment 3 s anew")
    func slowChain() {
        var reassembler = AdvertisingReassembler()
        var now = self.start
        for octet in ["01", "02", "03"] {
            #expect(reassembler.receive(self.fragment(octet, .incomplete), now: now) == nil)
            now = now + .milliseconds(2_460)
        }
        let whole = reassembler.receive(self.fragment("04", .complete), now: now)
        #expect(whole == self.fragment("01 02 03 04", .complete))
    }

    @Test("takes 1650 octets, and ignores a longer advertisement up to its end")
    func length() {
        var reassembler = AdvertisingReassembler()
        for _ in 0..<7 {
            #expect(reassembler.receive(self.fragment("AA*229", .incomplete), now: self.start) == nil)
        }
        let longest = reassembler.receive(self.fragment("AA*47", .complete), now: self.start)
        #expect(longest?.data == ByteBuffer(repeating: 0xAA, count: 1650))

        for _ in 0..<7 {
            #expect(reassembler.receive(self.fragment("AA*229", .incomplete), now: self.start) == nil)
        }
        #expect(reassembler.receive(self.fragment("AA*48", .complete), now: self.start) == nil)
        let next = self.fragment("01", .complete)
        #expect(reassembler.receive(next, now: self.start) == next)
    }

    @Test("displaces an advertisement that is too long or late without a report")
    func displacedUnreported() {
        for (fragments, age) in [(8, TimeAmount.zero), (1, AdvertisingReassembler.fragmentTimeout)] {
            var reassembler = AdvertisingReassembler()
            for _ in 0..<fragments {
                let fragment = self.fragment("AA*229", .incomplete, of: Self.address(0))
                #expect(reassembler.receive(fragment, now: self.start) == nil)
            }
            let now = self.start + age
            for number in 1..<32 {
                #expect(
                    reassembler.receive(self.fragment("01", .incomplete, of: Self.address(number)), now: now) == nil
                )
            }
            let beyond = self.fragment("01", .incomplete, of: Self.address(32))
            #expect(reassembler.receive(beyond, now: now) == nil)
            let next = reassembler.receive(self.fragment("01", .incomplete, of: Self.address(0)), now: now)
            #expect(next == self.fragment("01", .truncated, of: Self.address(1)))
        }
    }

    @Test("collects 32 advertisements, and reports the one that waits longest as truncated for another one")
    func limit() {
        var reassembler = AdvertisingReassembler()
        for number in 0..<32 {
            let fragment = self.fragment("01", .incomplete, of: Self.address(number))
            #expect(reassembler.receive(fragment, now: self.start) == nil)
        }
        // The first one goes on, so that the second one waits longest.
        #expect(reassembler.receive(self.fragment("02", .incomplete, of: Self.address(0)), now: self.start) == nil)
        let beyond = Self.address(32)
        let displaced = reassembler.receive(self.fragment("01", .incomplete, of: beyond), now: self.start)
        #expect(displaced == self.fragment("01", .truncated, of: Self.address(1)))
        for number in [0, 32] {
            let whole = reassembler.receive(self.fragment("03", .complete, of: Self.address(number)), now: self.start)
            #expect(whole?.data.readableBytes == (number == 0 ? 3 : 2))
        }
    }
}
