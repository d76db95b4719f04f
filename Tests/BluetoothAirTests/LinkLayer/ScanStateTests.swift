// When a radio listens, what its duplicate filter lets pass, and on which PHY it connects: the values behind scanning and
// initiating.

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
            parameters: ScanParameters(),
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
        for (time, listens) in [(0, true), (29, true), (30, false), (99, false), (100, true), (130, false)] {
            #expect(plan.listens(at: Self.start + .milliseconds(Int64(time)), since: Self.start) == listens, "\(time)")
        }
        let always = self.plan(.milliseconds(30), .milliseconds(30))
        for time in [0, 29, 30, 31] as [Int64] {
            #expect(always.listens(at: Self.start + .milliseconds(time), since: Self.start))
        }
    }

    @Test("a scan with a period listens for its duration in each period; another one always")
    func periods() {
        let periodic = self.scan(.off, duration: .seconds(1), period: .seconds(3))
        for (time, isIn) in [(0, true), (999, true), (1_000, false), (2_999, false), (3_000, true), (4_000, false)] {
            #expect(periodic.isInPeriod(Self.start + .milliseconds(Int64(time))) == isIn, "\(time)")
        }
        #expect(self.scan(.off, duration: .seconds(1)).isInPeriod(Self.start + .hours(1)))
        #expect(self.scan(.off).isInPeriod(Self.start + .hours(1)))
    }

    @Test("the duplicate filter begins anew with each period only where it is to, and tells apart what differs")
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

    @Test("a link begins with the parameters of its PHY, or of another one where the host gave none (7.8.66)")
    func channels() {
        func channel(_ interval: Int64) -> InitiationState.Channel {
            InitiationState.Channel(plan: self.plan(.milliseconds(interval), .milliseconds(1)), parameters: .initial)
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
        // On 1M first: each secondary PHY.
        #expect(used(all, self.pdu(secondary: .le1M)) == .le1M)
        #expect(used(all, self.pdu(secondary: .le2M)) == .le2M)
        #expect(used(all, self.pdu(secondary: .leCoded)) == .leCoded)
        #expect(used([.le1M], self.pdu(secondary: .le2M)) == .le1M)
        #expect(used([.le1M], self.pdu(secondary: .leCoded)) == .le1M)
        #expect(used([.leCoded], self.pdu(secondary: .le1M)) == nil, "it does not listen on 1M")
        // On the coded PHY first.
        #expect(used([.leCoded], self.pdu(primary: .leCoded, secondary: .le1M)) == .leCoded)
        #expect(used([.leCoded], self.pdu(primary: .leCoded, secondary: .le2M)) == .leCoded)
        #expect(used([.leCoded], self.pdu(primary: .leCoded, secondary: .leCoded)) == .leCoded)
        #expect(used(all, self.pdu(primary: .leCoded, secondary: .le1M)) == .le1M)
        #expect(used([.le1M, .le2M], self.pdu(primary: .leCoded, secondary: .le1M)) == nil)
        // Legacy advertising is on 1M, whatever the command was; extended is for the extended command.
        #expect(used(all, self.pdu([.legacy, .connectable], secondary: .le2M), isExtended: false) == .le1M)
        #expect(used(all, self.pdu(), isExtended: false) == nil)
    }

    @Test("on which PHY an initiator listens and connects, for all that it was given and all that comes, on record")
    func initiators() {
        for given in 0..<8 {
            func channel(_ bit: Int) -> InitiationState.Channel? {
                guard given & 1 << bit != 0 else { return nil }
                let plan = self.plan(.milliseconds(Int64(bit + 4)), .milliseconds(Int64(bit + 1)))
                return InitiationState.Channel(plan: plan, parameters: .initial)
            }
            for isExtended in [true, false] {
                let state = InitiationState(
                    le1M: channel(0),
                    le2M: channel(1),
                    leCoded: channel(2),
                    peer: nil,
                    ownAddressType: .public,
                    address: .none,
                    isExtended: isExtended,
                    startTime: Self.start
                )
                for isLegacy in [true, false] {
                    for primary in [PHY.le1M, .leCoded] {
                        for secondary in [PHY.le1M, .le2M, .leCoded] {
                            let pdu = self.pdu(
                                isLegacy ? [.legacy, .connectable] : .connectable,
                                primary: primary,
                                secondary: secondary
                            )
                            let used = state.channel(for: pdu)?.plan.interval.nanoseconds ?? 0
                            let listens = (0..<14).map { time in
                                state.listens(for: pdu, at: Self.start + .milliseconds(time)) ? "1" : "0"
                            }
                            RunRecord.note(
                                "\(given) \(isExtended) \(isLegacy) \(primary) \(secondary): \(used) \(listens.joined())"
                            )
                        }
                    }
                }
            }
        }
    }

    @Test("reports that come by chance pass each duplicate filter as a list of what was seen says", arguments: 0...2)
    func filters(filter: UInt8) {
        var generator = SeededGenerator(seed: UInt64(filter) + 1)
        var scan = self.scan(DuplicateFilter(rawValue: filter), duration: .seconds(1), period: .seconds(3))
        var seen: Set<[Int]> = []
        var period = 0
        var time = 0
        for _ in 0..<1_000 {
            let numbers = (0..<5).map { _ in Int.random(in: 0...1, using: &generator) }
            time += [0, 1, 100, 999][Int.random(in: 0...3, using: &generator)]
            if filter == 2, time / 3_000 != period {
                period = time / 3_000
                seen = []
            }
            let isLegacy = numbers[0] == 1
            let pdu = self.pdu(
                isLegacy ? [.legacy, .connectable] : .connectable,
                address: UInt64(numbers[1]),
                set: UInt8(numbers[2]),
                data: UInt32(numbers[3])
            )
            let key = isLegacy ? [1, numbers[1], 0, 0, numbers[4]] : numbers
            let isNew = seen.insert(key).inserted || filter == 0
            let now = Self.start + .milliseconds(Int64(time))
            let isAdmitted = scan.admits(pdu, isScanResponse: numbers[4] == 1, now: now)
            #expect(isAdmitted == isNew)
            RunRecord.note("\(time) \(isAdmitted)")
        }
    }

    @Test("the length of a packet is limited in octets and in time, each by itself (Vol 6, Part B, 4.5.10)")
    func lengths() {
        let length = DataLength(octets: 100, time: 1_000)
        #expect(length.limited(by: DataLength(octets: 99, time: 1_001)) == DataLength(octets: 99, time: 1_000))
        #expect(length.limited(by: DataLength(octets: 101, time: 999)) == DataLength(octets: 100, time: 999))
        #expect(length.limited(by: length) == length)
    }
}

extension ConnectionParameters {
    fileprivate static let initial = ConnectionParameters(
        minimumInterval: ConnectionInterval(rawValue: 24),
        maximumInterval: ConnectionInterval(rawValue: 24),
        supervisionTimeout: SupervisionTimeout(rawValue: 72)
    )
}
