// `corebluetooth scan --raw`: every advertising packet, read from the events of the controller. Core Bluetooth scans,
// and does not see the packets first.

import BluetoothHCI
import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation
import NIOCore
import Synchronization

/// Hands the reports of advertising packets to the main thread, those of fragments once they are complete.
final class RawReportObserver: AdapterObserver {
    /// Called on the main thread.
    let onReports: @MainActor @Sendable ([RawReport]) -> Void
    private let reassembler = Mutex(AdvertisingReassembler())

    init(_ onReports: @escaping @MainActor @Sendable ([RawReport]) -> Void) { self.onReports = onReports }

    func called(_ call: String) {}

    func callsDelegate(_ callback: @autoclosure () -> String?) {}

    func passes(_ packet: HCIPacket, _ direction: BTSnoop.Direction) {
        guard direction == .toHost else { return }
        let reports = self.reports(of: packet, at: Date(), now: .now())
        guard !reports.isEmpty else { return }
        let onReports = onReports
        DispatchQueue.main.async { MainActor.assumeIsolated { onReports(reports) } }
    }

    /// The reports that a packet has or completes.
    func reports(of packet: HCIPacket, at time: Date, now: NIODeadline) -> [RawReport] {
        switch try? HCIEvent(packet) {
        case .leAdvertisingReports(let reports): reports.map { RawReport($0, at: time) }
        case .leExtendedAdvertisingReports(let reports):
            reassembler.withLock { reassembler in
                reports.compactMap { reassembler.receive($0, now: now).map { RawReport($0, at: time) } }
            }
        default: []
        }
    }
}

/// Prints advertising packets.
@MainActor
final class RawScan {
    /// The advertisers whose packets are remembered for the interval.
    private static let capacity = 4_096

    private struct Source: Hashable {
        var address: DeviceAddress?
        var pdu: String
        var set: Int?
    }

    private let filter: ScanSession.Filter
    private let output: OutputFormat
    private var lastHeard: [Source: Date] = [:]
    /// The criteria of the filter that advertisers have met.
    private var met: [DeviceAddress: ScanSession.Filter.Criteria] = [:]

    init(_ filter: ScanSession.Filter, _ output: OutputFormat) { (self.filter, self.output) = (filter, output) }

    /// Takes reports and prints those that pass the filter.
    func receive(_ reports: [RawReport]) {
        for report in reports {
            let source = Source(address: report.address, pdu: report.pdu, set: report.set)
            var report = report
            report.interval = lastHeard[source].map { report.time.timeIntervalSince($0) }
            if lastHeard.count >= Self.capacity { lastHeard = [:] }
            lastHeard[source] = report.time
            if passes(report) { output.write(output.isJSON ? report.object.text : report.line) }
        }
    }

    /// An advertiser is chosen by all of its packets.
    private func passes(_ report: RawReport) -> Bool {
        if let least = filter.rssi, report.rssi ?? .min < least { return false }
        let criteria = filter.criteria
        guard !criteria.isEmpty else { return true }
        guard let address = report.address else { return false }
        if met.count >= Self.capacity { met = [:] }
        met[address, default: []].formUnion(filter.met(by: AdvertisingData(parsing: report.data)))
        return met[address]?.isSuperset(of: criteria) == true
    }
}
