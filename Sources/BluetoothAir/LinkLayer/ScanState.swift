// The scanning and initiating states of a link layer (Vol 6, Part B, 4.4.3 and 4.4.4): what the radio listens for, and
// when. `Controller+Scanning` and `Controller+Initiating` have the commands that enter and leave them.
//
//     scan:       off ──LE Set (Extended) Scan Enable──▶ on ──disable, reset, duration over──▶ off
//     initiation: off ──LE (Extended) Create Connection──▶ on ──link, cancel, reset──▶ off
//
// off: `Controller.scan` or `Controller.initiation` is nil.
// scan on: `ScanState`. Reports pass the filter policy and then the duplicate filter. With a period, the radio listens
//     for `duration` in each period, and the duplicate filter may restart with each; with only a duration, LE Scan
//     Timeout ends the scan.
// initiation on: `InitiationState`. The first connectable advertising event of a wanted device creates the link; there
//     is no time limit.
//
// A peer fills the duplicate filter by changing its address or data. A full filter restarts, so a report may be
// repeated, and memory is bounded. Each advertising event passes in `now`; `Controller.scanTimer` ends a scan.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// When a radio listens: for a window in every interval.
struct ListeningPlan {
    var interval: TimeAmount
    var window: TimeAmount

    /// Whether the radio listens at `now`, having begun at `start`.
    func listens(at now: NIODeadline, since start: NIODeadline) -> Bool {
        self.window >= self.interval || (now - start).nanoseconds % self.interval.nanoseconds < self.window.nanoseconds
    }
}

/// The scan parameters of a host.
struct ScanSettings {
    /// How it scans on a primary PHY.
    struct Channel {
        var isActive: Bool
        var plan: ListeningPlan
    }

    var le1M: Channel? = Channel(
        isActive: false,
        plan: ListeningPlan(interval: .milliseconds(10), window: .milliseconds(10))
    )
    var leCoded: Channel?
    var ownAddressType = OwnAddressType.public
    var filterPolicy = ScanFilterPolicy.all

    /// How it scans on a primary PHY; `nil` if it does not.
    func channel(_ phy: PHY) -> Channel? { phy == .leCoded ? self.leCoded : self.le1M }

    /// Whether only devices of the filter accept list are reported.
    var usesAcceptList: Bool {
        self.filterPolicy == .acceptList || self.filterPolicy == .acceptListAndUnresolvedDirected
    }
}

/// A scan in progress.
struct ScanState {
    /// The identity of a report for the duplicate filter.
    private struct Key: Hashable {
        var address: DeviceAddress?
        var setIdentifier: UInt8
        var dataIdentifier: UInt32
        var isScanResponse: Bool
    }

    var parameters: ScanSettings
    /// Whether reports have the extended form.
    var isExtended: Bool
    var filter: DuplicateFilter
    var startTime: NIODeadline
    /// The duration of the scan, in each period if there are periods; `nil` for no limit.
    var duration: TimeAmount?
    var period: TimeAmount?
    /// The address in its scan requests.
    var address: DeviceAddress
    private var seen: Set<Key> = []
    private var seenPeriod: Int64 = 0

    /// A full filter restarts.
    private static let filterSize = 4_096

    init(
        parameters: ScanSettings,
        isExtended: Bool,
        filter: DuplicateFilter,
        startTime: NIODeadline,
        duration: TimeAmount?,
        period: TimeAmount?,
        address: DeviceAddress
    ) {
        self.parameters = parameters
        self.isExtended = isExtended
        self.filter = filter
        self.startTime = startTime
        self.duration = duration
        self.period = period
        self.address = address
    }

    /// Whether the scan listens in the present part of its period.
    func isInPeriod(_ now: NIODeadline) -> Bool {
        guard let duration, let period else { return true }
        return (now - self.startTime).nanoseconds % period.nanoseconds < duration.nanoseconds
    }

    /// Whether the duplicate filter lets a report pass.
    mutating func admits(_ pdu: AdvertisingPDU, isScanResponse: Bool, now: NIODeadline) -> Bool {
        guard self.filter != .off else { return true }
        if self.filter == .resetEachPeriod, let period {
            let current = (now - self.startTime).nanoseconds / period.nanoseconds
            if current != self.seenPeriod {
                self.seenPeriod = current
                self.seen.removeAll(keepingCapacity: true)
            }
        }
        if self.seen.count >= Self.filterSize { self.seen.removeAll(keepingCapacity: true) }
        let key = Key(
            address: pdu.address,
            // Legacy PDUs have no identifiers, so new data of the same device is a duplicate (Vol 6, Part B, 4.3.3).
            setIdentifier: pdu.isLegacy ? 0xFF : pdu.setIdentifier,
            dataIdentifier: pdu.isLegacy ? 0 : pdu.dataIdentifier,
            isScanResponse: isScanResponse
        )
        return self.seen.insert(key).inserted
    }
}

/// A connection that the host has requested and that does not exist yet.
struct InitiationState {
    /// How to listen and to connect on one PHY.
    struct Channel {
        var plan: ListeningPlan
        var parameters: ConnectionParameters
    }

    var le1M: Channel?
    var le2M: Channel?
    var leCoded: Channel?
    /// The device; `nil` for those of the filter accept list.
    var peer: DeviceAddress?
    var ownAddressType: OwnAddressType
    var address: DeviceAddress
    /// Whether it began with LE Extended Create Connection.
    var isExtended: Bool
    var startTime: NIODeadline

    /// How to connect to an advertiser; `nil` if it cannot be heard.
    ///
    /// If the host gave no parameters for the PHY of the link, those of another PHY are used (7.8.66).
    func channel(for pdu: AdvertisingPDU) -> Channel? {
        if pdu.isLegacy { return self.le1M }
        guard self.isExtended, (pdu.primaryPHY == .leCoded ? self.leCoded : self.le1M) != nil else { return nil }
        switch pdu.secondaryPHY {
        case .le2M: return self.le2M ?? self.le1M ?? self.leCoded
        case .leCoded: return self.leCoded ?? self.le1M
        default: return self.le1M ?? self.leCoded
        }
    }

    /// Whether the radio listens for an advertiser now.
    func listens(for pdu: AdvertisingPDU, at now: NIODeadline) -> Bool {
        let channel = pdu.primaryPHY == .leCoded ? self.leCoded : self.le1M
        return channel?.plan.listens(at: now, since: self.startTime) ?? false
    }
}
