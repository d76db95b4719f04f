// One line of text for each command, answer, event and data packet, for logs, captures and failing tests:
// `LE Set Scan Enable isEnabled=true filterDuplicates=0x00`. Made by reflection from the declarations, so it costs no
// code for a new one; nothing on the path of a packet calls it unless somebody watches.

import BluetoothTypes
import NIOCore

extension HCICommand {
    /// The command's name and its parameters, on one line.
    public var description: String { describe(self, as: words(of: Self.self)) }
}

extension HCIReturnParameters {
    /// The parameters, on one line.
    public var description: String { describe(self, as: "") }
}

extension HCIEventPayload {
    /// The event's name and its parameters, on one line.
    public var description: String { describe(self, as: words(of: Self.self)) }
}

extension LEReports {
    /// The event's name and its reports, on one line.
    public var description: String {
        "\(words(of: Report.self)) " + self.map { "{\(describe($0, as: ""))}" }.joined(separator: " ")
    }
}

extension CommandComplete {
    /// The command's name and what it returned, on one line.
    public var description: String {
        var bytes = self.returnParameters
        guard let command = HCICommandTable.command(self.opcode) else {
            return "Command Complete \(self.opcode) returnParameters=\(text(of: bytes))"
        }
        func returned<Command: HCICommand>(_ command: Command.Type) -> String {
            (try? Command.ReturnParameters(parsing: &bytes))?.description
                ?? "malformed returnParameters=\(text(of: self.returnParameters))"
        }
        return "Command Complete \(words(of: command)) \(returned(command))"
    }
}

extension CommandStatus {
    /// The command's name and its status, on one line.
    public var description: String {
        let name = HCICommandTable.command(self.opcode).map { words(of: $0) } ?? self.opcode.description
        return "Command Status \(name) status=\(self.status)"
    }
}

extension HCIEvent: CustomStringConvertible {
    /// The event's name and its parameters, on one line.
    public var description: String {
        switch self {
        case .unknown(let code, let parameters): "Event \(code) \(text(of: parameters))"
        case .unknownLE(let subevent, let parameters): "LE event \(subevent) \(text(of: parameters))"
        default: self.payload.map { $0.description } ?? ""
        }
    }
}

extension HCICommandPacket: CustomStringConvertible {
    /// The command's name and its parameters, on one line; octets where it is unknown or malformed.
    public var description: String {
        guard let command = HCICommandTable.command(self.opcode) else {
            return "Command \(self.opcode) \(text(of: self.parameters))"
        }
        var parameters = self.parameters
        return (try? command.init(parsing: &parameters))?.description
            ?? "\(words(of: command)) malformed \(text(of: self.parameters))"
    }
}

extension HCIPacket: CustomStringConvertible {
    /// The packet on one line: name and parameters, or link and octets.
    public var description: String {
        switch self.kind {
        case .command:
            (try? HCICommandPacket(self))?.description ?? "malformed command \(text(of: self.bytes))"
        case .event:
            (try? HCIEvent(self))?.description ?? "malformed event \(text(of: self.bytes))"
        case .aclData:
            (try? self.aclData()).map { header, fragment in
                "ACL Data handle=\(header.handle) \(header.boundary) \(text(of: fragment))"
            } ?? "malformed ACL data \(text(of: self.bytes))"
        default:
            "packet \(text(of: self.bytes))"
        }
    }
}

/// A type's name as words: `LE Set PHY` of `LESetPHY`.
private func words(of type: Any.Type) -> String {
    let letters = Array(String(describing: type))
    var words = ""
    for (index, letter) in letters.enumerated() {
        if index > 0, letter.isUppercase {
            let follows = index + 1 < letters.count && letters[index + 1].isLowercase
            if !letters[index - 1].isUppercase || follows { words.append(" ") }
        }
        words.append(letter)
    }
    return words
}

/// The name and the stored properties of a value.
private func describe(_ value: Any, as name: String) -> String {
    var parts = name.isEmpty ? [] : [name]
    for child in Mirror(reflecting: value).children {
        let label = child.label ?? ""
        if let parameters = child.value as? ConnectionParameters {
            parts.append(describe(parameters, as: ""))
        } else {
            parts.append("\(label)=\(text(of: child.value))")
        }
    }
    return parts.joined(separator: " ")
}

/// A parameter as text.
private func text(of value: Any) -> String {
    switch value {
    case let bytes as ByteBuffer:
        let octets = bytes.readableBytesView.map { octet in
            (octet < 0x10 ? "0" : "") + String(octet, radix: 16, uppercase: true)
        }
        return octets.isEmpty ? "-" : octets.joined()
    case let completed as CompletedPackets:
        return completed.map { "\($0.handle):\($0.count)" }.joined(separator: ",")
    case let values as [Any]:
        return "[" + values.map { "{\(describe($0, as: ""))}" }.joined(separator: " ") + "]"
    case let value as any CustomStringConvertible:
        return value.description
    case let value as any RawRepresentable<UInt64>:
        return hexadecimal(value.rawValue)
    case let value as any RawRepresentable<UInt16>:
        return hexadecimal(value.rawValue)
    case let value as any RawRepresentable<UInt8>:
        return hexadecimal(value.rawValue)
    default:
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else {
            return mirror.displayStyle == .struct ? "{\(describe(value, as: ""))}" : String(describing: value)
        }
        return mirror.children.first.map { text(of: $0.value) } ?? "-"
    }
}
