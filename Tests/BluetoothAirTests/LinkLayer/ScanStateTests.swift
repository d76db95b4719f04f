import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Scan and initiation states")
struct ScanStateTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000)

    private func plan(_ interval: TimeAmount, _ window: TimeAmount) -> ListeningPlan {
        ListeningPlan(interval: interval, window: window)
    }

    private func pdu(
        _ properties: AdvertisingEventProperties = .connectable,
        primary: PHY = .le1M,
        secondary: PHY = .le1M,
        address: UInt64 = 1,
        set: UInt8 = 0,
        data: UInt32 = 0
    ) -> AdvertisingPDU {
        AdvertisingPDU(
            properties: properties,
            address: DeviceAddress(address, kind: .public),
            target: nil,
            data: ByteBuffer(),
            txPower: 0,
            primaryPHY: primary,
            secondaryPHY: secondary,
            setIdentifier: set,
            dataIdentifier: data
        )
    }

    private func scan(
        _ filter: DuplicateFilter,
        duration: TimeAmount? = nil,
        period: TimeAmount? = nil
    ) -> ScanState {
        ScanState(
            parameters: ScanSettings(),
            isExtended: true,
            filter: filter,
            startTime: Self.start,
            duration: duration,
            period: period,
            address: .none
        )
    }

    @Test("a radio listens from the start of each interval to the end of its window")
    func windows() {
        let plan = self.plan(.milliseconds(100), .milliseconds(30))
        let always = self.plan(.milliseconds(30), .milliseconds(30))
        for (time, listens) in [(0, true), (29, true), (30, false), (99, false), (100, true), (130, false)] {
            let now = Self.start + .milliseconds(Int64(time))
            #expect(plan.listens(at: now, since: Self.start) == listens, "\(time)")
            #expect(always.listens(at: now, since: Self.start))
        }
    }

    @Test("a scan with a period listens for its duration in each period; another one always")
    func periods() {
        let periodic = self.scan(.off, duration: .seconds(1), period: .seconds(3))
        for (time, isIn) in [(0, true), (999, true), (1_000, false), (2_999, false), (3_000, true), (4_000, false)] {
            #expect(periodic.isInPeriod(Self.start + .milliseconds(Int64(time))) == isIn, "\(time)")
        }
        for duration in [TimeAmount.seconds(1), nil] {
            #expect(self.scan(.off, duration: duration).isInPeriod(Self.start + .hours(1)))
        }
    }

    @Test("restarts the duplicate filter with each period only on request, and tells different reports apart")
    func duplicates() {
        for (filter, again) in [(DuplicateFilter.off, true), (.on, false), (.resetEachPeriod, true)] {
            var scan = self.scan(filter, duration: .seconds(1), period: .seconds(3))
            #expect(self.admits(&scan, self.pdu(), .zero))
            #expect(self.admits(&scan, self.pdu(), .milliseconds(2_999)) == (filter == .off))
            #expect(self.admits(&scan, self.pdu(), .seconds(3)) == again)
        }
        var scan = self.scan(.on)
        for different in [
            self.pdu(), self.pdu(address: 2), self.pdu(set: 1), self.pdu(data: 1), self.pdu([.legacy, .connectable]),
        ] {
            #expect(self.admits(&scan, different, .zero))
            #expect(!self.admits(&scan, different, .zero))
        }
        // Legacy PDUs have neither a set nor a data identifier.
        #expect(!self.admits(&scan, self.pdu([.legacy, .connectable], set: 3, data: 7), .zero))
        #expect(scan.admits(self.pdu(), isScanResponse: true, now: Self.start) == true)
    }

    @Test("a filter of 4,096 reports begins anew with the next one")
    func fullFilter() {
        var scan = self.scan(.on)
        for address in 1...4_096 as ClosedRange<UInt64> { _ = self.admits(&scan, self.pdu(address: address), .zero) }
        #expect(self.admits(&scan, self.pdu(address: 5_000), .zero))
        #expect(self.admits(&scan, self.pdu(address: 1), .zero), "it was forgotten")
        #expect(!self.admits(&scan, self.pdu(address: 5_000), .zero))
    }

    private func admits(_ scan: inout ScanState, _ pdu: AdvertisingPDU, _ time: TimeAmount) -> Bool {
        scan.admits(pdu, isScanResponse: false, now: Self.start + time)
    }

    @Test("begins a link with the parameters of its PHY, or of another PHY if there are none (7.8.66)")
    func channels() {
        func channel(_ interval: Int64) -> InitiationState.Channel {
            InitiationState.Channel(
                plan: self.plan(.milliseconds(interval), .milliseconds(1)),
                parameters: TestHost.parameters
            )
        }
        /// The PHY whose parameters are used, with those of some given.
        func used(_ given: Set<PHY>, _ pdu: AdvertisingPDU, isExtended: Bool = true) -> PHY? {
            let state = InitiationState(
                le1M: given.contains(.le1M) ? channel(1) : nil,
                le2M: given.contains(.le2M) ? channel(2) : nil,
                leCoded: given.contains(.leCoded) ? channel(3) : nil,
                peer: nil,
                ownAddressType: .public,
                address: .none,
                isExtended: isExtended,
                startTime: Self.start
            )
            return state.channel(for: pdu).map { PHY(rawValue: UInt8($0.plan.interval.nanoseconds / 1_000_000)) }
        }
        let all: Set<PHY> = [.le1M, .le2M, .leCoded]
        for (given, primary, secondary, expected) in [
            (all, .le1M, .le1M, .le1M), (all, .le1M, .le2M, .le2M), (all, .le1M, .leCoded, .leCoded),
            ([.le1M], .le1M, .le2M, .le1M), ([.le1M], .le1M, .leCoded, .le1M),
            // It does not listen on 1M.
            ([.leCoded], .le1M, .le1M, nil),
            ([.leCoded], .leCoded, .le1M, .leCoded), ([.leCoded], .leCoded, .le2M, .leCoded),
            ([.leCoded], .leCoded, .leCoded, .leCoded), (all, .leCoded, .le1M, .le1M),
            ([.le1M, .le2M], .leCoded, .le1M, nil),
        ] as [(Set<PHY>, PHY, PHY, PHY?)] {
            #expect(used(given, self.pdu(primary: primary, secondary: secondary)) == expected)
        }
        // Legacy advertising is on 1M, whatever the command was; extended is for the extended command.
        #expect(used(all, self.pdu([.legacy, .connectable], secondary: .le2M), isExtended: false) == .le1M)
        #expect(used(all, self.pdu(), isExtended: false) == nil)
    }
}
