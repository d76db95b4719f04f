// Answers that the commands' central gets when their wait is over already, and writes without response that wait until
// they can be taken.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Late answers and early writes")
@MainActor
struct LateAnswersTests {
    @Test("An answer that comes before the end of its wait was told ends no later wait")
    func lateAnswer() async throws {
        let central = Central(output: OutputFormat(isJSON: false, isVerbose: false) { _ in })
        let limit = ToolTestbed.realTimeLimit
        let call = Task { @MainActor in try await central.wait(.strength, limit, "late") {} }
        while central.awaited == nil { await Task.yield() }
        // As when its time is up: the call has not gone on yet.
        central.pendingAnswer.end(.failure(Failure("the time is up")))
        #expect(central.awaited == .strength && !central.pendingAnswer.isWaiting)
        central.end(.strength, nil)
        let failure = await #expect(throws: Failure.self) { try await call.value }
        #expect(failure?.line == "the time is up")
        #expect(central.awaited == nil)
        var hasStarted = false
        try await central.wait(.link, limit, "late") {
            hasStarted = true
            central.end(.link, nil)
        }
        #expect(hasStarted)
    }

    @Test("A write without response waits until it can be taken, however many came before it")
    func writability() throws {
        let world = World(seed: 1)
        let characteristics: [ScriptedPeripheral.Characteristic] = [.init("FFF2", properties: .writeWithoutResponse)]
        let service = ScriptedPeripheral.Service("FFF0", characteristics: characteristics)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: [service]))
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Thermo")
        try testbed.perform { try await connection.discover() }
        let characteristic = try #require(connection.discovered.first)
        let (central, peripheral) = (testbed.central, connection.peripheral)
        let canSend = try testbed.perform { () async throws -> [Bool] in
            var states: [Bool] = []
            for number in 0..<200 as Range<UInt8> {
                try await central.waitForWritability()
                states.append(peripheral.canSendWriteWithoutResponse)
                try await central.writeWithoutResponse(Data([number]), to: characteristic)
            }
            return states
        }
        #expect(canSend == [Bool](repeating: true, count: 200))
        #expect(central.awaited == nil && !central.pendingAnswer.isWaiting)
    }
}
