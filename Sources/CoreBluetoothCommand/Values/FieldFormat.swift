// Values of several fields, by the GATT Specification Supplement: flags at the beginning say which fields follow, and
// in which size or unit. A value of one number is a `ValueFormat`.

import AssignedNumbers

/// One field of a value.
struct ValueField: Sendable {
    /// How the octets are read.
    enum Kind: Sendable {
        case number(ValueFormat)
        /// Year, month, day, hours, minutes and seconds in seven octets; zero is "not known" (Date Time, 2A08).
        case dateTime
        /// Octets without a meaning here.
        case skipped(octets: Int)
    }

    /// When the field is there, by a bit of the flags.
    enum Condition: Sendable {
        case always
        case isSet(Int)
        case isClear(Int)
        indirect case both(Condition, Condition)

        func holds(_ flags: UInt32) -> Bool {
            switch self {
            case .always: true
            case .isSet(let bit): flags >> bit & 1 == 1
            case .isClear(let bit): flags >> bit & 1 == 0
            case .both(let first, let second): first.holds(flags) && second.holds(flags)
            }
        }
    }

    let name: String
    let kind: Kind
    let unit: String?
    let condition: Condition
    /// Whether the field takes all octets that are left, as a list.
    var isRepeated = false

    /// A number: `raw * multiplier * 10^decimal * 2^binary` of a unit.
    static func number(
        _ name: String,
        _ kind: ValueFormat.Kind,
        _ unit: String? = nil,
        times multiplier: Int = 1,
        decimal: Int = 0,
        binary: Int = 0,
        if condition: Condition = .always
    ) -> ValueField {
        var format = ValueFormat(kind, unit: 0)
        (format.multiplier, format.decimalExponent, format.binaryExponent) = (multiplier, decimal, binary)
        return ValueField(name: name, kind: .number(format), unit: unit, condition: condition)
    }

    /// A date with its time.
    static func dateTime(_ name: String, if condition: Condition = .always) -> ValueField {
        ValueField(name: name, kind: .dateTime, unit: nil, condition: condition)
    }

    /// Octets that are not shown.
    static func skipped(_ octets: Int, if condition: Condition) -> ValueField {
        ValueField(name: "", kind: .skipped(octets: octets), unit: nil, condition: condition)
    }

    /// The same field, as often as there are octets for it.
    var repeated: ValueField {
        var field = self
        field.isRepeated = true
        return field
    }

    /// The octets of one value.
    var octets: Int {
        switch kind {
        case .number(let format): format.kind.octets
        case .dateTime: 7
        case .skipped(let octets): octets
        }
    }

    /// The value; `null` if it is not known.
    func value(_ octets: some Collection<UInt8>) -> MeasuredValue? {
        switch kind {
        case .skipped: nil
        case .number(let format): format.number(octets).map { .number($0) } ?? .unknown
        case .dateTime: Self.date(Array(octets)).map { .text($0) } ?? .unknown
        }
    }

    private static func date(_ octets: [UInt8]) -> String? {
        let year = Int(octets[0]) | Int(octets[1]) << 8
        guard year > 0, octets[2] > 0, octets[3] > 0 else { return nil }
        func two(_ octet: UInt8) -> String { octet < 10 ? "0\(octet)" : "\(octet)" }
        let digits = String(year)
        let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return "\(padded)-\(two(octets[2]))-\(two(octets[3]))T\(two(octets[4])):\(two(octets[5])):\(two(octets[6]))"
    }
}

/// The fields of a characteristic's value.
struct FieldFormat: Sendable {
    /// The octets of the flags.
    let flagOctets: Int
    let fields: [ValueField]

    init(flags: Int, _ fields: [ValueField]) { (flagOctets, self.fields) = (flags, fields) }

    /// The fields that octets have, with their names; `nil` if octets are missing. Octets behind the last field are
    /// ignored.
    func read(_ octets: some Collection<UInt8>) -> [MeasuredField]? {
        var rest = Array(octets)[...]
        guard rest.count >= flagOctets else { return nil }
        let flags = rest.prefix(flagOctets).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        rest = rest.dropFirst(flagOctets)
        var result: [MeasuredField] = []
        for field in fields where field.condition.holds(flags) {
            guard rest.count >= field.octets else {
                guard field.isRepeated else { return nil }
                break
            }
            var values: [MeasuredValue] = []
            repeat {
                if let value = field.value(rest.prefix(field.octets)) { values.append(value) }
                rest = rest.dropFirst(field.octets)
            } while field.isRepeated && rest.count >= field.octets
            guard let first = values.first else { continue }
            let value = field.isRepeated ? MeasuredValue.list(values) : first
            result.append(MeasuredField(name: field.name, value: value, unit: field.unit))
        }
        return result
    }
}
