// The string that names an adapter, the same in every tool, test and environment variable. Parsing says nothing about
// whether the adapter exists; opening it does.

/// The name of an adapter.
public enum AdapterName: Hashable, Sendable, CustomStringConvertible {
    /// `air`: the air shared by the user's processes.
    case userAir
    /// `air:PATH` or `air:tcp:HOST:PORT`: an air served at this address.
    case air(StreamAddress)
    /// `h4:unix:PATH` or `h4:tcp:HOST:PORT`: a controller behind a socket.
    case h4(StreamAddress)
    /// `h4:serial:PATH@SPEED`: a controller on a serial port; the speed is in bits per second.
    case serial(path: String, bitsPerSecond: Int)
    /// `hciN`: a Linux adapter.
    case linux(index: Int)
    /// `bluez` or `bluez:hciN`: the adapter that BlueZ has, without a number the first one that is switched on.
    case bluez(index: Int?)

    /// The forms of a name, for messages and help.
    package static let forms =
        "air, air:PATH, air:tcp:HOST:PORT, h4:unix:PATH, h4:tcp:HOST:PORT, h4:serial:DEVICE@SPEED, hci0, bluez "
        + "or bluez:hci0"

    /// Parses a name.
    ///
    /// - Throws: ``TransportError`` with one line on the error and the correct form.
    package init(parsing text: String) throws(TransportError) {
        if text == "air" {
            self = .userAir
        } else if let rest = text.droppingPrefix("air:") {
            self = .air(try Self.airAddress(rest, in: text))
        } else if let rest = text.droppingPrefix("h4:") {
            self = try Self.h4(parsing: rest, in: text)
        } else if let digits = text.droppingPrefix("hci") {
            self = .linux(index: try Self.index(digits, in: text))
        } else if text == "bluez" {
            self = .bluez(index: nil)
        } else if let digits = text.droppingPrefix("bluez:hci") {
            self = .bluez(index: try Self.index(digits, in: text))
        } else if text.isEmpty {
            throw TransportError(.badName, "the name of an adapter is empty: use \(Self.forms)")
        } else {
            throw TransportError(.badName, "\"\(text)\" names no adapter: use \(Self.forms)")
        }
    }

    private static func airAddress(_ rest: String, in text: String) throws(TransportError) -> StreamAddress {
        guard !rest.isEmpty else {
            throw TransportError(
                .badName,
                "\"air:\" lacks the place of the air: write air:PATH or air:tcp:HOST:PORT, or air alone for your own"
            )
        }
        if let tcp = rest.droppingPrefix("tcp:") { return try .tcp(parsing: tcp, in: text) }
        return .unix(path: try StreamAddress.checked(path: rest.droppingPrefix("unix:") ?? rest, in: text))
    }

    private static func h4(parsing rest: String, in text: String) throws(TransportError) -> AdapterName {
        if let path = rest.droppingPrefix("unix:") {
            return .h4(.unix(path: try StreamAddress.checked(path: path, in: text)))
        }
        if let tcp = rest.droppingPrefix("tcp:") { return .h4(try .tcp(parsing: tcp, in: text)) }
        guard let serial = rest.droppingPrefix("serial:") else {
            throw TransportError(
                .badName,
                "\"\(text)\" does not say what carries H4: write h4:unix:PATH, h4:tcp:HOST:PORT or "
                    + "h4:serial:DEVICE@SPEED"
            )
        }
        guard let at = serial.lastIndex(of: "@") else {
            throw TransportError(
                .badName,
                "\"\(text)\" lacks the speed: write h4:serial:DEVICE@SPEED, such as @1000000"
            )
        }
        let path = String(serial[..<at])
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw TransportError(.badName, "\"\(text)\" lacks the device: write h4:serial:/dev/ttyACM0@1000000")
        }
        guard let speed = number(serial[serial.index(after: at)...]), (1...20_000_000).contains(speed) else {
            throw TransportError(
                .badName,
                "the speed in \"\(text)\" is not a number of bits per second: write h4:serial:DEVICE@SPEED, such as "
                    + "@1000000"
            )
        }
        return .serial(path: path, bitsPerSecond: speed)
    }

    private static func index(_ digits: String, in text: String) throws(TransportError) -> Int {
        // Linux keeps adapter numbers in 16 bits, of which the last means "none".
        guard let index = number(digits[...]), index < 0xFFFF else {
            throw TransportError(.badName, "\"\(text)\" names no Linux adapter: write hci and its number, such as hci0")
        }
        return index
    }

    /// A decimal number without a sign or spaces.
    private static func number(_ digits: Substring) -> Int? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(digits)
    }

    /// The text that `init(parsing:)` parses.
    public var description: String {
        switch self {
        case .userAir: return "air"
        case .air(.unix(let path)):
            // A path that looks like an address of another kind needs the longer form.
            return path.hasPrefix("tcp:") || path.hasPrefix("unix:") ? "air:unix:\(path)" : "air:\(path)"
        case .air(let address): return "air:\(address)"
        case .h4(let address): return "h4:\(address)"
        case .serial(let path, let speed): return "h4:serial:\(path)@\(speed)"
        case .linux(let index): return "hci\(index)"
        case .bluez(let index): return index.map { "bluez:hci\($0)" } ?? "bluez"
        }
    }
}
