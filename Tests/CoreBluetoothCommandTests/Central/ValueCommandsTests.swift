import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The values of a session")
@MainActor
struct ValueCommandsTests {
    private let tool: ConnectedTool

    init() throws {
        let battery = ScriptedPeripheral.Updates.every(.seconds(1)) { _ in Data([86]) }
        tool = try ConnectedTool([
            .init("2A19", properties: [.read, .notify], value: Data([87]), updates: battery),
            .init("FFF1", properties: [.read, .write], value: Data([1])),
            .init("FFF2", properties: .writeWithoutResponse),
        ])
    }

    @Test("are written, read and printed in the form that is asked for; refusals have the reason")
    func values() throws {
        #expect(try tool.perform("write FFF1 0203") == [])
        #expect(try tool.perform("read FFF1") == ["02 03"])
        #expect(try tool.perform("read FFF1 --hex") == ["0203"])
        #expect(try tool.perform("write FFF1 Hi --text") == [])
        #expect(try tool.perform("read FFF1") == ["48 69 \"Hi\""])
        #expect(try tool.perform("read FFF1 --text") == ["Hi"])
        #expect(try tool.perform("write FFF2 01 --without-response") == [])
        for (line, words) in [
            ("read FFF2", "reading FFF2 failed: Reading is not permitted"),
            ("read 2A1C", "the device has no characteristic 2A1C; discover shows what it has"),
            (
                "read FFF1 --service 180D",
                "the device has no characteristic FFF1 in the service 180D; discover shows what it has"
            ),
            (
                "write FFF1 01 --without-response",
                "FFF1 cannot be written without response; leave --without-response out"
            ),
            ("subscribe FFF1", "subscribing to FFF1 failed: The request is not supported"),
            ("write FFF1 -", "the input of a session has its commands; write the digits of the value"),
        ] {
            let error = #expect(throws: (any Error).self, "\(line)") { try tool.perform(line) }
            #expect(error.map { tool.connection.central.words(for: $0, device: "Thermo") } == words)
        }
        #expect(throws: QuitAction.End.self) { try tool.perform("quit") }
    }

    @Test("are objects in JSON with service, characteristic, octets, number and unit; a written one says if confirmed")
    func objects() throws {
        try tool.perform("read FFF1")
        func handle(_ uuid: String) throws -> UInt16 {
            try #require(tool.connection.discovered.first { $0.uuid.uuidString == uuid }?.handle)
        }
        let handles = (try handle("FFF1"), try handle("FFF2"), try handle("2A19"))
        let fff1 = #""service":"FFF0","characteristic":"FFF1","handle":\#(handles.0),"name":null"#
        let fff2 = #""service":"FFF0","characteristic":"FFF2","handle":\#(handles.1),"name":null"#
        #expect(
            try tool.objects("write FFF1 4869").map(recordContent) == [
                #"{"event":"written",\#(fff1),"hex":"4869","confirmed":true}"#
            ]
        )
        #expect(
            try tool.objects("write FFF2 01 --without-response").map(recordContent) == [
                #"{"event":"written",\#(fff2),"hex":"01","confirmed":false}"#
            ]
        )
        for line in ["read FFF1 --text", "read FFF1 --hex", "read FFF1"] {
            #expect(
                try tool.objects(line).map(recordContent) == [
                    #"{"event":"value",\#(fff1),"hex":"4869","value":null,"unit":null,"text":"Hi","#
                        + #""meaning":"48 69 \"Hi\""}"#
                ]
            )
        }
        let battery =
            #""service":"FFF0","characteristic":"2A19","handle":\#(handles.2),"name":"Battery Level","#
            + #""hex":"56","value":86,"unit":"%","text":"V","meaning":"56 (86 %)""#
        #expect(
            try tool.objects("subscribe 2A19 --count 2").map(recordContent)
                == Array(repeating: #"{"event":"value",\#(battery)}"#, count: 2)
        )
    }

    @Test(
        "are written and read as the type that is asked for",
        arguments: [
            ("2150 --as int16", "--as int16", "2150"), ("0x1234 --as uint16", "--hex", "3412"),
            ("36.6 --as float32", "--as float32", "36.6"), ("AQI= --as base64", "--as base64", "AQI="),
            ("--as int8 -- -5", "--as uint8", "251"), ("01020304", "--as uint16", "513 1027"),
            ("Hi --as text", "--as text", "Hi"), ("0102 --as hex", "--as hex", "0102"),
        ]
    )
    func types(value: String, form: String, line: String) throws {
        #expect(try tool.perform("write FFF1 \(value)") == [])
        #expect(try tool.perform("read FFF1 \(form)") == [line])
    }

    @Test("of another length than the type's are refused by read, and shown as digits by a subscription")
    func mismatch() throws {
        let failure = #expect(throws: Failure.self) { try tool.perform("read 2A19 --as uint16") }
        #expect(failure?.line == "the octets 57 are not a whole number of uint16 values")
        #expect(try tool.perform("subscribe 2A19 --as uint16 --count 1") == ["56"])
        #expect(try tool.perform("subscribe 2A19 --as uint8 --count 1") == ["86"])
    }

    @Test("are numbers in JSON if they are read as such")
    func numbers() throws {
        try tool.perform("write FFF1 01020304")
        for (type, value) in [("uint32", "67305985"), ("uint8", "[1,2,3,4]"), ("base64", #""AQIDBA==""#)] {
            let object = try #require(try tool.objects("read FFF1 --as \(type)").first)
            #expect(object.contains(#""hex":"01020304","value":\#(value),"unit":null,"#), "\(object)")
        }
    }

    @Test("have as many octets in a write without response as the link carries, and not one more")
    func longest() throws {
        tool.world.advance(by: .seconds(1))
        let length = tool.connection.peripheral.maximumWriteValueLength(for: .withoutResponse)
        func line(_ count: Int) -> String {
            "write FFF2 \(String(repeating: "41", count: count)) --without-response"
        }
        try tool.perform(line(length))
        let failure = #expect(throws: Failure.self) { try tool.perform(line(length + 1)) }
        #expect(failure?.line == "a write without response carries up to \(length) octets, not \(length + 1)")
    }

    @Test("of a characteristic that lacks are shown by inspect, where there is no session")
    func missing() throws {
        let single = DeviceConnection(tool.testbed.central, tool.connection.peripheral, output: tool.testbed.output)
        let failure = #expect(throws: Failure.self) { try tool.testbed.perform("read FFF9", on: single) }
        #expect(failure?.line == "the device has no characteristic FFF9; corebluetooth inspect shows what it has")
    }
}
