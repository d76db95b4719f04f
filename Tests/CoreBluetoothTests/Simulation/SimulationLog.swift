import BluetoothHCI
import NIOCore

/// The last lines of a simulation, and the first violations of its invariants.
final class SimulationLog {
    private enum Line {
        case text(NIODeadline, String)
        case packet(NIODeadline, device: Int, isFromHost: Bool, HCIPacket)
    }

    private static let capacity = 400

    private var lines: [Line] = []
    private var next = 0
    private(set) var violations: [String] = []
    var now: () -> NIODeadline = { .uptimeNanoseconds(0) }

    func note(_ text: String) { self.add(.text(self.now(), text)) }

    /// A packet between a host and its controller; it is formatted only if the log is printed.
    func note(_ packet: HCIPacket, of device: Int, isFromHost: Bool) {
        self.add(.packet(self.now(), device: device, isFromHost: isFromHost, packet))
    }

    private func add(_ line: Line) {
        // Only what led to the first violation is of interest.
        guard self.violations.isEmpty else { return }
        if self.lines.count < Self.capacity {
            self.lines.append(line)
        } else {
            self.lines[self.next] = line
            self.next = (self.next + 1) % Self.capacity
        }
    }

    func violation(_ text: String) {
        if self.violations.count < 10 { self.violations.append(text) }
    }

    func require(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { self.violation(text()) }
    }

    /// The last lines.
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
