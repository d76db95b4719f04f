// Scanning for all central managers of an adapter: what was heard of each advertiser, and what each manager was told.
//
// The host reports every packet; coalescing happens here, since only here it is known which manager has heard what. An
// advertiser whose scan response is still to come is held back until it is there or the next packet shows that it was
// lost, so that the first `didDiscover` knows the name.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// The advertisers around one adapter.
final class Scanning {
    /// How many advertisers are remembered; of more, those that were silent longest are forgotten.
    static let capacity = 1024

    /// What a session was told of an advertiser in its present scan.
    private struct Told {
        var session: Int
        var scan: Int
        /// `nil` while the first report is held back.
        var facts: AdvertisementFacts?
    }

    private final class Advertiser {
        var data = ByteBuffer()
        var scanResponse: ByteBuffer?
        var isConnectable: Bool
        var hasData = false
        var merged: Advertisement
        var record: IdentityStore.Record
        var told: [Told] = []
        var lastHeard: NIODeadline

        init(record: IdentityStore.Record, now: NIODeadline) {
            self.record = record
            self.isConnectable = false
            self.merged = Advertisement(data: ByteBuffer(), scanResponse: nil, isConnectable: false)
            self.lastHeard = now
        }
    }

    private var advertisers: [DeviceAddress: Advertiser] = [:]
    private var isOn = false

    /// Brings the host's scanning to what the sessions want.
    ///
    /// A session that starts anew hears everything again.
    func update(_ core: AdapterCore) {
        let isWanted = core.centralSessions.contains { $0.filter != nil }
        guard isWanted != self.isOn else { return }
        self.isOn = isWanted
        if isWanted {
            core.host.startScanning(ScanRequest())
        } else {
            core.host.stopScanning()
            self.advertisers = [:]
        }
    }

    /// The adapter stopped.
    func reset() {
        self.isOn = false
        self.advertisers = [:]
    }

    /// Takes in a packet.
    func receive(_ report: AdvertisingReport, _ core: AdapterCore) {
        guard self.isOn else { return }
        let advertiser = self.advertiser(report.address, core)
        advertiser.lastHeard = core.eventLoop.now
        if report.isScanResponse {
            // A response that follows no packet says nothing of whether the device can be connected to.
            guard advertiser.hasData else { return }
            if advertiser.scanResponse != report.data {
                advertiser.scanResponse = report.data
                self.merge(advertiser, core)
            }
        } else if !advertiser.hasData || advertiser.data != report.data
            || advertiser.isConnectable != report.isConnectable
        {
            advertiser.data = report.data
            advertiser.isConnectable = report.isConnectable
            advertiser.hasData = true
            self.merge(advertiser, core)
        }
        for session in core.centralSessions {
            guard let filter = session.filter, advertiser.merged.matches(filter) else { continue }
            if filter.allowsDuplicates || self.isNews(report, of: advertiser, to: session) {
                session.tell(.discovered(self.discovery(report, of: advertiser, filter, core)))
            }
        }
    }

    private func advertiser(_ address: DeviceAddress, _ core: AdapterCore) -> Advertiser {
        if let known = self.advertisers[address] { return known }
        if self.advertisers.count >= Self.capacity { self.forgetSilent() }
        let advertiser = Advertiser(record: core.identities.record(for: address), now: core.eventLoop.now)
        self.advertisers[address] = advertiser
        return advertiser
    }

    /// Forgets the quarter that was silent longest.
    ///
    /// Ties are decided by address, so that equal runs stay equal.
    private func forgetSilent() {
        let order = self.advertisers.sorted { left, right in
            (left.value.lastHeard, left.key.value) < (right.value.lastHeard, right.key.value)
        }
        for (address, _) in order.prefix(Self.capacity / 4) { self.advertisers[address] = nil }
    }

    private func merge(_ advertiser: Advertiser, _ core: AdapterCore) {
        advertiser.merged = Advertisement(
            data: advertiser.data,
            scanResponse: advertiser.scanResponse,
            isConnectable: advertiser.isConnectable
        )
        if let name = advertiser.merged.localName, advertiser.record.name != name {
            core.identities.setName(name, of: advertiser.record.address)
            advertiser.record.name = name
        }
    }

    /// Whether a session that filters duplicates is to hear of the packet.
    private func isNews(_ report: AdvertisingReport, of advertiser: Advertiser, to session: CentralSession) -> Bool {
        let facts = advertiser.merged.facts
        let index: Int
        if let known = advertiser.told.firstIndex(where: { $0.session == session.number }) {
            index = known
        } else {
            advertiser.told.append(Told(session: session.number, scan: session.scanNumber - 1, facts: nil))
            index = advertiser.told.count - 1
        }
        if advertiser.told[index].scan != session.scanNumber {
            advertiser.told[index].scan = session.scanNumber
            if report.isScannable, !report.isScanResponse, advertiser.scanResponse == nil {
                advertiser.told[index].facts = nil
                return false
            }
            advertiser.told[index].facts = facts
            return true
        }
        guard let told = advertiser.told[index].facts else {
            advertiser.told[index].facts = facts
            return true
        }
        advertiser.told[index].facts = told.union(facts)
        return !facts.isSubset(of: told)
    }

    private func discovery(
        _ report: AdvertisingReport,
        of advertiser: Advertiser,
        _ filter: ScanFilter,
        _ core: AdapterCore
    ) -> Discovery {
        let overflow = advertiser.merged.overflow
        return Discovery(
            peer: PeerDescription(advertiser.record),
            advertisement: advertiser.merged,
            overflowServices: overflow.map { area in (filter.services ?? []).filter(area.mayContain) } ?? [],
            rssi: report.rssi,
            timestamp: core.timestamp,
            primaryPHY: report.primaryPHY,
            secondaryPHY: report.secondaryPHY
        )
    }
}
