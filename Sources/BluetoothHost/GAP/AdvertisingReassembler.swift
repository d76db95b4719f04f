// Reassembles the data of extended advertising, which a controller may report in fragments (Vol 4, Part E, 7.7.65.13).
// The status of each fragment but the last one is "incomplete, more data to come"; that of the last one is "complete",
// or "incomplete, data truncated" if the controller could not receive the rest. Fragments of one advertisement have the
// same address, advertising set and PHYs; fragments of others may come in between.
//
//              "more data to come"             longer than 1650 octets
//     absent ─────────────────────▶ collecting ─────────────────────▶ overlong
//        ▲                              │                                │
//        ├── the last fragment: report ─┘                                │
//        ├── the last fragment ──────────────────────────────────────────┘
//        └── too late for another fragment, or displaced at the limit
//
// absent: no fragment is stored; a complete report passes through. collecting: fragments are stored, and the last one
// is awaited. overlong: no advertisement is that long, so last fragments were lost; everything up to the next last
// fragment is ignored.
//
// A peer can fill the memory for `limit` advertisements. One more evicts the one that has waited longest, which is
// reported as truncated; later fragments of it start a new advertisement. A controller can omit a last fragment.
// Fragments do not say which is the first, so those that arrive in time are taken for the rest, and later ones start a
// new advertisement. Deadlines are passed in as `now`.

package import BluetoothHCI
import BluetoothTypes
package import NIOCore

/// The fragments of extended advertising from one controller.
package struct AdvertisingReassembler {
    /// The longest advertising or scan response data, in octets.
    static let maximumDataLength = AdvertisingDataLimits.extended
    /// The largest number of advertisements that are collected at a time.
    static let limit = 32
    /// The time limit of the next fragment: the next packet of a chain follows at most 2.46 s later (Vol 6, Part B,
    /// 2.3.4.5).
    static let fragmentTimeout = TimeAmount.seconds(3)

    /// The fields that are the same in all fragments.
    private struct Source: Equatable {
        let address: DeviceAddress?
        let setIdentifier: UInt8?
        let primaryPHY: PHY
        let secondaryPHY: PHY?
        let isScanResponse: Bool

        init(_ report: LEExtendedAdvertisingReport) {
            self.address = report.address
            self.setIdentifier = report.setIdentifier
            self.primaryPHY = report.primaryPHY
            self.secondaryPHY = report.secondaryPHY
            self.isScanResponse = report.eventType.contains(.scanResponse)
        }
    }

    private struct Collected {
        let source: Source
        /// The latest fragment with the data of all of them.
        var report: LEExtendedAdvertisingReport
        var isOverlong: Bool
        let deadline: NIODeadline
    }

    /// The incomplete advertisements, the one with the oldest fragment first.
    private var collected: [Collected] = []

    /// No fragment is stored.
    package init() {}

    /// Takes a report.
    /// - Returns: An advertisement or a scan response with all its data, or with a part of it if its status is
    ///   truncated; `nil` if there is none to report.
    package mutating func receive(
        _ report: LEExtendedAdvertisingReport,
        now: NIODeadline
    ) -> LEExtendedAdvertisingReport? {
        let isLast = report.eventType.dataStatus != .incomplete
        if isLast, self.collected.isEmpty { return report }
        let source = Source(report)
        var next = Collected(
            source: source,
            report: report,
            isOverlong: false,
            deadline: now + Self.fragmentTimeout
        )
        if let index = self.collected.firstIndex(where: { $0.source == source }) {
            var earlier = self.collected.remove(at: index)
            if now < earlier.deadline {
                earlier.report.data.writeImmutableBuffer(report.data)
                next.report.data = earlier.report.data
                next.isOverlong = earlier.isOverlong || next.report.data.readableBytes > Self.maximumDataLength
            }
        }
        if isLast { return next.isOverlong ? nil : next.report }
        if next.isOverlong { next.report.data = ByteBuffer() }
        self.collected.append(next)
        return self.collected.count > Self.limit ? self.displaceOldest(now: now) : nil
    }

    /// Stops waiting for the advertisement with the oldest fragment.
    private mutating func displaceOldest(now: NIODeadline) -> LEExtendedAdvertisingReport? {
        var oldest = self.collected.removeFirst()
        guard !oldest.isOverlong, now < oldest.deadline else { return nil }
        oldest.report.eventType.dataStatus = .truncated
        return oldest.report
    }

    /// The controller has stopped scanning: partial advertisements will not be completed.
    mutating func reset() { self = AdvertisingReassembler() }
}
