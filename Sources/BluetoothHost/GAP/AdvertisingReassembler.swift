// Puts the data of extended advertising together, which has up to 1650 octets and which a controller may report in
// fragments (Vol 4, Part E, 7.7.65.13). Each fragment but the last one says "incomplete, more data to come"; the last
// one says "complete", or "incomplete, data truncated" where the controller could not receive the rest. Fragments of
// one advertisement agree in address, advertising set and PHYs; fragments of others may come between them.
//
//              "more data to come"             longer than 1650 octets
//     absent ─────────────────────▶ collecting ─────────────────────▶ overlong
//        ▲                              │                                │
//        ├── the last fragment: report ─┘                                │
//        ├── the last fragment ──────────────────────────────────────────┘
//        └── too late for another fragment, or displaced at the limit
//
// absent: nothing of the advertisement is kept; a report that is whole passes through.
// collecting: fragments are kept, and the last one is awaited.
// overlong: no advertisement is so long, so ends were lost between; what comes up to the next end is ignored.
//
// What a peer can do: fill the memory for `limit` advertisements. One more displaces the one that has been waiting
// longest, which is reported as truncated; what comes of it afterwards begins anew. What a controller can do: leave out
// an end. Fragments do not say which of them is the first, so what comes in time is taken for the rest, and what comes
// later begins anew. Time comes in as `now`.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The fragments of extended advertising that one controller has reported so far.
struct AdvertisingReassembler {
    /// The longest advertising or scan response data, in octets (Vol 4, Part E, 7.8.57).
    static let maximumDataLength = 1650
    /// How many advertisements are collected at a time.
    static let limit = 32
    /// How long the next fragment may take: a packet announces the next one of its chain at most 2.46 s ahead (Vol 6,
    /// Part B, 2.3.4.5).
    static let fragmentTimeout = TimeAmount.seconds(3)

    /// What is the same in all fragments.
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

    /// The advertisements that are awaited, the one with the oldest fragment first.
    private var collected: [Collected] = []

    /// Takes a report.
    /// - Returns: An advertisement or a scan response with all its data, or with what came of it where its status says
    ///   that it is truncated; `nil` while there is none to report.
    mutating func receive(_ report: LEExtendedAdvertisingReport, now: NIODeadline) -> LEExtendedAdvertisingReport? {
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

    /// The controller has stopped scanning: nothing more comes of what it has reported in part.
    mutating func reset() { self = AdvertisingReassembler() }
}
