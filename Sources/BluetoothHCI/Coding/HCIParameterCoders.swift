// The coders: a reader and a writer of octets, and a formatter that writes one line of text for logs, captures and
// failing tests.

import BluetoothTypes
import NIOCore

/// Reads parameters; there is no source.
struct HCIParameterReader<Source>: HCIParameterCoder {
    var bytes: ByteBuffer
    /// Whether missing parameters read as zero.
    let readsMissingAsZero: Bool

    init(_ bytes: ByteBuffer, readsMissingAsZero: Bool = false) {
        (self.bytes, self.readsMissingAsZero) = (bytes, readsMissingAsZero)
    }

    mutating func field<Value>(
        _ name: StaticString,
        _ value: (Source) -> Value,
        read: (inout ByteBuffer) throws(MalformedBytes) -> Value,
        write: (Value, inout ByteBuffer) -> Void,
        text: (Value) -> String
    ) throws(MalformedBytes) -> Value {
        do throws(MalformedBytes) {
            return try read(&self.bytes)
        } catch  where self.readsMissingAsZero && error.reason == .truncated {
            self.bytes = ByteBuffer(repeating: 0, count: 255)
            return try read(&self.bytes)
        }
    }

    mutating func group<Value: HCIParameters>(_ value: (Source) -> Value) throws(MalformedBytes) -> Value {
        try self.readGroup()
    }

    mutating func group<Value: HCIParameters>(
        _ value: (Source) -> Value?,
        isPresent: Bool
    ) throws(MalformedBytes) -> Value? {
        isPresent ? try self.readGroup() : nil
    }

    private mutating func readGroup<Value: HCIParameters>() throws(MalformedBytes) -> Value {
        var reader = HCIParameterReader<Value>(self.bytes, readsMissingAsZero: self.readsMissingAsZero)
        defer { self.bytes = reader.bytes }
        return try Value(&reader)
    }

    mutating func array<Element: HCIParameters>(
        _ count: StaticString,
        _ elements: (Source) -> [Element],
        limit: Int
    ) throws(MalformedBytes) -> [Element] {
        let number: UInt8 = try self.bytes.readLittleEndian(count)
        guard number <= limit else { throw MalformedBytes(.invalid, count) }
        var reader = HCIParameterReader<Element>(self.bytes)
        defer { self.bytes = reader.bytes }
        var elements: [Element] = []
        for _ in 0..<number { elements.append(try Element(&reader)) }
        return elements
    }

    func require(_ isValid: Bool, _ name: StaticString) throws(MalformedBytes) {
        guard isValid else { throw MalformedBytes(.invalid, name) }
    }
}

/// Writes the parameters of a source.
struct HCIParameterWriter<Source>: HCIParameterCoder {
    let source: Source
    var bytes = ByteBuffer()
    init(_ source: Source) { self.source = source }

    mutating func field<Value>(
        _ name: StaticString,
        _ value: (Source) -> Value,
        read: (inout ByteBuffer) throws(MalformedBytes) -> Value,
        write: (Value, inout ByteBuffer) -> Void,
        text: (Value) -> String
    ) -> Value {
        let value = value(self.source)
        write(value, &self.bytes)
        return value
    }

    mutating func group<Value: HCIParameters>(_ value: (Source) -> Value) -> Value {
        let value = value(self.source)
        value.encode(into: &self.bytes)
        return value
    }

    mutating func group<Value: HCIParameters>(_ value: (Source) -> Value?, isPresent: Bool) -> Value? {
        let value = value(self.source)
        value?.encode(into: &self.bytes)
        return value
    }

    mutating func array<Element: HCIParameters>(
        _ count: StaticString,
        _ elements: (Source) -> [Element],
        limit: Int
    ) -> [Element] {
        let elements = elements(self.source)
        precondition(elements.count <= limit, "too many entries for the array")
        self.bytes.writeInteger(UInt8(elements.count))
        for element in elements { element.encode(into: &self.bytes) }
        return elements
    }

    func require(_ isValid: Bool, _ name: StaticString) {}
}

/// Writes the parameters of a source as text.
struct HCIParameterFormatter<Source>: HCIParameterCoder {
    let source: Source
    /// `Name=value` for each parameter.
    private(set) var parts: [String] = []

    init(_ source: Source) { self.source = source }

    mutating func field<Value>(
        _ name: StaticString,
        _ value: (Source) -> Value,
        read: (inout ByteBuffer) throws(MalformedBytes) -> Value,
        write: (Value, inout ByteBuffer) -> Void,
        text: (Value) -> String
    ) -> Value {
        let value = value(self.source)
        self.parts.append("\(name)=\(text(value))")
        return value
    }

    mutating func group<Value: HCIParameters>(_ value: (Source) -> Value) -> Value {
        let value = value(self.source)
        self.parts.append(parameterText(value))
        return value
    }

    mutating func group<Value: HCIParameters>(_ value: (Source) -> Value?, isPresent: Bool) -> Value? {
        let value = value(self.source)
        if let value { self.parts.append("{\(parameterText(value))}") }
        return value
    }

    mutating func array<Element: HCIParameters>(
        _ count: StaticString,
        _ elements: (Source) -> [Element],
        limit: Int
    ) -> [Element] {
        let elements = elements(self.source)
        self.parts.append("\(count)=\(elements.count)")
        for element in elements { self.parts.append("{\(parameterText(element))}") }
        return elements
    }

    func require(_ isValid: Bool, _ name: StaticString) {}
}

/// The parameters of a value on one line: `Connection_Handle=0x40 Reason=…`.
func parameterText<Value: HCIParameters>(_ value: Value) -> String {
    var formatter = HCIParameterFormatter(value)
    _ = Value(&formatter)
    return formatter.parts.joined(separator: " ")
}
