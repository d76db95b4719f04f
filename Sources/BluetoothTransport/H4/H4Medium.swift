// What carries the octets of H4. They are the same everywhere; what differs is whether the place between two packets
// can get lost, and what a person has to do when the end comes.

/// What carries H4.
enum H4Medium: Hashable, Sendable, CustomStringConvertible {
    /// A stream socket, which loses nothing.
    case socket
    /// A serial line, which can lose octets and bring noise.
    case serialPort(path: String, speed: Int)
    /// The user channel of a Linux adapter, which carries whole packets.
    case linuxAdapter(index: Int)

    /// The name, as one part of a line for a person.
    var description: String {
        switch self {
        case .socket: "a socket"
        case .serialPort(let path, _): "the serial port \(path)"
        case .linuxAdapter(let index): "hci\(index)"
        }
    }

    /// Whether the octets begin at the beginning of a packet. Where they do not, all is thrown away up to the answer to
    /// a reset (Vol 4, Part A, 4).
    var beginsWithPacket: Bool {
        switch self {
        case .socket, .linuxAdapter: true
        case .serialPort: false
        }
    }

    /// Whether each write has to be one packet, as each read is.
    var keepsPacketsApart: Bool {
        switch self {
        case .linuxAdapter: true
        case .socket, .serialPort: false
        }
    }

    /// Why the connection is over that `otherEnd` or the system has ended.
    ///
    /// - Parameters:
    ///   - error: What the system said.
    ///   - isInsidePacket: Whether a packet had begun.
    func endReason(_ otherEnd: String, error: String?, isInsidePacket: Bool) -> String {
        switch self {
        case .socket:
            if let error { return "the connection to \(otherEnd) broke: \(error)" }
            return "\(otherEnd) closed the connection\(isInsidePacket ? " in the middle of a packet" : "")"
        case .serialPort, .linuxAdapter:
            let cause = error.map { " (\($0))" } ?? ""
            return "\(self) is gone\(cause): plug it in again, or look at what the kernel says of it with dmesg"
        }
    }

    /// Why the connection is over on which something came that is not HCI.
    func nonsenseReason(_ otherEnd: String, _ error: String) -> String {
        switch self {
        case .socket, .linuxAdapter: "\(otherEnd) sent what is not HCI: \(error)"
        case .serialPort(let path, let speed):
            "what came from \(path) is not HCI: \(error); is the line sound, and is \(speed) its speed?"
        }
    }
}
