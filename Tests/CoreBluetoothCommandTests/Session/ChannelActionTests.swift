import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A channel of a session")
@MainActor
struct ChannelActionTests {
    private let tool: ConnectedTool
    private let received = Watched(Data())

    init() throws {
        let channels: [ScriptedPeripheral.Channel] = [
            .init(psm: 192),
            .init(
                psm: 193,
                onData: { [received] data, channel in
                    received.update { $0 += data }
                    if data == Data([0]) { channel.close() }
                }
            ),
        ]
        tool = try ConnectedTool(ScriptedPeripheral(name: "Thermo", channels: channels))
    }

    /// The lines that are printed in a second.
    private func lines() -> [String] { tool.testbed.printing { tool.world.advance(by: .seconds(1)) } }

    @Test("is opened with the first value, and prints what comes on it")
    func echo() throws {
        let first = try tool.perform("channel 192 Hi --text")
        #expect(first + lines() == ["channel 192: 48 69 \"Hi\""])
        let second = try tool.perform("channel 0xC0 2150 --as uint16")
        #expect(second + lines() == ["channel 192: 66 08"])
        #expect(tool.connection.channels.keys.sorted() == [192])
    }

    @Test("is closed when it is to be, with all data at the device, or by the device; then it is opened anew")
    func close() throws {
        #expect(try tool.perform("channel 193 0102 --close") == [])
        #expect(received.value == Data([1, 2]) && tool.connection.channels.isEmpty)
        let failure = #expect(throws: Failure.self) { try tool.perform("channel 193 --close") }
        #expect(failure?.line == "the channel 193 is not open")
        let lines = try tool.perform("channel 193 00") + lines()
        #expect(lines == ["channel 193: closed by the device"] && tool.connection.channels.isEmpty)
        try tool.perform("channel 193 03")
        _ = self.lines()
        #expect(received.value == Data([1, 2, 0, 3]))
    }

    @Test("ends with the connection, which disconnect ends and connect makes again")
    func disconnect() throws {
        try tool.perform("channel 193 04")
        #expect(try tool.perform("disconnect") == [])
        #expect(received.value == Data([4]) && tool.connection.peripheral.state == .disconnected)
        #expect(tool.connection.channels.isEmpty)
        #expect(throws: Failure.self) { try tool.perform("channel 193 05") }
        try tool.perform("connect --timeout 86400")
        try tool.perform("channel 193 06")
        _ = lines()
        #expect(received.value == Data([4, 6]))
        tool.device.dropLinks()
        #expect(lines() == [] && tool.connection.channels.isEmpty)
    }

    @Test("is an object in JSON for each of its events")
    func objects() throws {
        let schema = try JSONSchema("output.schema.json")
        let device = ScriptedPeripheral(name: "Thermo", channels: [.init(psm: 192)])
        let tool = try ConnectedTool(device, isJSON: true)
        let lines = try tool.testbed.printing {
            try tool.perform("channel 192 4869")
            tool.world.advance(by: .seconds(1))
            try tool.perform("channel 192 --close")
            try tool.perform("disconnect")
        }
        for line in lines { #expect(schema.problem(try jsonObject(line)) == nil, "\(line)") }
        #expect(
            try lines.map(recordContent) == [
                #"{"event":"opened","psm":192}"#, #"{"event":"received","psm":192,"hex":"4869","text":"Hi"}"#,
                #"{"event":"closed","psm":192}"#, #"{"event":"disconnected"}"#,
            ]
        )
    }
}
