// Numbers with units, by the GATT Specification Supplement and by Characteristic Presentation Format.

import BluetoothTypes
import CAssignedNumbers
import Testing

@testable import AssignedNumbers

@Suite("The format of a value")
struct ValueFormatTests {
    @Test(
        "has the resolution and the unit of a characteristic with one number",
        arguments: [
            (0x2A19, [0x64], "100 %"), (0x2A6E, [0x66, 0x08], "21.5 °C"), (0x2A6E, [0xFF, 0xFF], "-0.01 °C"),
            (0x2A6E, [0x00, 0x80], "not known"), (0x2A6E, [0x01, 0x80], "-327.67 °C"),
            (0x2A6F, [0xFF, 0xFF], "not known"), (0x2A6F, [0x10, 0x27], "100 %"),
            (0x2A6D, [0x02, 0x76, 0x0F, 0x00], "101325 Pa"), (0x2A6C, [0xFF, 0xFF, 0xFF], "-0.01 m"),
            // The resolution is 5 g.
            (0x2A98, [0x98, 0x3A], "75 kg"),
            // Half a percent, a sixty-fourth of a volt, and 64 volts.
            (0x2B04, [0x01], "0.5 %"), (0x2B18, [0x40, 0x01], "5 V"), (0x2BE0, [0x02, 0x00, 0x00], "128 V"),
            (0x2B05, [0xFE, 0xFF, 0xFF], "not valid"), (0x2B05, [0xFF, 0xFF, 0xFF], "not known"),
            (0x2B05, [0xFD, 0xFF, 0xFF], "1677721.3 W"), (0x2AFD, [0x02, 0x00, 0x00], "2000 lm·h"),
            (0x2A76, [0x07], "7"),
            // Octets after the number are ignored.
            (0x2A19, [0x64, 0x00], "100 %"),
        ] as [(UInt16, [UInt8], String)]
    )
    func assigned(characteristic: UInt16, octets: [UInt8], text: String) throws {
        let format = try #require(ValueFormat[characteristic: characteristic])
        #expect(format.text(octets) == text)
        #expect(format.text(octets.prefix(format.kind.octets - 1)) == nil)
    }

    @Test(
        "has an exponent for a number of IEEE 11073; five mantissas are not numbers",
        arguments: [
            (2, [0x72, 0xF1], "37 °C"), (2, [0x0A, 0x20], "1000 °C"), (2, [0xFF, 0x0F], "-1 °C"),
            (2, [0xFD, 0x07], "2045 °C"), (2, [0xFE, 0x07], "not a number"), (2, [0xFF, 0x07], "not a number"),
            (2, [0x00, 0x08], "not a number"), (2, [0x01, 0x08], "not a number"), (2, [0x02, 0x08], "not a number"),
            (2, [0x03, 0x08], "-2045 °C"), (4, [0x6D, 0x01, 0x00, 0xFF], "36.5 °C"),
            (4, [0xFF, 0xFF, 0x7F, 0x00], "not a number"), (4, [0xFE, 0xFF, 0x7F, 0x00], "not a number"),
            (4, [0xFD, 0xFF, 0x7F, 0x00], "8388605 °C"), (4, [0x02, 0x00, 0x80, 0x00], "not a number"),
        ] as [(Int, [UInt8], String)]
    )
    func medicalFloat(size: Int, octets: [UInt8], text: String) {
        #expect(ValueFormat(.medicalFloat(octets: size), unit: 0x272F).text(octets) == text)
    }

    @Test(
        "is given by Characteristic Presentation Format: type, exponent and unit (Vol 3, Part G, 3.3.3.5)",
        arguments: [
            ([0x0E, 0xFE, 0x2F, 0x27, 0x01, 0x00, 0x00], [0x66, 0x08], "21.5 °C"),
            ([0x04, 0x00, 0xAD, 0x27, 0x01, 0x00, 0x00], [0x57], "87 %"),
            ([0x06, 0x03, 0x01, 0x27, 0x01, 0x00, 0x00], [0x02, 0x00], "2000 m"),
            ([0x14, 0x00, 0x28, 0x27, 0x01, 0x00, 0x00], [0x00, 0x00, 0xC0, 0x3F], "1.5 V"),
            ([0x15, 0x00, 0x00, 0x27, 0x01, 0x00, 0x00], [0, 0, 0, 0, 0, 0, 0xF0, 0x7F], "not a number"),
            // A unit that is not assigned.
            ([0x04, 0x00, 0xFF, 0xFF, 0x01, 0x00, 0x00], [0x57], "87"),
        ] as [([UInt8], [UInt8], String)]
    )
    func presentationFormat(descriptor: [UInt8], octets: [UInt8], text: String) throws {
        #expect(try #require(ValueFormat(presentationFormat: descriptor)).text(octets) == text)
    }

    @Test("is not read from a text, a number of some bits, or a descriptor of another size")
    func others() {
        #expect(ValueFormat(presentationFormat: [0x19, 0x00, 0x00, 0x27, 0x01, 0x00, 0x00]) == nil)
        #expect(ValueFormat(presentationFormat: [0x05, 0x00, 0x00, 0x27, 0x01, 0x00, 0x00]) == nil)
        #expect(ValueFormat(presentationFormat: [0x04, 0x00, 0x00, 0x27, 0x01, 0x00]) == nil)
        #expect(ValueFormat(presentationFormat: [0x04, 0x00, 0x00, 0x27, 0x01, 0x00, 0x00, 0x00]) == nil)
        #expect(ValueFormat(row: "utf8s 2700") == nil)
        #expect(ValueFormat(row: "uint12 2700") == nil)
        #expect(ValueFormat(row: "uint8 2700 x=1") == nil)
    }

    @Test("has an assigned unit, and a characteristic with a name, in each row of the table")
    func table() throws {
        let rows = AssignedTable.rows(assigned_formats())
        #expect(rows.count > 100)
        let units = AssignedTable.short(assigned_units())
        for (number, row) in rows {
            let characteristic = try #require(UInt16(number, radix: 16), "\(number)")
            let format = try #require(ValueFormat[characteristic: characteristic], "\(number) \(row)")
            #expect(units[format.unit] != nil, "\(number) \(row)")
            #expect(AssignedNames[BluetoothUUID(characteristic)] != nil, "\(number) \(row)")
        }
    }

    @Test(
        "names an appearance by its category and its kind (Assigned Numbers, 2.6)",
        arguments: [
            (0x0000, "Unknown"), (0x0340, "Heart Rate Sensor"), (0x0341, "Heart Rate Sensor: Heart Rate Belt"),
            (0x0342, "Heart Rate Sensor"), (0x03C1, "Human Interface Device: Keyboard"), (0xFFC0, nil),
        ] as [(UInt16, String?)]
    )
    func appearances(value: UInt16, name: String?) {
        #expect(Appearance.name(value) == name)
    }

    @Test(
        "finds an appearance by its category, its kind, or both, in any case",
        arguments: [
            ("Heart Rate Sensor", 0x0340), ("heart rate belt", 0x0341), ("Heart Rate Sensor: Heart Rate Belt", 0x0341),
            ("Heart", nil), ("", nil),
        ] as [(String, UInt16?)]
    )
    func appearances(name: String, value: UInt16?) {
        #expect(Appearance.value(named: name) == value)
    }
}
