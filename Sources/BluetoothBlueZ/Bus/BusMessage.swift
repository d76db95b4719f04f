// Messages of D-Bus as values, and their way into and out of sd-bus, which has checked them against the specification:
// what arrives is well formed, of at most 128 MiB, and nested 64 deep at most.

import NIOCore

/// A message from the bus.
struct BusMessage {
    enum Kind {
        case signal
        /// The reply to a call, with its number.
        case reply(UInt64)
        /// The error that a call ended with, with its number.
        case failure(UInt64, BusFailure)
        /// A call from another program.
        case call(BusCall)
    }

    var kind: Kind
    var sender: String
    var path: String
    var interface: String
    var member: String
    var arguments: [BusValue]
}

/// The error of a call.
struct BusFailure: Error, Hashable {
    var name: String
    var text: String

    /// The connection to the bus has ended.
    static let closed = BusFailure(name: "org.freedesktop.DBus.Error.Disconnected", text: "the bus is gone")
    /// No answer in time.
    static let timedOut = BusFailure(name: "org.freedesktop.DBus.Error.NoReply", text: "no answer")
}

/// A call from another program until it is answered.
final class BusCall {
    fileprivate let message: BusLibrary.Object
    private let library: BusLibrary
    private weak var connection: BusConnection?

    init(retaining message: BusLibrary.Object, _ library: BusLibrary, _ connection: BusConnection) {
        self.message = library.retainMessage(message)
        self.library = library
        self.connection = connection
    }

    deinit { _ = self.library.releaseMessage(self.message) }

    /// Answers with results.
    func reply(_ results: [BusValue] = []) {
        guard self.library.expectsReply(self.message) > 0 else { return }
        self.send({ self.library.newReturn(self.message, $0) }, results)
    }

    /// Answers with an error.
    func fail(_ name: String, _ text: String) {
        guard self.library.expectsReply(self.message) > 0 else { return }
        name.withCString { name in
            text.withCString { text in
                var failure = BusLibrary.Failure(name: name, message: text)
                self.send({ self.library.newError(self.message, $0, &failure) }, [])
            }
        }
    }

    private func send(_ make: (UnsafeMutablePointer<BusLibrary.Object>) -> CInt, _ results: [BusValue]) {
        var reply: BusLibrary.Object = nil
        guard let connection = self.connection, make(&reply) >= 0 else { return }
        defer { _ = self.library.releaseMessage(reply) }
        if self.library.append(results, to: reply) { _ = connection.send(reply) }
    }
}

extension BusLibrary {
    // MARK: Writing

    /// Appends values to a message; says whether it could.
    func append(_ values: [BusValue], to message: Object) -> Bool {
        values.allSatisfy { self.append($0, to: message) }
    }

    private func append(_ value: BusValue, to message: Object) -> Bool {
        func basic<Value>(_ value: Value, _ type: Character) -> Bool {
            withUnsafePointer(to: value) { self.appendBasic(message, type.code, $0) >= 0 }
        }
        func text(_ text: String, _ type: Character) -> Bool {
            text.withCString { self.appendBasic(message, type.code, $0) >= 0 }
        }
        func container(_ type: Character, _ contents: String, _ members: [BusValue]) -> Bool {
            contents.withCString { self.openContainer(message, type.code, $0) >= 0 }
                && self.append(members, to: message) && self.closeContainer(message) >= 0
        }
        switch value {
        case .byte(let value): return basic(value, "y")
        case .boolean(let value): return basic(CInt(value ? 1 : 0), "b")
        case .int16(let value): return basic(value, "n")
        case .uint16(let value): return basic(value, "q")
        case .int32(let value): return basic(value, "i")
        case .uint32(let value): return basic(value, "u")
        case .int64(let value): return basic(value, "x")
        case .uint64(let value): return basic(value, "t")
        case .double(let value): return basic(value, "d")
        case .string(let value): return text(value, "s")
        case .path(let value): return text(value, "o")
        case .signature(let value): return text(value, "g")
        // sd-bus duplicates it.
        case .descriptor(let value): return basic(value.number, "h")
        case .bytes(let value):
            return value.withUnsafeReadableBytes {
                self.appendArray(message, Character("y").code, $0.baseAddress, $0.count) >= 0
            }
        case .array(let element, let values): return container("a", element, values)
        case .entry(let key, let value):
            return container("e", key.typeSignature + value.typeSignature, [key, value])
        case .structure(let members): return container("r", members.map(\.typeSignature).joined(), members)
        case .variant(let value): return container("v", value.typeSignature, [value])
        }
    }

