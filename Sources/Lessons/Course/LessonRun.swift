// The run of a lesson: a world of devices in virtual time, whose events are the entries of a trace. Runs are
// repeatable, times included, so that the text of a page can be checked against them.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation

/// A run of a lesson.
final class LessonRun {
    /// The world of the devices.
    let world = World(seed: 8)
    /// The change in this run.
    let experiment: String?
    /// The trace, without the parts that were left out.
    private(set) var entries: [TimelineEntry] = []
    /// The complete trace.
    private var all: [TimelineEntry] = []
    /// The text of the entry with which the trace continues; `nil` if nothing is being left out.
    private var resumption: String?
    private let report: (TimelineEntry) -> Void
    /// Objects that apps keep until the end of the run.
    private var kept: [Any] = []

    init(experiment: String?, report: @escaping (TimelineEntry) -> Void) {
        self.experiment = experiment
        self.report = report
        world.observer = self
    }

    // MARK: For lessons

    /// Whether the run has a change.
    func isTrying(_ name: String) -> Bool { experiment == name }

    /// Keeps an object until the end of the run.
    func keep<Object>(_ object: Object) -> Object {
        kept.append(object)
        return object
    }

    /// Starts the code of a device, and keeps it until the end of the run.
    @discardableResult
    func start<Object>(on device: Device, _ make: () -> Object) -> Object { keep(device.run(make)) }

    /// Returns a function that shows a line to the user of a device.
    func screen(of device: String) -> (String) -> Void {
        { [weak self] line in self?.add(.app, device, "app", line) }
    }

    /// A clock for code that waits.
    func clock(of device: Device) -> (TimeInterval, @escaping () -> Void) -> Void {
        { [weak world] seconds, work in
            world?.after(.milliseconds(Int64((seconds * 1000).rounded()))) { device.run(work) }
        }
    }

    /// Adds a heading to the trace.
    func heading(_ text: String) { add(.heading, "", "", text) }

    /// Leaves out what an earlier lesson has shown, under a heading that says so.
    ///
    /// - Parameter text: A text in the entry with which the trace continues.
    func leaveOut(_ what: String, until text: String) {
        heading(what)
        resumption = text
    }

    /// Advances time until a condition is true.
    func until(within limit: Duration = .seconds(30), _ condition: () -> Bool) throws {
        try world.run(until: condition, within: limit)
    }

    /// Advances time until a text has occurred in the trace a number of times.
    func until(_ text: String, count: Int = 1) throws {
        try until(count: count) { $0.text.contains(text) }
    }

    /// Advances time until a device has shown a line that begins with a text.
    func until(_ device: String, shows text: String) throws {
        try until(count: 1) { $0.kind == .app && $0.device == device && $0.text.hasPrefix(text) }
    }

    /// Advances time until a number of entries match; each entry is checked once.
    private func until(count: Int, _ isMeant: (TimelineEntry) -> Bool) throws {
        var place = 0
        var found = 0
        try until {
            found += self.all[place...].count(where: isMeant)
            place = self.all.count
            return found >= count
        }
    }

    /// Ends the run; nothing is added to the trace afterwards.
    func end() {
        world.observer = nil
        // Connections may be open here, as at the end of a process.
        withoutLogLines { kept = [] }
    }

    // MARK: The trace

    private func add(_ kind: TimelineEntry.Kind, _ device: String, _ layer: String, _ text: String) {
        add(kind, device, layer, text, at: world.now)
    }

    private func add(
        _ kind: TimelineEntry.Kind,
        _ device: String,
        _ layer: String,
        _ text: String,
        at time: Duration
    ) {
        let entry = TimelineEntry(kind, of: device, layer: layer, text, at: time.microseconds)
        all.append(entry)
        if let resumption, !text.contains(resumption) { return }
        resumption = nil
        entries.append(entry)
        report(entry)
    }
}

extension LessonRun: WorldObserver {
    func traced(_ entry: TraceEntry) {
        let isSent = entry.direction == .sent
        let kind: TimelineEntry.Kind
        switch entry.layer {
        // The story leaves out what concerns only the host and its controller.
        case .hci: return
        case .app: return add(.call, entry.device, "Core Bluetooth", entry.text, at: entry.time)
        case .world: kind = .app
        case .gap:
            let isReport = entry.text.hasPrefix("Advertisement") || entry.text.hasPrefix("Scan response")
            kind = isSent ? .command : isReport ? .received : .event
        case .l2cap, .att, .smp: kind = isSent ? .sent : .received
        }
        // Only the beginning of a long UUID, as in the calls.
        let text = entry.text.replacing(#/([0-9A-F]{8})(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}/#) { "\($0.1)…" }
        add(kind, entry.device, entry.layer.rawValue, text, at: entry.time)
    }

    func callsDelegate(_ callback: String, on device: String, at time: Duration) {
        add(.callback, device, "Core Bluetooth", callback, at: time)
    }
}

extension Duration {
    fileprivate var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
