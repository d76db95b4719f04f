// One line of text for each command, answer, event and data packet, for logs, captures and failing tests:
// `LE Set Scan Enable LE_Scan_Enable=true Filter_Duplicates=0x00`. Names are those of the specification.

import BluetoothTypes
import NIOCore

extension HCICommand {
    public static var name: String { specificationName(of: Self.self) }

    public var description: String { line(Self.name, self) }
}

extension HCIEventPayload {
    package static var name: String { specificationName(of: Self.self) }

    public var description: String { line(Self.name, self) }
}

extension LEReports {
    package static var name: String { specificationName(of: Report.self) }
}

extension CommandComplete {
    /// The command's name and its return parameters, on one line.
    public var description: String {
        var bytes = self.returnParameters
        guard let command = HCICommandTable.command(self.opcode) else {
            return "Command Complete \(self.opcode) Return_Parameters=\(octetText(bytes))"
        }
        func returned<Command: HCICommand>(_ command: Command.Type) -> String {
            (try? Command.ReturnParameters(parsing: &bytes))?.description
                ?? "malformed Return_Parameters=\(octetText(self.returnParameters))"
        }
        return "Command Complete \(command.name) \(returned(command))"
    }
}

extension CommandStatus {
    /// The command's name and its status, on one line.
    public var description: String {
        "Command Status \(HCICommandTable.command(self.opcode)?.name ?? self.opcode.description) Status=\(self.status)"
    }
}

extension HCIEvent: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown(let code, let parameters): "Event \(code) \(octetText(parameters))"
        case .unknownLE(let subevent, let parameters): "LE event \(subevent) \(octetText(parameters))"
        default: self.payload.map { $0.description } ?? ""
        }
    }
}

extension HCICommandPacket: CustomStringConvertible {
    /// The command's name and its parameters, on one line; octets if it is unknown or malformed.
    public var description: String {
        if let command = try? self.command() { return command.description }
        guard let command = HCICommandTable.command(self.opcode) else {
            return "Command \(self.opcode) \(octetText(self.parameters))"
        }
        return "\(command.name) malformed \(octetText(self.parameters))"
    }
}

extension HCIPacket: CustomStringConvertible {
    /// Name and parameters on one line, or link and octets.
    public var description: String {
        switch self.kind {
        case .command:
            (try? HCICommandPacket(self))?.description ?? "malformed command \(octetText(self.bytes))"
        case .event:
            (try? HCIEvent(self))?.description ?? "malformed event \(octetText(self.bytes))"
        case .aclData:
            (try? self.aclData()).map { header, fragment in
                "ACL Data handle=\(header.handle) \(header.boundary) \(octetText(fragment))"
            } ?? "malformed ACL data \(octetText(self.bytes))"
        default:
            "packet \(octetText(self.bytes))"
        }
    }
}

private func line(_ name: String, _ value: some HCIParameters) -> String {
    let parameters = parameterText(value)
    return parameters.isEmpty ? name : "\(name) \(parameters)"
}

/// Names that cannot be derived from the type's name.
private let irregularNames = [
    "ReadBDADDR": "Read BD_ADDR",
    "LEReadLocalP256PublicKey": "LE Read Local P-256 Public Key",
    "LEReadLocalP256PublicKeyComplete": "LE Read Local P-256 Public Key Complete",
    "LEGenerateDHKey": "LE Generate DHKey",
    "LEGenerateDHKeyV2": "LE Generate DHKey [v2]",
    "LEGenerateDHKeyComplete": "LE Generate DHKey Complete",
]

/// A type's name as in the specification: `LE PHY Update Complete` for `LEPHYUpdateComplete`.
private func specificationName(of type: Any.Type) -> String {
    var name = String(describing: type)[...]
    if let name = irregularNames[String(name)] { return name }
    var words = ""
    if name.hasPrefix("LE") {
        words = "LE "
        name.removeFirst(2)
    }
    let version = name.hasSuffix("V2") ? " [v2]" : ""
    if !version.isEmpty { name.removeLast(2) }
    let letters = Array(name)
    for (index, letter) in letters.enumerated() {
        if index > 0 {
            let previous = letters[index - 1]
            let startsWord = letter.isUppercase && index + 1 < letters.count && letters[index + 1].isLowercase
            if previous.isLowercase && !letter.isLowercase || previous.isUppercase && startsWord { words.append(" ") }
        }
        words.append(letter)
    }
    return words + version
}
