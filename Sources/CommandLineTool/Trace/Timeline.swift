// The trace of this process: what its apps, Core Bluetooth and the controllers do, in order. It is printed line by
// line, kept in a file, or drawn as a picture when the process ends.

package import BluetoothHCI
import BluetoothHost
package import BluetoothTransport
import CoreBluetooth
import Foundation
import SequenceDiagram
import Synchronization

/// The trace of this process.
package final class Timeline: Sendable {
    /// The destination of a trace.
    package enum Destination: Sendable, Equatable {
        /// Lines on standard error.
        case lines
        /// A file of JSON lines.
        case file(String)
        /// A picture, drawn at the end.
        case diagram(String, DiagramFormat)
    }

    private struct State {
        var formatters: [String: PacketFormatter] = [:]
        /// Advertisements that are already in the trace; a device repeats each of them.
        var advertisements: Set<String> = []
        /// The entries of a picture.
        var entries: [TimelineEntry] = []
        var deviceWidth = 8
    }

    private static let advertisementLimit = 4_096
    private static let now = Mutex<Timeline?>(nil)

    /// The trace of this process, if one was requested.
    package static var current: Timeline? { now.withLock { $0 } }

    /// The start of the trace, in µs since 1970.
    package let start = TimelineEntry(.heading, of: "", layer: "", "").time
    /// The name of this process's device, if it has just one.
    package let device: String
    private let destination: Destination
    private let file: FileHandle?
    private let state = Mutex(State())

    init(_ destination: Destination, device: String) throws {
        self.destination = destination
        self.device = device
        switch destination {
        case .lines: file = nil
        case .file(let path), .diagram(let path, _):
            // Opened before anything starts, so that the reason for a failure fits in the one line that ends the
            // command.
            do {
                let descriptor = try PrivateFile.createOutput(path, as: "trace")
                file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            } catch {
                throw Failure(error.message)
            }
        }
    }

    /// Starts the trace of this process.
    ///
    /// - Parameters:
    ///   - destination: The destination.
    ///   - device: The name of this process's device, if it has just one.
    /// - Throws: ``Failure`` if its file cannot be written.
    package static func begin(_ destination: Destination, device: String) throws {
        let timeline = try Timeline(destination, device: device)
        now.withLock { $0 = timeline }
        if case .diagram = destination { atexit { Timeline.current?.finish() } }
    }

    // MARK: What happens

    /// Adds an entry.
    ///
    /// - Parameter isPrinted: Whether the program prints the entry in its own words, so the trace does not.
    package func add(_ entry: TimelineEntry, isPrinted: Bool = false) {
        state.withLock { add(entry, isPrinted: isPrinted, &$0) }
    }

    /// Adds a line that this process's app has printed.
    package func app(_ line: String) {
        add(TimelineEntry(.app, of: device, layer: "app", line), isPrinted: true)
    }

    private func add(_ entry: TimelineEntry, isPrinted: Bool, _ state: inout State) {
        switch destination {
        case .lines:
            guard !isPrinted else { return }
            state.deviceWidth = max(state.deviceWidth, entry.device.count)
            Console.report(entry.line(since: start, deviceWidth: state.deviceWidth))
        case .file: try? file?.write(contentsOf: TimelineFile.line(entry))
        case .diagram: if state.entries.count <= SequenceDiagram.limit { state.entries.append(entry) }
        }
    }

    fileprivate func passes(_ packet: HCIPacket, _ direction: BTSnoop.Direction, _ device: String) {
        state.withLock { state in
            let isSent = direction == .toController
            let description = state.formatters[device, default: PacketFormatter()]
                .describe(packet, isSent ? .toController : .toHost)
            // The story leaves out what concerns only the host and its controller.
            guard description.layer != .hci else { return }
            let isReport = packet.isAdvertisingReport
            if isReport {
                if state.advertisements.count >= Self.advertisementLimit { state.advertisements = [] }
                // The signal strength, at the end, varies.
                let content = description.text.split(separator: ",").dropLast().joined(separator: ",")
                guard state.advertisements.insert(device + " " + content).inserted else { return }
            }
            let isForOthers = isReport || packet.kind == .aclData
            let entry = TimelineEntry(
                isSent ? (isForOthers ? .sent : .command) : isForOthers ? .received : .event,
                of: device,
                layer: description.layer.description,
                description.text
            )
            add(entry, isPrinted: false, &state)
        }
    }

    /// Draws the picture.
    private func finish() {
        guard case .diagram(_, let format) = destination else { return }
        let entries = state.withLock { $0.entries }
        let diagram = TimelineDiagram.diagram(of: entries, title: CommandLine.arguments.tracedCommand)
        try? file?.write(contentsOf: Data(format.text(of: diagram).utf8))
    }
}

/// Adds the events of one device's adapter to the trace.
package final class TimelineObserver: AdapterObserver {
    private let timeline: Timeline
    private let device: String

    /// Creates an observer of a device's adapter.
    package init(_ timeline: Timeline, device: String) {
        self.timeline = timeline
        self.device = device
    }

    package func called(_ call: String) {
        timeline.add(TimelineEntry(.call, of: device, layer: "Core Bluetooth", call))
    }

    package func callsDelegate(_ callback: @autoclosure () -> String?) {
        guard let callback = callback() else { return }
        timeline.add(TimelineEntry(.callback, of: device, layer: "Core Bluetooth", callback))
    }

    package func passes(_ packet: HCIPacket, _ direction: BTSnoop.Direction) {
        timeline.passes(packet, direction, device)
    }
}

extension [String] {
    /// The traced command as a title: the program's name and its arguments.
    fileprivate var tracedCommand: String {
        let name = first.map { URL(fileURLWithPath: $0).lastPathComponent } ?? ""
        return PrintableText.text(([name] + dropFirst()).joined(separator: " "))
    }
}
