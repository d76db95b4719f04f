// Scanning for all central managers of an adapter: the advertisements of each advertiser, and what each manager has
// discovered of it.
//
// The host hands on every advertising report. It becomes a discovery here, where it is known what a manager has
// discovered before. If an advertiser's scan response is still to come, the discovery waits until it is there or the
// next report shows that it was lost, so that the first `didDiscover` has the name.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// One manager's present scan.
struct Scan: Hashable, Sendable {
    /// The manager's session.
    var session: Int
    /// The number of the scan; everything is reported again to a new one.
    var number: Int
    var filter: ScanFilter
}

/// A manager's other half, which hands discoveries to it.
protocol DiscoveringSession: AnyObject {
    /// An advertiser was discovered.
    func discovered(_ discovery: Discovery)
}

/// The advertisers around one adapter, and what was discovered of them.
struct Discoveries {
    /// The number of advertisers; beyond it the least recently heard are evicted.
    static let capacity = 1024

    /// A session's discovery of an advertiser in its present scan.
    private struct Known {
        var session: Int
        var scan: Int
        /// `nil` while the first discovery is deferred.
        var facts: AdvertisementFacts?
    }

    private final class Advertiser {
        var data = ByteBuffer()
        var scanResponse: ByteBuffer?
        var isConnectable: Bool
        var hasData = false
        var merged: Advertisement
        var record: IdentityStore.Record
        var known: [Known] = []
        var lastHeard: NIODeadline

        init(record: IdentityStore.Record, now: NIODeadline) {
            self.record = record
            self.isConnectable = false
            self.merged = Advertisement(data: ByteBuffer(), scanResponse: nil, isConnectable: false)
            self.lastHeard = now
        }
    }

    private let identities: IdentityStore
    private var advertisers: [DeviceAddress: Advertiser] = [:]
    /// The scans at the last report, and how often they have changed.
    private var servedScans: [Scan] = []
    private var servedScansCount = 0

    init(identities: IdentityStore) { self.identities = identities }

    /// Forgets all advertisers: no manager scans.
    mutating func reset() { self.advertisers = [:] }

    /// The reports that can lead to discoveries of these scans. The scans are noted, since changed scans need the
    /// reports of all devices again.
    mutating func reportNeed(of sessions: [(session: some DiscoveringSession, scan: Scan)]) -> AdvertisingReportNeed {
        if !sessions.lazy.map(\.scan).elementsEqual(self.servedScans) {
            self.servedScans = sessions.map(\.scan)
            self.servedScansCount += 1
        }
        return sessions.contains(where: \.scan.filter.allowsDuplicates) ? .all : .changes(self.servedScansCount)
    }

    /// Takes an advertising report, and hands the discovery to each session whose scan finds something new in it.
    mutating func receive(
        _ report: AdvertisingReport,
        for sessions: [(session: some DiscoveringSession, scan: Scan)],
        now: NIODeadline,
        timestamp: CFAbsoluteTime
    ) {
        let advertiser = self.advertiser(report.address, now)
        advertiser.lastHeard = now
        if report.isScanResponse {
            // A response without an advertisement before it does not say whether the device is connectable.
            guard advertiser.hasData else { return }
            if advertiser.scanResponse != report.data {
                advertiser.scanResponse = report.data
                self.merge(advertiser)
            }
        } else if !advertiser.hasData || advertiser.data != report.data
            || advertiser.isConnectable != report.isConnectable
        {
            advertiser.data = report.data
            advertiser.isConnectable = report.isConnectable
            advertiser.hasData = true
            self.merge(advertiser)
        }
        for (session, scan) in sessions where advertiser.merged.matches(scan.filter) {
            guard scan.filter.allowsDuplicates || Self.isNews(report, of: advertiser, to: scan) else { continue }
            session.discovered(Self.discovery(report, of: advertiser, scan.filter, timestamp))
        }
    }

    private mutating func advertiser(_ address: DeviceAddress, _ now: NIODeadline) -> Advertiser {
        if let known = self.advertisers[address] { return known }
        if self.advertisers.count >= Self.capacity { self.forgetSilent() }
        let advertiser = Advertiser(record: self.identities.record(for: address), now: now)
        self.advertisers[address] = advertiser
        return advertiser
    }

    /// Evicts the least recently heard quarter.
    ///
    /// Ties are decided by address, so that runs are repeatable.
    private mutating func forgetSilent() {
        let order = self.advertisers.sorted { left, right in
            (left.value.lastHeard, left.key.value) < (right.value.lastHeard, right.key.value)
        }
        for (address, _) in order.prefix(Self.capacity / 4) { self.advertisers[address] = nil }
    }

    private func merge(_ advertiser: Advertiser) {
        advertiser.merged = Advertisement(
            data: advertiser.data,
            scanResponse: advertiser.scanResponse,
            isConnectable: advertiser.isConnectable
        )
        if let name = advertiser.merged.localName, advertiser.record.advertisedName != name {
            self.identities.setName(name, of: advertiser.record.address)
            advertiser.record.advertisedName = name
        }
    }

    /// The GAP Device Name of an advertiser became known.
    mutating func learned(_ record: IdentityStore.Record) { self.advertisers[record.address]?.record = record }

    /// An advertiser is known by its identity address now, under which it is heard from now on.
    mutating func identified(_ record: IdentityStore.Record, before address: DeviceAddress) {
        guard let advertiser = self.advertisers.removeValue(forKey: address) else {
            self.advertisers[record.address]?.record = record
            return
        }
        advertiser.record = record
        self.advertisers[record.address] = advertiser
    }

    /// Whether a scan that filters duplicates discovers something in a report.
    private static func isNews(_ report: AdvertisingReport, of advertiser: Advertiser, to scan: Scan) -> Bool {
        let facts = advertiser.merged.facts
        guard
            let index = advertiser.known.firstIndex(where: { $0.session == scan.session && $0.scan == scan.number })
        else {
            advertiser.known.removeAll { $0.session == scan.session }
            let isDeferred = report.isScannable && advertiser.scanResponse == nil
            advertiser.known.append(Known(session: scan.session, scan: scan.number, facts: isDeferred ? nil : facts))
            return !isDeferred
        }
        guard let known = advertiser.known[index].facts else {
            advertiser.known[index].facts = facts
            return true
        }
        advertiser.known[index].facts = known.union(facts)
        return !facts.isSubset(of: known)
    }

    private static func discovery(
        _ report: AdvertisingReport,
        of advertiser: Advertiser,
        _ filter: ScanFilter,
        _ timestamp: CFAbsoluteTime
    ) -> Discovery {
        let overflow = advertiser.merged.overflow
        return Discovery(
            peer: PeerDescription(advertiser.record),
            advertisement: advertiser.merged,
            overflowServices: overflow.map { area in (filter.services ?? []).filter(area.mayContain) } ?? [],
            rssi: report.rssi,
            timestamp: timestamp,
            primaryPHY: report.primaryPHY.rawValue,
            secondaryPHY: report.secondaryPHY?.rawValue ?? 0
        )
    }
}
