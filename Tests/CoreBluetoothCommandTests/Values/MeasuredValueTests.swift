// The formats are those of the GATT Specification Supplement.

import AssignedNumbers
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A value for programs")
struct MeasuredValueTests {
    private static func json(_ uuid: String, _ octets: [UInt8], _ format: ValueFormat? = nil) -> String? {
        DecodedValue(Data(octets), of: CBUUID(string: uuid), format).map { JSONValue.object($0.details).text }
    }

    @Test(
        "is a number with its unit, or text, by the format of the characteristic",
        arguments: [
            ("2A6E", [0x66, 0x08], #"{"value":21.5,"unit":"°C"}"#), ("2A19", [87], #"{"value":87,"unit":"%"}"#),
            ("2A07", [0xFC], #"{"value":-4,"unit":"dBm"}"#), ("2A38", [2], #"{"value":2,"unit":null}"#),
            ("2A01", [0xC1, 0x03], #"{"value":961,"unit":null}"#), ("2A06", [1], #"{"value":1,"unit":null}"#),
            // Not known.
            ("2A6E", [0x00, 0x80], #"{"value":null,"unit":"°C"}"#),
            ("2A29", [0x41, 0x42], #"{"value":"AB","unit":null}"#), ("2A6E", [0x66], nil), ("2A29", [0xC3, 0x28], nil),
            ("FFF1", [1], nil), ("FFF1", [], nil), ("2A6E", [], nil),
            ("2A190000-0000-0000-0000-000000000000", [87], nil),
            ("2A08", [0xEA, 0x07, 11, 28, 9, 5, 0], #"{"value":"2026-11-28T09:05:00","unit":null}"#),
            ("2A08", [0, 0, 11, 28, 9, 5, 0], #"{"value":null,"unit":null}"#),
        ] as [(String, [UInt8], String?)]
    )
    func single(uuid: String, octets: [UInt8], expected: String?) {
        #expect(Self.json(uuid, octets) == expected)
    }

    @Test(
        "has fields with names and units of their own where the flags say that they are there",
        arguments: [
            ("2A37", [0x00, 72], #"{"value":{"heartRate":72},"unit":{"heartRate":"bpm"}}"#),
            ("2A37", [0x01, 0x48, 0x01], #"{"value":{"heartRate":328},"unit":{"heartRate":"bpm"}}"#),
            (
                "2A37", [0x18, 72, 10, 0, 0x00, 0x04, 0x00, 0x02],
                #"{"value":{"heartRate":72,"energyExpended":10,"rrIntervals":[1000,500]},"#
                    + #""unit":{"heartRate":"bpm","energyExpended":"kJ","rrIntervals":"ms"}}"#
            ),
            ("2A37", [0x10, 72], #"{"value":{"heartRate":72},"unit":{"heartRate":"bpm"}}"#),
            ("2A37", [0x08, 72, 10], nil), ("2A37", [], nil),
            (
                "2A1C", [0x01, 0x6E, 0x01, 0x00, 0xFF],
                #"{"value":{"temperature":36.6},"unit":{"temperature":"°F"}}"#
            ),
            ("2A1C", [0x00, 0xFF, 0xFF, 0x7F, 0x00], #"{"value":{"temperature":null},"unit":{"temperature":"°C"}}"#),
            (
                "2A35", [0x02, 120, 0, 80, 0, 93, 0, 0xEA, 0x07, 11, 28, 9, 5, 0],
                #"{"value":{"systolic":120,"diastolic":80,"meanArterialPressure":93,"#
                    + #""timestamp":"2026-11-28T09:05:00"},"#
                    + #""unit":{"systolic":"mmHg","diastolic":"mmHg","meanArterialPressure":"mmHg"}}"#
            ),
            (
                "2A9D", [0x08, 0x98, 0x3A, 0xF0, 0x00, 0xD6, 0x06],
                #"{"value":{"weight":75,"bmi":24,"height":1.75},"unit":{"weight":"kg","height":"m"}}"#
            ),
            (
                "2A63", [0x60, 0x08, 0xFA, 0x00, 5, 0, 0x00, 0x04, 1, 2, 3, 4, 7, 0],
                #"{"value":{"instantaneousPower":250,"cumulativeCrankRevolutions":5,"lastCrankEventTime":1,"#
                    + #""accumulatedEnergy":7},"#
                    + #""unit":{"instantaneousPower":"W","lastCrankEventTime":"s","accumulatedEnergy":"kJ"}}"#
            ),
            (
                "2A04", [6, 0, 12, 0, 0, 0, 0xC8, 0],
                #"{"value":{"minimumInterval":7.5,"maximumInterval":15,"latency":0,"supervisionTimeout":2000},"#
                    + #""unit":{"minimumInterval":"ms","maximumInterval":"ms","supervisionTimeout":"ms"}}"#
            ),
        ] as [(String, [UInt8], String?)]
    )
    func fields(uuid: String, octets: [UInt8], expected: String?) {
        #expect(Self.json(uuid, octets) == expected)
    }

    @Test("has the format of the device if the Bluetooth SIG defines none")
    func presentationFormat() throws {
        let format = try #require(ValueFormat(presentationFormat: [0x0E, 0xFE, 0x2F, 0x27, 1, 0, 0]))
        #expect(Self.json("FFF1", [0x66, 0x08], format) == #"{"value":21.5,"unit":"°C"}"#)
        #expect(Self.json("2A19", [87], format) == #"{"value":87,"unit":"%"}"#)
        #expect(Self.json("FFF1", [0x66], format) == nil)
    }

    @Test("has the words of its fields behind the octets, the first one without a name")
    func words() {
        let data = Data([0x18, 72, 10, 0, 0x00, 0x04, 0x00, 0x02])
        #expect(
            ValueText.text(data, of: CBUUID(string: "2A37"))
                == "18 48 0A 00 00 04 00 02 (72 bpm, energy expended 10 kJ, rr intervals 1000, 500 ms)"
        )
    }
}
