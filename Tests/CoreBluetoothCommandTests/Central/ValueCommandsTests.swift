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
        let fff1 = #""service":"FFF0","characteristic":"FFF1","name":null"#
        #expect(
            try tool.objects("write FFF1 4869").map(recordContent) == [
                #"{"event":"written",\#(fff1),"hex":"4869","confirmed":true}"#
            ]
        )
        #expect(
            try tool.objects("write FFF2 01 --without-response").map(recordContent) == [
                #"{"event":"written","service":"FFF0","characteristic":"FFF2","name":null,"hex":"01","#
                    + #""confirmed":false}"#
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
            #""service":"FFF0","characteristic":"2A19","name":"Battery Level","#
            + #""hex":"56","value":86,"unit":"%","text":"V","meaning":"56 (86 %)""#
        #expect(
            try tool.objects("subscribe 2A19 --count 2").map(recordContent)
                == Array(repeating: #"{"event":"value",\#(battery)}"#, count: 2)
        )
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
