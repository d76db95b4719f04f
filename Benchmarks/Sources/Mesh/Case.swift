// The cases, each in a separate process: a world in process time needs its own, and no case warms anything up
// for the next.

import BenchmarkSupport
import CKernelClock
import Foundation

enum Case: String, CaseIterable {
    case two, minute, line, ten, twentyFive, fifty

    var title: String {
        switch self {
        case .two: "two devices, a public and a private message"
        case .minute: "a quiet minute of two devices"
        case .line: "five in a line, a private message over four hops"
        case .ten: "10 devices, a message to all"
        case .twentyFive: "25 devices, a message to all"
        case .fifty: "50 devices, a message to all"
        }
    }

    /// The times of the prototype with fixed steps of a millisecond, in a debug build, in seconds of virtual and of
    /// real time.
    var prototype: String {
        switch self {
        case .two: "0.5 s in 0.13 s"
        case .minute: "60 s in 6 s"
        case .line: "6.8 s in 1.8 s"
        case .ten: "3.1 s in 3.6 s"
        case .twentyFive: "11 s in 61 s"
        case .fifty: "not in 150 s"
        }
    }

    var aim: String {
        switch self {
        case .two, .ten: ""
        case .minute: "50 ms"
        case .line: "0.5 s"
        case .twentyFive: "5 s without the app's own work"
        case .fifty: "real time without the app's own work"
        }
    }

    /// Runs the case and measures all of it, or, for the quiet minute, the minute only.
    @MainActor
    func run(seed: UInt64, trace: String?) throws -> Figures {
        let start = Moment.present(nil)
        let network = Network(seed: seed)
        var begin = start
        switch self {
        case .two:
            network.addLine(2)
            try network.getAcquainted()
            try network.publish()
            try network.confide()
        case .minute:
            network.addLine(2)
            try network.getAcquainted()
            network.world.advance(by: .seconds(60))
            begin = Moment.present(network)
            network.world.advance(by: .seconds(60))
        case .line:
            network.addLine(5)
            try network.getAcquainted()
            try network.confide()
        case .ten, .twentyFive, .fifty:
            network.addCrowd(self == .ten ? 10 : self == .twentyFive ? 25 : 50)
            try network.getAcquainted()
            try network.publish()
        }
        let figures = Figures(from: begin, to: Moment.present(network))
        if let trace {
            let text = "\(network.world.trace.includingHCI)\n"
            try text.write(toFile: trace, atomically: true, encoding: .utf8)
        }
        return figures
    }
}

/// Times and counts at a moment.
struct Moment {
    var virtual = 0.0
    var real: Double
    var processor: Double
    var counts = MeshCounts()
    var events = 0

    @MainActor
    static func present(_ network: Network?) -> Moment {
        Moment(
            virtual: network.map { $0.world.now / .seconds(1) } ?? 0,
            real: Double(kernel_nanoseconds()) / 1e9,
            processor: Meter.processorTime(),
            counts: network?.counts ?? MeshCounts(),
            events: (network?.world.trace.includingHCI).map { $0.count + $0.forgottenCount } ?? 0
        )
    }
}

/// The cost of a case.
struct Figures: Codable {
    /// Seconds.
    var virtual, real, processor: Double
    /// Packets of the messenger that arrived.
    var packets: Int
    /// Commands, events and data between hosts and controllers.
    var events: Int
    /// The work of the apps, and the cost of each part, in seconds.
    var work: [Work]

    struct Work: Codable {
        var name: String
        var count: Int
        var cost: Double
    }

    /// The seconds of the apps' own work, from the cost of each part alone.
    var ownWork: Double { self.work.reduce(0) { $0 + Double($1.count) * $1.cost } }

    init(from begin: Moment, to end: Moment) {
        self.virtual = end.virtual - begin.virtual
        self.real = end.real - begin.real
        self.processor = end.processor - begin.processor
        self.packets = end.counts.packetsReceived - begin.counts.packetsReceived
        self.events = end.events - begin.events
        func work(_ name: String, _ path: KeyPath<MeshCounts, Int>) -> Work {
            Work(name: name, count: end.counts[keyPath: path] - begin.counts[keyPath: path], cost: 0)
        }
        self.work = [
            work("signature checked", \.signaturesChecked), work("signature made", \.signaturesMade),
            work("JSON read", \.documentsDecoded), work("JSON written", \.documentsEncoded),
            work("identifier in hexadecimal", \.identifiersConverted),
        ]
    }
}
