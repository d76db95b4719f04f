// corebluetooth advertise as it ships, in virtual time, beside sessions of connect. The lines of the peripheral begin
// with a bar.

import BluetoothHost
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The session of corebluetooth advertise")
struct CorebluetoothPeripheralTests {
    /// Plays a minute of a described peripheral and of one or two sessions, whose adapter may be off meanwhile.
    private func play(
        _ characteristics: String,
        moreServices: String = "",
        _ lines: String,
        other: String = "",
        isOff off: [Double] = [],
        marks: [Double] = []
    ) async throws -> ExitTest.Result {
        try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            @MainActor
            [characteristics, moreServices, lines, other, off, marks] in
            var run = SessionRun()
            try run.startDescribedPeripheral(characteristics, moreServices: moreServices)
            let world = run.world
            for (seconds, isPowered) in zip(off, [false, true]) {
                world.after(.seconds(seconds)) { world["peripheral"]?.isPowered = isPowered }
            }
            for (name, script) in [("tool", lines), ("other", other)] where !script.isEmpty {
                try run.startConnectSession("Safe", script, on: world.addDevice(name))
            }
            run.markTimes(marks)
            run.passMinute()
        }
    }

    @Test("prints reads, writes and subscriptions, notifies writes, and sends values in their rhythm to listeners")
    func lines() async throws {
        let process = try await play(
            """
            { "uuid": "2A6E", "properties": ["read", "notify"], "notifyEvery": 2,
              "values": [ { "int16": 2150 }, { "int16": 2175 } ] },
            { "uuid": "FFF1", "properties": ["read", "write", "notify"], "value": { "text": "Hello" } }
            """,
            "1 read 2A6E; 2 subscribe FFF1; 3 write FFF1 Bye --text; 4 read FFF1 --text; 5 subscribe 2A6E; "
                + "11.5 unsubscribe 2A6E; 20 end",
            marks: [7.5, 9.5, 11.4, 19]
        )
        #expect(process.errorLines.isEmpty)
        #expect(
            process.linesBesideLinks == [
                "| \"Safe\" is advertising FFF0; Ctrl-C ends it.",
                "| read 2A6E Temperature", "66 08 (21.5 °C)", "| subscribed FFF1",
                "| written FFF1: 42 79 65 \"Bye\"", "42 79 65 \"Bye\"", "| read FFF1", "Bye",
                "| subscribed 2A6E Temperature", "7F 08 (21.75 °C)", "- 7.5", "66 08 (21.5 °C)", "- 9.5",
                "7F 08 (21.75 °C)", "- 11.4", "| unsubscribed 2A6E Temperature", "- 19.0",
            ]
        )
    }

    @Test("answers after the delay, refuses writes that are not described, and fails others with the described error")
    func answers() async throws {
        let hex = String(repeating: "A7", count: 512)
        let process = try await play(
            """
            { "uuid": "FFF1", "properties": ["read"], "delay": 3, "value": { "hex": "\(hex)" } },
            { "uuid": "FFF2", "properties": ["write", "notify"], "answers": [
                { "written": { "hex": "01" }, "notifications": [ { "after": 2, "value": { "uint8": 4 } } ] },
                { "written": { "hex": "02" }, "error": 128 } ] }
            """,
            "1 read FFF1 --hex; 5 subscribe FFF2; 6 write FFF2 01; 10 write FFF2 02; 11 write FFF2 03; 12 quit",
            marks: [3.9, 4.5, 7.9, 8.5]
        )
        // The parts of a long value wait once.
        #expect(
            process.linesBesideLinks.dropFirst() == [
                "- 3.9", "| read FFF1", hex, "- 4.5", "| subscribed FFF2", "| written FFF2: 01", "- 7.9", "04", "- 8.5",
            ]
        )
        let words = [
            "writing FFF2 failed: ", "there is no write of 03 to characteristic FFF2", "writing FFF2 failed: ",
        ]
        #expect(process.errorLines.hasWords(words) && process.errorLines.first?.hasSuffix(" 0x80") == true)
    }

    @Test("sends recorded values to all listeners, anew with each first subscription, also if its adapter was off")
    func recordedValues() async throws {
        let process = try await play(
            """
            { "uuid": "FFF1", "properties": ["notify"], "notifications": [
                { "after": 2, "value": { "uint8": 1 } }, { "after": 4, "value": { "uint8": 2 } },
                { "after": 20, "value": { "uint8": 3 } } ] }
            """,
            "1 subscribe FFF1; 12 connect; 13 subscribe FFF1; 40 end",
            other: "2 subscribe FFF1",
            isOff: [8, 9],
            marks: [2.9, 4, 14, 22]
        )
        let expected = ["- 2.9", "01", "01", "- 4.0", "02", "02", "- 14.0", "01", "02", "- 22.0", "03"]
        #expect(process.sessionLines == expected)
    }

    private static let fourValues = """
        { "uuid": "FFF1", "properties": ["read", "notify"], "notifyEvery": 2,
          "values": [ { "uint8": 1 }, { "uint8": 2 }, { "uint8": 3 }, { "uint8": 4 } ] }
        """

    @Test("has one rhythm for all listeners, which ends with the last of them")
    func severalListeners() async throws {
        let process = try await play(
            Self.fourValues,
            "3 subscribe FFF1; 8 unsubscribe FFF1; 20 quit",
            other: "4 subscribe FFF1; 12 unsubscribe FFF1; 40 end",
            marks: [4.9, 5.9, 6.9, 7.9, 8.9, 9.9, 10.9, 11.9, 18.9]
        )
        #expect(process.errorLines.isEmpty)
        #expect(
            process.sessionLines == [
                "- 4.9", "02", "02", "- 5.9", "- 6.9", "03", "03", "- 7.9", "- 8.9", "04", "- 9.9", "- 10.9", "01",
                "- 11.9", "- 18.9",
            ]
        )
    }

    @Test("keeps the place in its rhythm while the adapter is off and nobody listens")
    func rhythm() async throws {
        let process = try await play(
            Self.fourValues,
            "1 subscribe FFF1; 25 connect; 26 read FFF1; 27 subscribe FFF1; 33 end",
            isOff: [6, 8],
            marks: [5, 25, 28, 30]
        )
        #expect(process.sessionLines == ["02", "- 5.0", "03", "- 25.0", "03", "- 28.0", "04", "- 30.0", "01"])
    }

    @Test(
        "does not send what falls due while the adapter is off",
        arguments: [
            // What follows from the first write falls due at 8 s.
            """
            { "uuid": "FFF1", "properties": ["write", "notify"], "answers": [
                { "written": { "hex": "01" }, "notifications": [ { "after": 5, "value": { "uint8": 4 } } ] },
                { "written": { "hex": "02" }, "notifications": [ { "after": 1, "value": { "uint8": 2 } } ] } ] }
            """,
            // So does the answer to the first write, with which the value is notified.
            #"{ "uuid": "FFF1", "properties": ["write", "notify"], "delay": 5 }"#,
        ]
    )
    func off(characteristic: String) async throws {
        let script =
            "1 subscribe FFF1; 3 write FFF1 01; 25 connect; 27 subscribe FFF1; 29 write FFF1 02; 40 quit"
        let process = try await play(characteristic, script, isOff: [5, 10])
        #expect(process.sessionLines == ["02"])
        #expect(process.lines.filter { $0.hasPrefix("| written ") } == ["| written FFF1: 01", "| written FFF1: 02"])
    }

    @Test("sends what follows from a write from the characteristic that is named; equal writes take turns")
    func senders() async throws {
        let process = try await play(
            """
            { "uuid": "FFF1", "properties": ["write", "notify"], "answers": [
                { "written": { "hex": "01" }, "notifications": [
                    { "after": 1, "value": { "uint8": 4 }, "uuid": "FFF2" } ] },
                { "written": { "hex": "02" } },
                { "written": { "hex": "01" }, "notifications": [
                    { "after": 1, "value": { "uint8": 5 } }, { "after": 2, "value": { "uint8": 6 } } ] } ] },
            { "uuid": "FFF2", "properties": ["notify"] }
            """,
            moreServices: """
                { "uuid": "FFE0", "characteristics": [ { "uuid": "FFF2", "properties": ["notify"] } ] },
                """,
            "1 subscribe FFF2 --service FFF0; 2 subscribe FFF1; 3 write FFF1 01; 6 write FFF1 02; 9 write FFF1 01; "
                + "13 unsubscribe FFF1; 14 write FFF1 01; 20 quit",
            marks: [3.9, 4.5, 9.9, 10.5, 11.5, 19]
        )
        #expect(process.errorLines.isEmpty)
        #expect(process.sessionLines == ["- 3.9", "04", "- 4.5", "- 9.9", "05", "- 10.5", "06", "- 11.5", "- 19.0"])
    }

    @Test("is read with the value that it has sent last, also if nobody listened, or with the written one until then")
    func present() async throws {
        let process = try await play(
            """
            { "uuid": "FFF1", "properties": ["read", "write"], "reads": [ { "uint8": 9 } ], "answers": [
                { "written": { "hex": "01" }, "notifications": [ { "after": 3, "value": { "uint8": 4 } } ] } ] },
            { "uuid": "FFF2", "properties": ["read", "notify"], "reads": [ { "uint8": 8 } ],
              "notifications": [ { "after": 2, "value": { "uint8": 7 } } ] }
            """,
            "1 read FFF1; 2 write FFF1 01; 3 read FFF1; 6 read FFF1; 10 read FFF2; 11 subscribe FFF2; 12 read FFF2; "
                + "15 read FFF2; 16 quit"
        )
        #expect(process.sessionLines == ["09", "01", "04", "08", "08", "07", "07"])
    }

    @Test("refuses a value that its capture lacks, and says that it lacks the value or the subscription")
    func unseen() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            var service = RecordedService(uuid: 0xFFF0, isPrimary: true, handles: 1...9)
            var heard = RecordedCharacteristic(uuid: 0xFFF2, properties: [.notify], handle: 5)
            heard.wasSubscribed = true
            service.characteristics = [.init(uuid: 0xFFF1, properties: [.read, .notify], handle: 3), heard]
            var peripheral = RecordedPeripheral()
            peripheral.services = [service]
            var run = SessionRun()
            try run.startDescribedPeripheral(GATTDescription(peripheral))
            let script = "1 read FFF1; 2 subscribe FFF1; 3 unsubscribe FFF1; 4 subscribe FFF2; 5 quit"
            try run.startConnectSession("Safe", script)
            run.passMinute()
        }
        #expect(process.sessionLines.isEmpty)
        let words = [
            "the capture has no value for characteristic FFF1", "reading FFF1 failed: ",
            "the capture has no subscription to characteristic FFF1",
        ]
        #expect(process.errorLines.hasWords(words), "\(process.errorLines)")
    }

    @Test("ends with the reason at a service that the system keeps for itself", arguments: [false, true])
    func systemService(isPermitted: Bool) async throws {
        let process = try await #require(processExitsWith: .exitCode(isPermitted ? 99 : 1), observing: .outputs) {
            @MainActor [isPermitted] in
            var run = SessionRun()
            let json = Data(#"{ "services": [ { "uuid": "180D" }, { "uuid": "180F" } ] }"#.utf8)
            try run.startDescribedPeripheral(
                try GATTDescription(json: json, from: "t.json"),
                on: run.world.addDevice("peripheral", permitsSystemServices: isPermitted)
            )
            run.passMinute()
        }
        let line = process.errorLines.last { $0.contains("cannot be offered") }
        #expect(line?.hasPrefix("the service Battery cannot be offered: ") == (isPermitted ? nil : true))
        #expect(line?.hasSuffix("; the system keeps it for itself, choose another") == (isPermitted ? nil : true))
        let advertising = "| \"Safe\" is advertising Heart Rate, Battery; Ctrl-C ends it."
        #expect(process.lines == (isPermitted ? [advertising] : []))
    }

    @Test("ends with 5 on a machine without Bluetooth, and so does a command for a device", arguments: [false, true])
    func unsupported(isCentral: Bool) async throws {
        let process = try await #require(processExitsWith: .exitCode(5), observing: .outputs) {
            @MainActor [isCentral] in
            var run = SessionRun()
            let device = run.world.addDevice("device", isSupported: false)
            if isCentral {
                try run.startDeviceCommand(["Thermo"], on: device) { _, _, _ in }
            } else {
                let json = Data(#"{ "services": [] }"#.utf8)
                try run.startDescribedPeripheral(try GATTDescription(json: json, from: "t.json"), on: device)
            }
            run.markTimes([5])
            run.passMinute()
        }
        #expect(process.lines.isEmpty)
    }
}