    // MARK: Reading

    /// Everything that is left in a message, or in the container that was entered.
    func read(_ message: Object) -> [BusValue] {
        var values: [BusValue] = []
        while let value = self.readNext(message) { values.append(value) }
        return values
    }

    private func readNext(_ message: Object) -> BusValue? {
        var code: CChar = 0
        var contents: Text = nil
        guard self.peekType(message, &code, &contents) > 0 else { return nil }
        func basic<Value>(_ zero: Value) -> Value? {
            var value = zero
            return withUnsafeMutablePointer(to: &value) { self.readBasic(message, code, $0) > 0 } ? value : nil
        }
        func text() -> String? { basic(Text.none).flatMap(\.self).map { String(cString: $0) } }
        func members() -> [BusValue]? {
            guard self.enterContainer(message, code, contents) > 0 else { return nil }
            let members = self.read(message)
            return self.exitContainer(message) >= 0 ? members : nil
        }
        switch Character(Unicode.Scalar(UInt8(bitPattern: code))) {
        case "y": return basic(UInt8()).map { .byte($0) }
        case "b": return basic(CInt()).map { .boolean($0 != 0) }
        case "n": return basic(Int16()).map { .int16($0) }
        case "q": return basic(UInt16()).map { .uint16($0) }
        case "i": return basic(Int32()).map { .int32($0) }
        case "u": return basic(UInt32()).map { .uint32($0) }
        case "x": return basic(Int64()).map { .int64($0) }
        case "t": return basic(UInt64()).map { .uint64($0) }
        case "d": return basic(Double()).map { .double($0) }
        case "s": return text().map { .string($0) }
        case "o": return text().map { .path($0) }
        case "g": return text().map { .signature($0) }
        case "h": return basic(CInt(-1)).flatMap { BusDescriptor(duplicating: $0) }.map { .descriptor($0) }
        case "a":
            guard let contents else { return nil }
            let element = String(cString: contents)
            if element == "y" { return self.readBytes(message) }
            return members().map { .array(element, $0) }
        case "e":
            guard let members = members(), members.count == 2 else { return nil }
            return .entry(members[0], members[1])
        case "r": return members().map { .structure($0) }
        case "v": return members().flatMap(\.first).map { .variant($0) }
        default: return nil
        }
    }

    private func readBytes(_ message: Object) -> BusValue? {
        var start: UnsafeRawPointer?
        var count = 0
        guard self.readArray(message, Character("y").code, &start, &count) >= 0 else { return nil }
        return .bytes(ByteBuffer(bytes: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)))
    }

    /// A message that has just come; `nil` for one of a kind that does not matter.
    func parse(_ message: Object, on connection: BusConnection) -> BusMessage? {
        func text(_ accessor: Accessor) -> String { accessor(message).map { String(cString: $0) } ?? "" }
        var type: UInt8 = 0
        var cookie: UInt64 = 0
        guard self.type(message, &type) >= 0 else { return nil }
        let kind: BusMessage.Kind
        switch type {
        case 1: kind = .call(BusCall(retaining: message, self, connection))
        case 2:
            guard self.replyCookie(message, &cookie) >= 0 else { return nil }
            kind = .reply(cookie)
        case 3:
            guard self.replyCookie(message, &cookie) >= 0,
                let error = self.error(message)?.load(as: Failure.self)
            else { return nil }
            kind = .failure(
                cookie,
                BusFailure(
                    name: error.name.map { String(cString: $0) } ?? "",
                    text: error.message.map { String(cString: $0) } ?? ""
                )
            )
        case 4: kind = .signal
        default: return nil
        }
        return BusMessage(
            kind: kind,
            sender: text(self.sender),
            path: text(self.path),
            interface: text(self.interface),
            member: text(self.member),
            arguments: type == 3 ? [] : self.read(message)
        )
    }
}

extension Character {
    /// The type code of an ASCII letter.
    fileprivate var code: CChar { CChar(bitPattern: self.asciiValue ?? 0) }
}
