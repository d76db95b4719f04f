// Which fields the values of characteristics have, by the GATT Specification Supplement. Names are those of the
// supplement in Swift case; a field that needs a name of its own for each unit does not exist, its unit is beside it.

import AssignedNumbers

extension FieldFormat {
    /// The fields of a characteristic of the Bluetooth SIG; `nil` if its value is one number, or not listed here.
    static subscript(characteristic characteristic: UInt16) -> FieldFormat? { formats[characteristic] }

    private static let (octet, two, three, four) = (
        ValueFormat.Kind.unsigned(octets: 1), ValueFormat.Kind.unsigned(octets: 2),
        ValueFormat.Kind.unsigned(octets: 3),
        ValueFormat.Kind.unsigned(octets: 4)
    )
    private static let medical = ValueFormat.Kind.medicalFloat(octets: 2)

    private static let formats: [UInt16: FieldFormat] = [
        // Peripheral Preferred Connection Parameters
        0x2A04: FieldFormat(
            flags: 0,
            [
                .number("minimumInterval", two, "ms", times: 125, decimal: -2),
                .number("maximumInterval", two, "ms", times: 125, decimal: -2), .number("latency", two),
                .number("supervisionTimeout", two, "ms", times: 10),
            ]
        ),
        // Date Time
        0x2A08: FieldFormat(flags: 0, [.dateTime("dateTime")]),
        // Temperature Measurement, Intermediate Temperature
        0x2A1C: temperature, 0x2A1E: temperature,
        // Current Time
        0x2A2B: FieldFormat(
            flags: 0,
            [
                .dateTime("dateTime"), .number("dayOfWeek", octet), .number("fractions256", octet),
                .number("adjustReason", octet),
            ]
        ),
        // Blood Pressure Measurement, Intermediate Cuff Pressure
        0x2A35: bloodPressure, 0x2A36: bloodPressure,
        // Heart Rate Measurement
        0x2A37: FieldFormat(
            flags: 1,
            [
                .number("heartRate", octet, "bpm", if: .isClear(0)), .number("heartRate", two, "bpm", if: .isSet(0)),
                .number("energyExpended", two, "kJ", if: .isSet(3)),
                .number("rrIntervals", two, "ms", times: 1000, binary: -10, if: .isSet(4)).repeated,
            ]
        ),
        // PnP ID
        0x2A50: FieldFormat(
            flags: 0,
            [
                .number("vendorIDSource", octet), .number("vendorID", two), .number("productID", two),
                .number("productVersion", two),
            ]
        ),
        // RSC Measurement
        0x2A53: FieldFormat(
            flags: 1,
            [
                .number("instantaneousSpeed", two, "m/s", binary: -8), .number("instantaneousCadence", octet, "1/min"),
                .number("instantaneousStrideLength", two, "m", decimal: -2, if: .isSet(0)),
                .number("totalDistance", four, "m", decimal: -1, if: .isSet(1)),
            ]
        ),
        // CSC Measurement
        0x2A5B: FieldFormat(
            flags: 1,
            [
                .number("cumulativeWheelRevolutions", four, if: .isSet(0)),
                .number("lastWheelEventTime", two, "s", binary: -10, if: .isSet(0)),
                .number("cumulativeCrankRevolutions", two, if: .isSet(1)),
                .number("lastCrankEventTime", two, "s", binary: -10, if: .isSet(1)),
            ]
        ),
        // PLX Spot-Check Measurement
        0x2A5E: FieldFormat(
            flags: 1,
            [
                .number("spO2", medical, "%"), .number("pulseRate", medical, "bpm"),
                .dateTime("timestamp", if: .isSet(0)), .number("measurementStatus", two, if: .isSet(1)),
                .number("deviceAndSensorStatus", three, if: .isSet(2)),
                .number("pulseAmplitudeIndex", medical, "%", if: .isSet(3)),
            ]
        ),
        // Cycling Power Measurement
        0x2A63: FieldFormat(
            flags: 2,
            [
                .number("instantaneousPower", .signed(octets: 2), "W"),
                .number("pedalPowerBalance", octet, "%", times: 5, decimal: -1, if: .isSet(0)),
                .number("accumulatedTorque", two, "N·m", binary: -5, if: .isSet(2)),
                .number("cumulativeWheelRevolutions", four, if: .isSet(4)),
                .number("lastWheelEventTime", two, "s", binary: -11, if: .isSet(4)),
                .number("cumulativeCrankRevolutions", two, if: .isSet(5)),
                .number("lastCrankEventTime", two, "s", binary: -10, if: .isSet(5)),
                .skipped(4, if: .isSet(6)), .skipped(4, if: .isSet(7)), .skipped(3, if: .isSet(8)),
                .skipped(2, if: .isSet(9)), .skipped(2, if: .isSet(10)),
                .number("accumulatedEnergy", two, "kJ", if: .isSet(11)),
            ]
        ),
        // Weight Measurement
        0x2A9D: FieldFormat(
            flags: 1,
            [
                .number("weight", two, "kg", times: 5, decimal: -3, if: .isClear(0)),
                .number("weight", two, "lb", decimal: -2, if: .isSet(0)), .dateTime("timestamp", if: .isSet(1)),
                .number("userID", octet, if: .isSet(2)), .number("bmi", two, decimal: -1, if: .isSet(3)),
                .number("height", two, "m", decimal: -3, if: .both(.isSet(3), .isClear(0))),
                .number("height", two, "in", decimal: -1, if: .both(.isSet(3), .isSet(0))),
            ]
        ),
    ]

    private static let temperature = FieldFormat(
        flags: 1,
        [
            .number("temperature", .medicalFloat(octets: 4), "°C", if: .isClear(0)),
            .number("temperature", .medicalFloat(octets: 4), "°F", if: .isSet(0)),
            .dateTime("timestamp", if: .isSet(1)),
            .number("temperatureType", octet, if: .isSet(2)),
        ]
    )

    private static let bloodPressure = FieldFormat(
        flags: 1,
        pressures("mmHg", .isClear(0)) + pressures("kPa", .isSet(0)) + [
            .dateTime("timestamp", if: .isSet(1)), .number("pulseRate", medical, "bpm", if: .isSet(2)),
            .number("userID", octet, if: .isSet(3)), .number("measurementStatus", two, if: .isSet(4)),
        ]
    )

    private static func pressures(_ unit: String, _ condition: ValueField.Condition) -> [ValueField] {
        ["systolic", "diastolic", "meanArterialPressure"].map { .number($0, medical, unit, if: condition) }
    }
}
