// A case of the soak: streams that run at once, and the stops in them.

import BenchmarkSupport
import BluetoothTypes
import Foundation

/// The streams that run at once.
enum SoakCase: String, CaseIterable {
    case write
    case notify
    case up
    case down
    case all

    var streams: [Stream] { Stream(rawValue: self.rawValue).map { [$0] } ?? Stream.allCases }
}

/// Runs cases on one air, one after another.
final class CaseRunner {
    private let programs: Programs
    private let air: SoakAir
    private let octets: Int
    private let stops: Int
    private let longest: Double
    private var transfers: UInt64 = 0

    init(programs: Programs, air: SoakAir, octets: Int, stops: Int, longest: Double) {
        self.programs = programs
        self.air = air
        self.octets = octets
        self.stops = stops
        self.longest = longest
    }

    private func receiver(of stream: Stream) -> ChildProcess {
        stream.isSentByCentral ? self.programs.peripheral : self.programs.central
    }

    private func sender(of stream: Stream) -> ChildProcess {
        stream.isSentByCentral ? self.programs.central : self.programs.peripheral
    }

    /// Runs a case, and prints a line about it.
    func run(_ case: SoakCase, _ generator: inout SeededGenerator) {
        self.transfers += 1
        let streams = `case`.streams
        // A stop is at a point of a stream after which its sender cannot have handed over the rest.
        var marks: [Stream: [Int]] = [:]
        for _ in 0..<self.stops {
            let stream = streams[Int.random(in: streams.indices, using: &generator)]
            let share = Double.random(in: 0.05...0.5, using: &generator)
            marks[stream, default: []].append(Int(Double(self.blocks(of: stream)) * share))
        }
        for stream in streams {
            let numbers = (marks[stream] ?? []).map { " \($0)" }.joined()
            let order = "\(stream) \(self.transfers) \(self.blocks(of: stream))"
            self.programs.order(self.receiver(of: stream), "receive \(order)\(numbers)", answer: "armed")
        }
        let start = DispatchTime.now().uptimeNanoseconds
        for stream in streams {
            self.sender(of: stream).send("send \(stream) \(self.transfers) \(self.blocks(of: stream))")
        }
        var open = Set(streams.flatMap { ["sent \($0)", "received \($0)"] })
        var stopped = 0.0
        var victims: [String] = []
        while !open.isEmpty {
            let (process, line) = self.programs.nextLine()
            if line.hasPrefix("marked "), let stream = Stream(rawValue: String(line.dropFirst(7))) {
                expect(open.contains("sent \(stream)"), "a stop of \(stream) was not within the stream")
                let (seconds, victim) = self.stop(receiver: process, &generator)
                stopped += seconds
                victims.append(String(format: "%@ %.1f s", victim, seconds))
            } else if line != "progress" {
                expect(open.remove(line) != nil, "\(line) a second time")
            }
        }
        let wall = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        // A value that came twice would arrive before this answer.
        self.programs.order(self.programs.central, "fence", answer: "fenced")
        _ = self.programs.checkMemory()
        let sum = streams.reduce(0) { $0 + self.blocks(of: $1) * $1.blockSize }
        let rate = Double(sum) / 1e6 / max(wall - stopped, 1e-3)
        print(
            "\(self.air.text): \(`case`.rawValue): \(sum) octets in \(String(format: "%.1f s, %.0f MB/s", wall, rate))"
                + (victims.isEmpty ? "" : " beside the stops; stopped: \(victims.joined(separator: ", "))")
        )
        fflush(stdout)
    }

    private func blocks(of stream: Stream) -> Int { (self.octets + stream.blockSize - 1) / stream.blockSize }

    /// Stops a process for a while; `receiver` takes nothing until the process is stopped.
    private func stop(receiver: ChildProcess, _ generator: inout SeededGenerator) -> (seconds: Double, victim: String) {
        let isReceiver = Int.random(in: 0..<3, using: &generator) < 2
        let others = self.programs.all.filter { $0 !== receiver }
        let victim = isReceiver ? receiver : others[Int.random(in: others.indices, using: &generator)]
        let seconds = Double.random(in: 0...self.longest, using: &generator)
        victim.stop()
        receiver.send("go")
        let deadline = Date(timeIntervalSinceNow: seconds)
        Thread.sleep(until: deadline)
        victim.signal(SIGCONT)
        return (seconds, self.programs.name(victim))
    }
}
