// The log of a randomized test, and the first violations in it.

import BluetoothHCI
import Fixtures
import NIOCore

@testable import CoreBluetooth

/// The last lines of a run, and its violations.
final class RandomizedTestLog {
    private enum Line {
        case text(NIODeadline, String)
        case packet(NIODeadline, device: Int, isFromHost: Bool, HCIPacket)
    }

    private var lines: [Line] = []
    private var next = 0
    /// The first violations of an invariant.
    private(set) var violations: [String] = []
    var now: () -> NIODeadline = { .uptimeNanoseconds(0) }

    /// How many lines are kept.
    static let capacity = 400

    func note(_ line: @autoclosure () -> String) {
        let text = line()
        RunRecord.note("\(self.now().uptimeNanoseconds) \(text)")
        self.add(.text(self.now(), text))
    }

    /// A packet between a host and its controller; it is formatted only where the log is printed.
    func note(_ packet: HCIPacket, of device: Int, isFromHost: Bool) {
        self.add(.packet(self.now(), device: device, isFromHost: isFromHost, packet))
    }

    private func add(_ line: Line) {
        // What led to the first violation is what is of interest.
        guard self.violations.isEmpty else { return }
        if self.lines.count < Self.capacity {
            self.lines.append(line)
        } else {
            self.lines[self.next] = line
            self.next = (self.next + 1) % Self.capacity
        }
    }

    /// Something that must never be.
    func violation(_ text: String) {
        if self.violations.count < 10 { self.violations.append(text) }
    }

    func require(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { self.violation(text()) }
    }

    /// What happened last.
    var trace: String {
        (self.lines[self.next...] + self.lines[..<self.next]).map { line in
            switch line {
            case .text(let time, let text): "\(Self.seconds(time)) \(text)"
            case .packet(let time, let device, let isFromHost, let packet):
                "\(Self.seconds(time)) HCI \(device) \(isFromHost ? "<" : ">") \(packet)"
            }
        }.joined(separator: "\n")
    }

    private static func seconds(_ time: NIODeadline) -> Double { Double(time.uptimeNanoseconds / 1000) / 1e6 }
}
