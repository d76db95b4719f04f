// Advertising data that comes in fragments (Vol 4, Part E, 7.7.65.13): at the machine, and from the controller's events
// to the host's user.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("AdvertisingReassembler")
struct AdvertisingReassemblerTests {
    private typealias DataStatus = LEExtendedAdvertisingReport.DataStatus

    private static let first = DeviceAddress(0xC000_0000_0001, kind: .random)
    private static let second = DeviceAddress(0xC000_0000_0002, kind: .random)
    private let start = NIODeadline.uptimeNanoseconds(0)

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

    @Test("A report that is complete is an advertisement")
    func complete() {
        var reassembler = AdvertisingReassembler()
        let report = self.fragment("01 02", .complete)
        #expect(reassembler.receive(report, now: self.start) == report)
    }

    @Test("Fragments become one advertisement, with the strength of the last one")
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

    @Test("A last fragment without data ends the advertisement")
    func emptyEnd() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01", .incomplete), now: self.start) == nil)
        let whole = reassembler.receive(self.fragment("", .complete), now: self.start)
        #expect(whole == self.fragment("01", .complete))
    }

    @Test("Fragments of several advertisers may come in turns")
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

    @Test("The advertising sets of one device are collected apart")
    func sets() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01", .incomplete, set: 1), now: self.start) == nil)
        let other = self.fragment("11", .complete, set: 2)
        #expect(reassembler.receive(other, now: self.start) == other)
        let whole = reassembler.receive(self.fragment("02", .complete, set: 1), now: self.start)
        #expect(whole == self.fragment("01 02", .complete, set: 1))
    }

    @Test("A fragment on another PHY belongs to another advertisement")
    func physicalLayers() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01", .incomplete, secondaryPHY: .le1M), now: self.start) == nil)
        let other = self.fragment("11", .complete, secondaryPHY: .leCoded)
        #expect(reassembler.receive(other, now: self.start) == other)
    }

    @Test("A scan response is collected apart from the advertisement")
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

    @Test("Data that the controller has truncated is reported so, with what came of it")
    func truncated() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01 02", .incomplete), now: self.start) == nil)
        let part = reassembler.receive(self.fragment("03", .truncated), now: self.start)
        #expect(part == self.fragment("01 02 03", .truncated))
        let next = self.fragment("04", .complete)
        #expect(reassembler.receive(next, now: self.start) == next)
    }

    @Test("Where the end was lost, a fragment that comes too late begins anew")
    func lostEnd() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01", .incomplete), now: self.start) == nil)
        let late = self.start + AdvertisingReassembler.fragmentTimeout
        #expect(reassembler.receive(self.fragment("11", .incomplete), now: late) == nil)
        #expect(reassembler.receive(self.fragment("12", .complete), now: late) == self.fragment("11 12", .complete))
    }

    @Test("Each fragment has the time anew")
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

    @Test("1650 octets are taken; what is longer is ignored up to its end")
    func length() {
        var reassembler = AdvertisingReassembler()
        for _ in 0..<7 {
            #expect(reassembler.receive(self.fragment("AA*229", .incomplete), now: self.start) == nil)
        }
        let longest = reassembler.receive(self.fragment("AA*47", .complete), now: self.start)
        #expect(longest?.data == ByteBuffer(repeating: 0xAA, count: 1650))

        for _ in 0..<20 {
            #expect(reassembler.receive(self.fragment("AA*229", .incomplete), now: self.start) == nil)
        }
        #expect(reassembler.receive(self.fragment("AA", .complete), now: self.start) == nil)
        let next = self.fragment("01", .complete)
        #expect(reassembler.receive(next, now: self.start) == next)
    }

    @Test("One that is too long, or whose next fragment is late, is displaced without a report")
    func displacedUnreported() {
        func address(_ number: Int) -> DeviceAddress { DeviceAddress(0xC000_0000_0100 + UInt64(number), kind: .random) }
        for (fragments, age) in [(8, TimeAmount.zero), (1, AdvertisingReassembler.fragmentTimeout)] {
            var reassembler = AdvertisingReassembler()
            for _ in 0..<fragments {
                let fragment = self.fragment("AA*229", .incomplete, of: address(0))
                #expect(reassembler.receive(fragment, now: self.start) == nil)
            }
            let now = self.start + age
            for number in 1..<AdvertisingReassembler.limit {
                #expect(reassembler.receive(self.fragment("01", .incomplete, of: address(number)), now: now) == nil)
            }
            let beyond = self.fragment("01", .incomplete, of: address(AdvertisingReassembler.limit))
            #expect(reassembler.receive(beyond, now: now) == nil)
            let next = reassembler.receive(self.fragment("01", .incomplete, of: address(0)), now: now)
            #expect(next == self.fragment("01", .truncated, of: address(1)))
        }
    }

    @Test("One advertisement beyond the limit displaces the one that waits longest, which is reported as truncated")
    func limit() {
        func address(_ number: Int) -> DeviceAddress { DeviceAddress(0xC000_0000_0100 + UInt64(number), kind: .random) }
        var reassembler = AdvertisingReassembler()
        for number in 0..<AdvertisingReassembler.limit {
            let fragment = self.fragment("01", .incomplete, of: address(number))
            #expect(reassembler.receive(fragment, now: self.start) == nil)
        }
        // The first one goes on, so that the second one waits longest.
        #expect(reassembler.receive(self.fragment("02", .incomplete, of: address(0)), now: self.start) == nil)
        let beyond = address(AdvertisingReassembler.limit)
        let displaced = reassembler.receive(self.fragment("01", .incomplete, of: beyond), now: self.start)
        #expect(displaced == self.fragment("01", .truncated, of: address(1)))
        for number in [0, AdvertisingReassembler.limit] {
            let whole = reassembler.receive(self.fragment("03", .complete, of: address(number)), now: self.start)
            #expect(whole?.data.readableBytes == (number == 0 ? 3 : 2))
        }
    }

    @Test("An advertisement whose end was lost is displaced without a report")
    func limitOverdue() {
        var reassembler = AdvertisingReassembler()
        #expect(reassembler.receive(self.fragment("01", .incomplete), now: self.start) == nil)
        let late = self.start + AdvertisingReassembler.fragmentTimeout
        for set in 0..<UInt8(AdvertisingReassembler.limit) {
            #expect(reassembler.receive(self.fragment("01", .incomplete, of: Self.second, set: set), now: late) == nil)
        }
    }

    // MARK: The host

    /// Two fragments of one advertisement, with a whole advertisement of another device between them.
    private static let fragments = [
        "04 3E 1D 0D 01 21 00 01 01 00 00 00 00 C0 01 02 05 7F CE 00 00 00 00 00 00 00 00 00 03 02 01 06",
        "04 3E 1C 0D 01 01 00 01 02 00 00 00 00 C0 01 02 05 7F CE 00 00 00 00 00 00 00 00 00 02 01 FF",
        "04 3E 1E 0D 01 01 00 01 01 00 00 00 00 C0 01 02 05 7F C4 00 00 00 00 00 00 00 00 00 04 03 09 48 69",
    ]

    private static func scanningHost(_ loop: EmbeddedEventLoop) -> (LEHost, ScriptedController, RecordingDelegate) {
        let (controller, delegate) = (ScriptedController(eventLoop: loop), RecordingDelegate())
        let host = LEHost(eventLoop: loop)
        host.delegate = delegate
        host.attach(to: controller)
        loop.advanceTime(by: .milliseconds(1))
        host.startScanning(ScanParameters())
        loop.advanceTime(by: .milliseconds(1))
        return (host, controller, delegate)
    }

    @Test("The host's user gets the whole advertisement once")
    func host() {
        let loop = EmbeddedEventLoop()
        let (host, controller, delegate) = Self.scanningHost(loop)
        for event in Self.fragments { controller.deliver(HCIPacket(h4: hex(event))) }
        loop.advanceTime(by: .milliseconds(1))
        let reports = [
            AdvertisingReport(
                address: Self.second,
                isConnectable: true,
                isScannable: false,
                isScanResponse: false,
                data: hex("01 FF"),
                rssi: -50,
                secondaryPHY: .le2M
            ),
            AdvertisingReport(
                address: Self.first,
                isConnectable: true,
                isScannable: false,
                isScanResponse: false,
                data: hex("02 01 06 03 09 48 69"),
                rssi: -60,
                secondaryPHY: .le2M
            ),
        ]
        #expect(delegate.reports == reports)
        withExtendedLifetime(host) {}
    }

    @Test("Fragments from before a new scan are not part of it")
    func restartedScan() {
        let loop = EmbeddedEventLoop()
        let (host, controller, delegate) = Self.scanningHost(loop)
        controller.deliver(HCIPacket(h4: hex(Self.fragments[0])))
        loop.advanceTime(by: .milliseconds(1))
        host.startScanning(ScanParameters())
        loop.advanceTime(by: .milliseconds(1))
        controller.deliver(HCIPacket(h4: hex(Self.fragments[2])))
        loop.advanceTime(by: .milliseconds(1))
        #expect(delegate.reports.map(\.data) == [hex("03 09 48 69")])
    }
}
