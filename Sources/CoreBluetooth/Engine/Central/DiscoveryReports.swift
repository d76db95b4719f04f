// Scanning for all central managers of an adapter: what was received from each advertiser, and what was reported to
// each manager.
//
// The host reports every packet; coalescing happens here, since only here it is known what was reported to which
// manager. An advertiser whose scan response is still to come is deferred until it is there or the next packet shows
// that it was lost, so that the first `didDiscover` has the name.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// One manager's present scan.
struct Scan: Hashable, Sendable {
    /// The manager's session.
    var session: Int
    /// How many scans it has started; to a new one everything is reported again.
    var number: Int
    var filter: ScanFilter
}

/// The advertisers around one adapter.
struct DiscoveryReports {
    /// How many advertisers are remembered; of more, those that were silent longest are forgotten.
    static let capacity = 1024

    /// What was reported to a session of an advertiser in its present scan.
    private struct Reported {
        var session: Int
        var scan: Int
        /// `nil` while the first report is deferred.
        var facts: AdvertisementFacts?
    }

    private final class Advertiser {
        var data = ByteBuffer()
        var scanResponse: ByteBuffer?
        var isConnectable: Bool
        var hasData = false
        var merged: Advertisement
        var record: IdentityStore.Record
        var reported: [Reported] = []
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

    init(identities: IdentityStore) { self.identities = identities }

    /// Forgets all advertisers: no manager scans any more.
    mutating func reset() { self.advertisers = [:] }

    /// Takes in a packet; `report` is called for each scan that it is reported to.
    mutating func receive(
        _ packet: AdvertisingReport,
        for scans: [Scan],
        now: NIODeadline,
        timestamp: CFAbsoluteTime,
        report: (Scan, Discovery) -> Void
    ) {
        let advertiser = self.advertiser(packet.address, now)
        advertiser.lastHeard = now
        if packet.isScanResponse {
            // A response that follows no packet says nothing of whether the device can be connected to.
            guard advertiser.hasData else { return }
            if advertiser.scanResponse != packet.data {
                advertiser.scanResponse = packet.data
                self.merge(advertiser)
            }
        } else if !advertiser.hasData || advertiser.data != packet.data
            || advertiser.isConnectable != packet.isConnectable
        {
            advertiser.data = packet.data
            advertiser.isConnectable = packet.isConnectable
            advertiser.hasData = true
            self.merge(advertiser)
        }
        for scan in scans where advertiser.merged.matches(scan.filter) {
            guard scan.filter.allowsDuplicates || Self.isNews(packet, of: advertiser, to: scan) else { continue }
            report(scan, Self.discovery(packet, of: advertiser, scan.filter, timestamp))
        }
    }

    private mutating func advertiser(_ address: DeviceAddress, _ now: NIODeadline) -> Advertiser {
        if let known = self.advertisers[address] { return known }
        if self.advertisers.count >= Self.capacity { self.forgetSilent() }
        let advertiser = Advertiser(record: self.identities.record(for: address), now: now)
        self.advertisers[address] = advertiser
        return advertiser
    }

    /// Forgets the quarter that was silent longest.
    ///
    /// Ties are decided by address, so that equal runs stay equal.
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

    /// Whether the packet is reported to a scan that filters duplicates.
    private static func isNews(_ report: AdvertisingReport, of advertiser: Advertiser, to scan: Scan) -> Bool {
        let facts = advertiser.merged.facts
        guard
            let index = advertiser.reported.firstIndex(where: { $0.session == scan.session && $0.scan == scan.number })
        else {
            advertiser.reported.removeAll { $0.session == scan.session }
            let isDeferred = report.isScannable && advertiser.scanResponse == nil
            advertiser.reported.append(
                Reported(session: scan.session, scan: scan.number, facts: isDeferred ? nil : facts)
            )
            return !isDeferred
        }
        guard let reported = advertiser.reported[index].facts else {
            advertiser.reported[index].facts = facts
            return true
        }
        advertiser.reported[index].facts = reported.union(facts)
        return !facts.isSubset(of: reported)
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
