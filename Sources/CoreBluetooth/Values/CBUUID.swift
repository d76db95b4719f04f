// Core Bluetooth's UUID object: 16, 32 or 128 bits, kept in the form in which it was given.

import AssignedNumbers
package import BluetoothTypes
public import Foundation

/// A UUID of a service, characteristic or descriptor: 16, 32 or 128 bits.
///
/// Short UUIDs stand for 128-bit ones on the Bluetooth Base UUID (Vol 3, Part B, 2.5.1), and two forms of one UUID are
/// equal.
///
/// Apple documents it as `CBUUID`.
open class CBUUID: NSObject, NSCopying {
    let value: BluetoothUUID

    package init(_ value: BluetoothUUID) {
        self.value = value
        super.init()
    }

    /// The nil UUID, 128 zero bits.
    public override convenience init() { self.init(BluetoothUUID(form: .full(0, 0))) }

    /// A UUID from 4 or 8 hexadecimal digits, or from the 36 characters of its full form, each also with `0x` or `0X`
    /// in front.
    ///
    /// Other text ends the program, as on Apple's platforms.
    public convenience init(string theString: String) {
        let hasPrefix = theString.hasPrefix("0x") || theString.hasPrefix("0X")
        guard let value = BluetoothUUID(theString.dropFirst(hasPrefix ? 2 : 0)) else {
            fatalMisuse("String \(theString) does not represent a valid UUID")
        }
        self.init(value)
    }

    /// A UUID from 2, 4 or 16 octets, most significant first.
    ///
    /// Another count ends the program, as on Apple's platforms.
    public convenience init(data theData: Data) {
        guard let value = BluetoothUUID(mostSignificantFirst: theData) else {
            let digits = theData.hexadecimalDigits().lowercased()
            fatalMisuse("Data <\(digits)> does not represent a valid UUID")
        }
        self.init(value)
    }

    /// A UUID of 128 bits.
    public convenience init(nsuuid theUUID: UUID) {
        self.init(BluetoothUUID(theUUID))
    }

    /// A UUID of 128 bits, from a Core Foundation UUID.
    @available(*, deprecated, message: "Use init(nsuuid:).")
    public convenience init(cfuuid theUUID: CFUUID) {
        self.init(nsuuid: theUUID as UUID)
    }

    /// The octets of the UUID in the form in which it was given, most significant first.
    open var data: Data { Data(self.value.mostSignificantFirst) }

    /// The UUID as upper-case hexadecimal digits, in the form in which it was given.
    open var uuidString: String { self.value.description }

    /// The name that the Bluetooth SIG gave to the UUID, else ``uuidString``.
    open override var description: String { AssignedNames[self.value] ?? self.uuidString }

    /// Whether `object` is a UUID of the same value, whatever its form.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CBUUID else { return false }
        return self.value == other.value
    }

    /// Equal for equal UUIDs.
    open override var hash: Int {
        let (high, low) = self.value.words
        return Int(truncatingIfNeeded: (high ^ high >> 32) &* 0x9E37_79B9_7F4A_7C15 ^ low)
    }

    /// The object itself: it cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

extension BluetoothUUID {
    /// The 128 bits of a Foundation UUID.
    init(_ uuid: UUID) {
        let bytes = uuid.uuid
        self = withUnsafeBytes(of: bytes) { octets in
            let high = octets.loadUnaligned(fromByteOffset: 0, as: UInt64.self).bigEndian
            let low = octets.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
            return BluetoothUUID(form: .full(high, low))
        }
    }

    /// 2, 4 or 16 octets, most significant first; `nil` for another count.
    init?(mostSignificantFirst octets: Data) {
        func number(_ octets: Data) -> UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }
        switch octets.count {
        case 2: self.init(UInt16(number(octets)))
        case 4: self.init(form: .medium(UInt32(number(octets))))
        case 16: self.init(form: .full(number(octets.prefix(8)), number(octets.suffix(8))))
        default: return nil
        }
    }

    /// The octets of its form, most significant first.
    var mostSignificantFirst: [UInt8] {
        func octets(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        return switch self.form {
        case .short(let value): octets(value)
        case .medium(let value): octets(value)
        case .full(let high, let low): octets(high) + octets(low)
        }
    }
}
