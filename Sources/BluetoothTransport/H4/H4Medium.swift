// The medium of H4. Media differ in whether synchronization can be lost, and in what a person has to do when the
// connection ends.

/// The medium of H4.
enum H4Medium: Hashable, Sendable, CustomStringConvertible {
    /// A stream socket, which loses nothing.
    case socket
    /// A serial line, which can lose octets and add noise.
    case serialPort(path: String, speed: Int)
    /// The user channel of a Linux adapter, which keeps packets apart.
    case linuxAdapter(index: Int)

    /// The name, as a part of a message.
    var description: String {
        switch self {
        case .socket: "a socket"
        case .serialPort(let path, _): "the serial port \(path)"
        case .linuxAdapter(let index): "hci\(index)"
        }
    }

    /// Whether the octets begin with a packet. Otherwise they are discarded up to the answer to
    /// a reset (Vol 4, Part A, 4).
    var beginsWithPacket: Bool {
        switch self {
        case .socket, .linuxAdapter: true
        case .serialPort: false
        }
    }

    /// Whether each read and each write is one packet.
    var keepsPacketsApart: Bool {
        switch self {
        case .linuxAdapter: true
        case .socket, .serialPort: false
        }
    }

    /// The message for a connection that `otherEnd` or the system has closed.
    ///
    /// - Parameters:
    ///   - error: The system's error.
    ///   - isInsidePacket: Whether a packet was incomplete.
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

    /// The message for a connection that received something that is not HCI.
    func nonsenseReason(_ otherEnd: String, _ error: String) -> String {
        switch self {
        case .socket, .linuxAdapter: "\(otherEnd) sent what is not HCI: \(error)"
        case .serialPort(let path, let speed):
            "what came from \(path) is not HCI: \(error); is the line sound, and is \(speed) its speed?"
        }
    }
}
