// The values of D-Bus messages (D-Bus Specification, "Type System"). Reading a value as another type gives `nil`, so
// wrong types of a peer are ignored.

import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A value of D-Bus.
indirect enum BusValue: Equatable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case path(String)
    case signature(String)
    case descriptor(BusDescriptor)
    /// An array of bytes.
    case bytes(ByteBuffer)
    /// An array with the signature of its elements; those of a dictionary are entries.
    case array(String, [BusValue])
    case entry(BusValue, BusValue)
    case structure([BusValue])
    case variant(BusValue)
}

/// A file descriptor that comes or goes in a message; it is closed with the last reference.
final class BusDescriptor: Equatable, Sendable {
    let number: CInt

    /// Duplicates `number`.
    init?(duplicating number: CInt) {
        self.number = fcntl(number, F_DUPFD_CLOEXEC, 0)
        if self.number < 0 { return nil }
    }

    deinit { if self.number >= 0 { close(self.number) } }

    static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }
}

extension BusValue {
    /// A dictionary of names and variants, `a{sv}`.
    static func properties(_ properties: [String: BusValue]) -> BusValue {
        .array("{sv}", properties.sorted { $0.key < $1.key }.map { .entry(.string($0), .variant($1)) })
    }

    static func strings(_ strings: [String]) -> BusValue { .array("s", strings.map { .string($0) }) }

    /// The type in the form of D-Bus.
    var typeSignature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .entry(let key, let value): "{" + key.typeSignature + value.typeSignature + "}"
        case .structure(let members): "(" + members.map(\.typeSignature).joined() + ")"
        case .variant: "v"
        }
    }

    // MARK: Reading

    var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    var int16: Int16? { if case .int16(let value) = self { value } else { nil } }
    var uint16: UInt16? { if case .uint16(let value) = self { value } else { nil } }
    var uint32: UInt32? { if case .uint32(let value) = self { value } else { nil } }
    var string: String? { if case .string(let value) = self { value } else { nil } }
    var path: String? { if case .path(let value) = self { value } else { nil } }
    var bytes: ByteBuffer? { if case .bytes(let value) = self { value } else { nil } }
    var descriptor: BusDescriptor? { if case .descriptor(let value) = self { value } else { nil } }

    /// The value in a variant.
    var unwrapped: BusValue { if case .variant(let value) = self { value } else { self } }

    var elements: [BusValue]? { if case .array(_, let values) = self { values } else { nil } }

    /// Strings of an array; elements of another type are left out.
    var strings: [String]? { self.elements?.compactMap(\.string) }

    /// Paths of an array; elements of another type are left out.
    var paths: [String]? { self.elements?.compactMap(\.path) }

    /// The entries of a dictionary, with variants unwrapped.
    var entries: [(key: BusValue, value: BusValue)]? {
        self.elements?.compactMap { if case .entry(let key, let value) = $0 { (key, value.unwrapped) } else { nil } }
    }

    /// The entries of a dictionary whose keys are strings or paths.
    var dictionary: [String: BusValue]? {
        guard let entries = self.entries else { return nil }
        var result: [String: BusValue] = [:]
        for (key, value) in entries {
            if let name = key.string ?? key.path { result[name] = value }
        }
        return result
    }
}
