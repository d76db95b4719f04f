// The lines in both directions: JSON objects, with octets as hexadecimal digits.

import CoreBluetooth
import Foundation

/// The object of a received line.
struct Message {
    private let fields: [String: Any]

    /// Reads a line; `nil` if it is not an object.
    init?(_ line: String) {
        guard let fields = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
            return nil
        }
        self.fields = fields
    }

    private init(_ fields: [String: Any]) { self.fields = fields }

    func text(_ key: String) -> String { self.fields[key] as? String ?? "" }
    func number(_ key: String) -> Int { (self.fields[key] as? NSNumber)?.intValue ?? 0 }
    func flag(_ key: String) -> Bool { (self.fields[key] as? NSNumber)?.boolValue ?? false }
    func texts(_ key: String) -> [String] { self.fields[key] as? [String] ?? [] }
    func numbers(_ key: String) -> [Int] { (self.fields[key] as? [NSNumber] ?? []).map(\.intValue) }
    func messages(_ key: String) -> [Message] { (self.fields[key] as? [[String: Any]] ?? []).map(Message.init) }
    func octets(_ key: String) -> Data? { (self.fields[key] as? String).flatMap(Data.init(hex:)) }
    func uuid(_ key: String) -> CBUUID { CBUUID(string: self.text(key)) }

    /// Short UUIDs, or `nil` if none are given, as Core Bluetooth takes them.
    func uuids(_ key: String) -> [CBUUID]? {
        (self.fields[key] as? [String]).map { $0.map(CBUUID.init(string:)) }
    }
}

/// Reports an event.
func say(_ event: String, _ fields: [String: Any?] = [:]) {
    var object = fields.mapValues { $0 ?? NSNull() }
    object["event"] = event
    do {
        let line = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        print(String(decoding: line, as: UTF8.self))
    } catch {
        print(#"{"event":"fault","reason":"an event cannot be written"}"#)
    }
}

/// An error as the other side reads it: its domain and number; `nil` if there was none.
func words(_ error: (any Error)?) -> String? {
    switch error {
    case nil: nil
    case let error as CBError: "CBError \(error.code.rawValue)"
    case let error as CBATTError: "CBATTError \(error.code.rawValue)"
    case let error?: "\(type(of: error)) \(error.localizedDescription)"
    }
}

extension Data {
    /// The octets of hexadecimal digits.
    init?(hex: String) {
        guard hex.utf8.count.isMultiple(of: 2) else { return nil }
        var octets = Data(capacity: hex.utf8.count / 2)
        var rest = hex[...]
        while !rest.isEmpty {
            guard let octet = UInt8(rest.prefix(2), radix: 16) else { return nil }
            octets.append(octet)
            rest = rest.dropFirst(2)
        }
        self = octets
    }

    /// The octets as hexadecimal digits.
    var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: self.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }
}

/// The values of a stream in which nothing may be lost: a number in four octets, little-endian, then octets that follow
/// from it. The scripts make and check the same ones.
enum Numbered {
    static func value(_ number: Int, length: Int) -> Data {
        // An array first: octet by octet, `Data` would cost more than the stack that it is to measure.
        Data(
            (0..<length).map { index in
                UInt8(truncatingIfNeeded: index < 4 ? number >> (8 * index) : number &+ index)
            }
        )
    }
}

/// Counts received numbered values.
struct Counter {
    private let expected: Int
    private let length: Int
    private let start = DispatchTime.now()
    private var count = 0
    private var fault: String?

    init(expect count: Int, length: Int) {
        self.expected = count
        self.length = length
    }

    /// Takes a value; true when it was the last one.
    mutating func take(_ value: Data) -> Bool {
        if self.fault == nil, value != Numbered.value(self.count, length: self.length) {
            self.fault = "value \(self.count) was \(value.prefix(16).hex)… of \(value.count) octets"
        }
        self.count += 1
        return self.count == self.expected
    }

    /// What was counted.
    var report: [String: Any?] {
        ["count": self.count, "fault": self.fault, "ms": milliseconds(since: self.start)]
    }
}

func milliseconds(since start: DispatchTime) -> Double {
    Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e6
}
