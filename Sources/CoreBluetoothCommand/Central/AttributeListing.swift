// `corebluetooth inspect --handles`: every attribute of a device by its handle, as a debugger wants it. What Core
// Bluetooth keeps from apps is marked.

import AssignedNumbers
import BluetoothHost
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import NIOCore

/// Shows attributes.
struct AttributeListing {
    private let output: OutputFormat
    private let head: Record.Details

    init(_ output: OutputFormat, _ peripheral: CBPeripheral) {
        self.output = output
        head = Record.head(peripheral)
    }

    func show(_ attributes: [BluetoothAdapter.RemoteAttribute]) {
        for attribute in attributes {
            let meaning = Self.meaning(attribute)
            let indent = Self.isService(attribute) ? "" : "  "
            output.print(
                "attribute",
                head + [
                    ("handle", .integer(Int(attribute.handle))), ("type", .string(attribute.type.description)),
                    ("name", JSONValue(AssignedNames.name(of: attribute.type))),
                    ("hex", JSONValue(attribute.value.map { HexadecimalText.digits($0) })),
                    ("meaning", JSONValue(meaning)), ("hidden", .bool(attribute.isHidden)),
                ],
                line: "\(HexadecimalText.number(attribute.handle))  \(indent)\(Self.label(attribute.type))"
                    + (meaning.map { " = \($0)" } ?? "") + (attribute.isHidden ? "  (hidden from apps)" : "")
            )
        }
    }

    private static func isService(_ attribute: BluetoothAdapter.RemoteAttribute) -> Bool {
        GATTAttributeType.serviceDeclarations ~= attribute.type.shortValue ?? 0
    }

    private static func label(_ uuid: BluetoothUUID) -> String {
        AssignedNames.name(of: uuid).map { "\(uuid) \($0)" } ?? "\(uuid)"
    }

    /// The content of a declaration (Vol 3, Part G, 3.1 to 3.3); `nil` for other attributes, and for a declaration that
    /// is malformed.
    private static func meaning(_ attribute: BluetoothAdapter.RemoteAttribute) -> String? {
        guard let value = attribute.value else { return nil }
        func uuid(_ octets: some Sequence<UInt8>) -> String? {
            var octets = ByteBuffer(bytes: octets)
            return (try? BluetoothUUID(parsing: &octets, length: octets.readableBytes)).map(label)
        }
        func number(_ offset: Int) -> UInt16 {
            let octets = value.dropFirst(offset).prefix(2)
            return octets.reversed().reduce(0) { $0 << 8 | UInt16($1) }
        }
        switch attribute.type.shortValue {
        case GATTAttributeType.primaryService, GATTAttributeType.secondaryService: return uuid(value)
        case GATTAttributeType.include:
            guard value.count >= 4 else { return nil }
            let range = "\(HexadecimalText.number(number(0))) to \(HexadecimalText.number(number(2)))"
            return uuid(value.dropFirst(4)).map { "\($0), \(range)" } ?? range
        case GATTAttributeType.characteristic:
            guard value.count >= 5, let type = uuid(value.dropFirst(3)) else { return nil }
            let properties = PropertyText.words(CBCharacteristicProperties(rawValue: UInt(value[value.startIndex])))
            return "\(type), value at \(HexadecimalText.number(number(1))): \(properties.joined(separator: ", "))"
        default: return nil
        }
    }
}
