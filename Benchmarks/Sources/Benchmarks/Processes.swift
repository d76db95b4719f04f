// Hosts in processes of their own, on the air of a third, `corebluetooth air`. Each host counts its own processor time,
// user and system, so a figure is the cost for one device, without the other one and the air.
//
// This program starts itself for the two hosts (see Member.swift), writes orders to their standard input, and
// reads on their standard output that they were carried out and what they cost.

import BenchmarkSupport
import Foundation

/// An air and two hosts, each a process.
final class Processes {
    /// The processor time of all operations in each host, in seconds.
    struct Cost {
        var sending: TimeMeasurement
        var receiving: TimeMeasurement
    }

    private let folder: URL
    private let air: ChildProcess
    private let loops: (sender: ChildProcess, receiver: ChildProcess)
    private let peripheral: ChildProcess
    private let central: ChildProcess

    init() {
        let own = ChildProcess.program()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("benchmark-\(getpid())")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let socket = folder.appendingPathComponent("air").path
        func member(_ role: String) -> ChildProcess {
            let process = ChildProcess(
                own,
                ["--member", role, "air:unix:\(socket)"],
                state: folder.appendingPathComponent(role)
            )
            process.wait(for: "ready")
            return process
        }
        self.folder = folder
        self.air = ChildProcess(
            ChildProcess.program("corebluetooth"),
            ["air", "--listen", "unix:\(socket)"],
            state: folder
        )
        self.air.wait(for: "listening")
        self.peripheral = member("peripheral")
        self.central = member("central")
        let bare = folder.appendingPathComponent("bare").path
        func loop(_ role: String) -> ChildProcess {
            let process = ChildProcess(own, ["--loop", role, bare], state: folder)
            process.wait(for: "ready")
            return process
        }
        let receiver = loop("receiver")
        self.loops = (loop("sender"), receiver)
    }

    deinit {
        let processes = [self.central, self.peripheral, self.air, self.loops.sender, self.loops.receiver]
        for process in processes { process.end() }
        try? FileManager.default.removeItem(at: self.folder)
    }

    /// The peripheral notifies; `pace` is the time from one to the next in microseconds, 0 for as fast as it goes.
    func notify(_ count: Int, octets: Int, pace: Int) -> Cost {
        self.measure(count, from: self.peripheral, to: self.central, "notify", octets, pace)
    }

    /// The central writes without response.
    func write(_ count: Int, octets: Int, pace: Int) -> Cost {
        self.measure(count, from: self.central, to: self.peripheral, "write", octets, pace)
    }

    /// The central reads a value that the peripheral's host answers by itself, one after another.
    func read(_ count: Int) -> Cost {
        self.measure(count, from: self.central, to: self.peripheral, "read", 0, 0)
    }

    /// The peripheral's app does nothing at a pace, to measure the cost of the pace itself.
    func idle(_ count: Int, pace: Int) -> TimeMeasurement {
        let start = DispatchTime.now().uptimeNanoseconds
        _ = self.peripheral.mark()
        self.peripheral.order("idle \(count) 0 \(pace)", answer: "done")
        let wall = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        let usage = self.peripheral.mark()
        return TimeMeasurement(count: count, wall: wall, processor: usage.processor, sleeps: usage.sleeps)
    }

    /// The cost of an event loop of SwiftNIO and a socket at a pace, without a host.
    func bareLoop(_ count: Int, pace: Int) -> Cost {
        self.measure(count, from: self.loops.sender, to: self.loops.receiver, "send", 0, pace)
    }

    private func measure(
        _ count: Int,
        from sender: ChildProcess,
        to receiver: ChildProcess,
        _ what: String,
        _ octets: Int,
        _ pace: Int
    ) -> Cost {
        receiver.order("expect \(what) \(count)", answer: "armed")
        let start = DispatchTime.now().uptimeNanoseconds
        for process in [sender, receiver] { _ = process.mark() }
        sender.order("\(what) \(count) \(octets) \(pace)", answer: "done")
        // A read is over when its sender has the answer.
        if what != "read" { receiver.wait(for: "done") }
        let wall = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        func cost(_ process: ChildProcess) -> TimeMeasurement {
            let usage = process.mark()
            return TimeMeasurement(count: count, wall: wall, processor: usage.processor, sleeps: usage.sleeps)
        }
        return Cost(sending: cost(sender), receiving: cost(receiver))
    }
}

/// The cases, each with one row for the host that sends and one for the host that receives.
enum ProcessCases {
    /// The time from one operation to the next at a radio's pace, in microseconds: some 500 a second.
    private static let pace = 2000
    private static let octets = 244

    static func run() {
        let processes = Processes()
        let stream = 200_000 / scale
        let paced = 1_000 / min(scale, 20)
        self.add("notification of 244 octets, stream", sending: "≤ 0.8 µs", receiving: "≤ 0.6 µs") {
            processes.notify(stream, octets: self.octets, pace: 0)
        }
        self.add("write without response of 244 octets, stream", sending: "≤ 0.8 µs", receiving: "≤ 0.8 µs") {
            processes.write(stream, octets: self.octets, pace: 0)
        }
        self.add("notification of 244 octets, 500/s", sending: "≤ 35 µs", receiving: "≤ 35 µs") {
            processes.notify(paced, octets: self.octets, pace: self.pace)
        }
        self.add("write without response of 244 octets, 500/s", sending: "≤ 35 µs", receiving: "≤ 35 µs") {
            processes.write(paced, octets: self.octets, pace: self.pace)
        }
        self.add("a packet on SwiftNIO alone, 500/s", sending: "", receiving: "") {
            processes.bareLoop(paced, pace: self.pace)
        }
        let idle = Meter.median(of: runs) { processes.idle(paced, pace: self.pace) }
        self.row("three processes: nothing, 500/s: the app's own timer", idle, aim: "")
        self.add("read", sending: "≤ 25 µs", receiving: "≤ 25 µs") { processes.read(20_000 / scale) }
    }

    private static func add(_ name: String, sending: String, receiving: String, _ measure: () -> Processes.Cost) {
        let costs = (0..<runs).map { _ in measure() }
        for (side, key, aim) in [("sending", \Processes.Cost.sending, sending), ("receiving", \.receiving, receiving)] {
            let sorted = costs.map { $0[keyPath: key] }.sorted { $0.processor < $1.processor }
            self.row("three processes: \(name), \(side) it", sorted[sorted.count / 2], aim: aim)
        }
    }

    private static func row(_ name: String, _ cost: TimeMeasurement, aim: String) {
        table.add(
            name,
            String(
                format: "%.2f µs CPU, %.2f µs elapsed",
                cost.microsecondsPerOperation,
                cost.wallMicrosecondsPerOperation
            ),
            String(format: "%.0f/s, %.2f wake-ups each", cost.operationsPerSecond, cost.wakeUpsPerOperation),
            aim: aim
        )
    }
}

extension ChildProcess {
    /// A program whose state is kept in a folder of its own: no bonds and identities are left behind, and
    /// none are found.
    fileprivate convenience init(_ program: URL, _ arguments: [String], state: URL) {
        self.init(program, arguments, environment: ["XDG_STATE_HOME": state.path])
    }

    /// The processor time since the last mark, in seconds, and the number of times that a thread went to sleep.
    fileprivate func mark() -> (processor: Double, sleeps: Int) {
        self.send("mark")
        let words = self.wait(for: "usage").split(separator: " ").map(String.init)
        return (words.count > 1 ? Double(words[1]) ?? .nan : .nan, words.count > 2 ? Int(words[2]) ?? 0 : 0)
    }
}
