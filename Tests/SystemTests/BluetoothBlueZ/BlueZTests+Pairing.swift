// Pairing on an adapter of BlueZ: the agent that BlueZ asks, and the bonds that it has.

import Fixtures
import NIOConcurrencyHelpers
import Testing

@testable import BluetoothBlueZ
@testable import CoreBluetooth

extension BlueZTests {
    @Test(
        "hands BlueZ's questions to the pairing agent, and its answers to BlueZ",
        arguments: [
            ("RequestConfirmation", [.uint32(123_456)], "compare 123456", []),
            ("RequestPasskey", [], "enter", [.uint32(4_711)]),
            ("DisplayPasskey", [.uint32(42), .uint16(0)], "show 000042", []), ("RequestAuthorization", [], "pair", []),
        ] as [(String, [BusValue], String, [BusValue])]
    )
    func questions(member: String, arguments: [BusValue], shown: String, answer: [BusValue]) async throws {
        let agent = BlueZLoggingAgent()
        let app = BlueZCentralApp(BluetoothAdapter(bus: self.bus, pairingAgent: agent))
        try await self.connect(app)
        #expect(self.mock.calls.contains("RegisterAgent /org/bluez"))
        let device = [BusValue.path(MockBlueZ.device)]
        let result = try await self.mock.call(Agent.path, Agent.interface, member, device + arguments)
        #expect(try result.get() == answer)
        // BlueZ is answered before a code is shown.
        try await agent.events.wait(for: shown)
        #expect(agent.events.all == [shown])
        try await self.mock.set(MockBlueZ.device, BlueZ.device, ["Paired": .boolean(true)])
        try await agent.events.wait(for: "paired")
    }

    @Test("takes a pairing for which a code is needed as failed unless one was shown", arguments: [true, false])
    func neededCode(isShown: Bool) async throws {
        let agent = BlueZLoggingAgent()
        let adapter = BluetoothAdapter(bus: self.bus, pairingAgent: agent)
        let app = BlueZCentralApp(adapter)
        try await self.connect(app)
        // The answer to Pair is late.
        try await self.mock.answer { _, message in message.member == "Pair" }
        app.pair(by: adapter)
        try await eventually { self.mock.calls.contains { $0.hasPrefix("Pair ") } }
        if isShown {
            let arguments: [BusValue] = [.path(MockBlueZ.device), .uint32(42), .uint16(0)]
            _ = try await self.mock.call(Agent.path, Agent.interface, "DisplayPasskey", arguments).get()
        }
        try await self.mock.set(MockBlueZ.device, BlueZ.device, ["Paired": .boolean(true)])
        try await agent.events.wait(for: isShown ? "paired" : "failed")
    }

    @Test("repeats a read that BlueZ cannot send while it pairs")
    func readThatPairs() async throws {
        let agent = BlueZLoggingAgent()
        let app = BlueZCentralApp(BluetoothAdapter(bus: self.bus, pairingAgent: agent))
        try await self.connect(app)
        let isPaired = NIOLockedValueBox(false)
        try await self.mock.answer { call, message in
            guard message.member == "ReadValue", !isPaired.withLockedValue(\.self) else { return false }
            call.fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x00")
            return true
        }
        app.read()
        try await eventually { self.mock.calls.filter { $0.hasPrefix("ReadValue") }.count > 2 }
        #expect(!app.events.all.contains { $0.hasPrefix("refused") })
        isPaired.withLockedValue { $0 = true }
        try await app.events.wait(for: "value old")
    }

    @Test("refuses what the user refuses, and questions about devices that the program does not use")
    func refusedQuestions() async throws {
        let agent = BlueZLoggingAgent(isWilling: false)
        let app = BlueZCentralApp(BluetoothAdapter(bus: self.bus, pairingAgent: agent))
        try await self.connect(app)
        for path in [MockBlueZ.device, MockBlueZ.adapter + "/dev_2"] {
            let questions: [(String, [BusValue])] = [("RequestConfirmation", [.uint32(1)]), ("RequestPasskey", [])]
            for (member, arguments) in questions {
                let result = try await self.mock.call(Agent.path, Agent.interface, member, [.path(path)] + arguments)
                #expect(throws: BusFailure.self) { try result.get() }
            }
        }
        #expect(agent.events.all == ["compare 000001", "enter"])
        try await self.mock.set(MockBlueZ.device, BlueZ.device, ["Connected": .boolean(false)])
        try await agent.events.wait(for: "failed")
    }

    @Test("lists the devices that BlueZ has paired with, and has BlueZ remove one")
    func bonds() async throws {
        try await self.mock.advertise(["Paired": .boolean(true)])
        let bonds = try await BlueZBonds.all(on: self.mock.eventLoop, bus: self.bus.address).get()
        #expect(bonds.map(\.name) == ["Mock"] && bonds.map(\.index) == [0])
        try await BlueZBonds.remove(try #require(bonds.first), on: self.mock.eventLoop, bus: self.bus.address).get()
        #expect(self.mock.calls.last == "RemoveDevice /org/bluez/hci0")
    }
}
