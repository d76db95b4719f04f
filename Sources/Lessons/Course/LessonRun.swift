// The run of a lesson: a world of devices in virtual time, and all that happens in it as entries of a trace. Equal runs
// have equal traces, also in their times, so that what a page shows can be compared with what happens.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation

/// A run of a lesson.
final class LessonRun {
    /// The devices' world.
    let world = World(seed: 8)
    /// What is changed in this run.
    let experiment: String?
    /// What has happened, without what was left out.
    private(set) var entries: [TimelineEntry] = []
    /// All that has happened.
    private var all: [TimelineEntry] = []
    /// What an entry has in it with which the trace goes on; `nil` where nothing is left out.
    private var resumption: String?
    private let report: (TimelineEntry) -> Void
    /// What apps keep as long as they run.
    private var kept: [Any] = []

    init(experiment: String?, report: @escaping (TimelineEntry) -> Void) {
        self.experiment = experiment
        self.report = report
        world.observer = self
    }

    // MARK: What lessons do

    /// Whether something is changed.
    func isTrying(_ name: String) -> Bool { experiment == name }

    /// Keeps an object to the end of the run.
    func keep<Object>(_ object: Object) -> Object {
        kept.append(object)
        return object
    }

    /// Makes the code of a device, and keeps it to the end of the run.
    @discardableResult
    func start<Object>(on device: Device, _ make: () -> Object) -> Object { keep(device.run(make)) }

    /// What an app uses to show its user a line.
    func screen(of device: String) -> (String) -> Void {
        { [weak self] line in self?.add(.app, device, "app", line) }
    }

    /// A clock for code that waits.
    func clock(of device: Device) -> (TimeInterval, @escaping () -> Void) -> Void {
        { [weak world] seconds, work in
            world?.after(.milliseconds(Int64((seconds * 1000).rounded()))) { device.run(work) }
        }
    }

    /// A heading in the trace.
    func heading(_ text: String) { add(.heading, "", "", text) }

    /// Leaves out what was in an earlier lesson, and says so.
    ///
    /// - Parameter text: What an entry has in it with which the trace goes on.
    func leaveOut(_ what: String, until text: String) {
        heading(what)
        resumption = text
    }

    /// Lets time pass until something has happened.
    func until(within limit: Duration = .seconds(30), _ condition: () -> Bool) throws {
        try world.run(until: condition, within: limit)
    }

    /// Lets time pass until a text stands in the trace, a number of times.
    func until(_ text: String, count: Int = 1) throws {
        try until(count: count) { $0.text.contains(text) }
    }

    /// Lets time pass until a device has shown a line that begins with a text.
    func until(_ device: String, shows text: String) throws {
        try until(count: 1) { $0.kind == .app && $0.device == device && $0.text.hasPrefix(text) }
    }

    /// Lets time pass until so many entries are of a kind; each is looked at once.
    private func until(count: Int, _ isMeant: (TimelineEntry) -> Bool) throws {
        var place = 0
        var found = 0
        try until {
            found += self.all[place...].count(where: isMeant)
            place = self.all.count
            return found >= count
        }
    }

    /// Ends the run; nothing more is added to the trace.
    func end() {
        world.observer = nil
        // As where processes end: it is no mistake of theirs that they are connected.
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
        // What concerns host and controller alone has no part in the story.
        case .hci: return
        case .app: return add(.call, entry.device, "Core Bluetooth", entry.text, at: entry.time)
        case .world: kind = .app
        case .gap:
            let isReport = entry.text.hasPrefix("Advertisement") || entry.text.hasPrefix("Scan response")
            kind = isSent ? .command : isReport ? .received : .event
        case .l2cap, .att, .smp: kind = isSent ? .sent : .received
        }
        // Of a long UUID the beginning, as in the calls.
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
