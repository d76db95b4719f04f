// Waits of a world: `async` code, limits to the nanosecond, mistakes, and the text of a failed wait.

import Testing

@testable import CoreBluetoothTesting

@Suite("Waiting in a world")
struct WaitingTests {
    private struct Failed: Error {}

    @Test("passes virtual time while a task awaits")
    @MainActor
    func awaits() async throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer(onRead: { _ in .value(Data([23])).delayed(by: .seconds(3)) }))
        let reader = world.addDevice("phone").run { Reader() }
        let clock = world.clock
        let value = try await world.wait { () async throws -> [UInt8]? in
            while reader.values.isEmpty { try await clock.sleep(for: .milliseconds(100)) }
            return reader.values.first
        }
        #expect(value == [23] && world.now > .seconds(3))
    }

    @Test("throws what the operation throws, and cancels one that has not ended")
    @MainActor
    func throwing() async throws {
        let world = World(seed: 1)
        let clock = world.clock
        await #expect(throws: Failed.self) {
            try await world.wait {
                try await clock.sleep(for: .milliseconds(300))
                throw Failed()
            }
        }
        var isCancelled = false
        await #expect(throws: WorldError.self) {
            try await world.wait(within: .milliseconds(20)) {
                while !Task.isCancelled { await Task.yield() }
                isCancelled = true
            }
        }
        #expect(world.now == .milliseconds(320))
        for _ in 0..<1_000 where !isCancelled { await Task.yield() }
        #expect(isCancelled)
    }

    private final class Flag {
        var isSet = false
    }

    /// An invalid script.
    private static func wrongScript() -> ScriptedPeripheral {
        ScriptedPeripheral(name: "Thing", services: [.init("FFF0", characteristics: [.init("FFF1", properties: [])])])
    }

    @Test("runs due tasks before it evaluates a condition")
    func dueAtOnce() async throws {
        let world = World(seed: 1)
        let (first, second) = (Flag(), Flag())
        world.after(.zero) { first.isSet = true }
        try world.run(until: first.isSet, within: .zero)
        world.after(.zero) { second.isSet = true }
        try await world.wait(until: second.isSet, within: .zero)
        #expect(world.now == .zero)
    }

    @Test("meets a condition at the end of the limit, and fails a millisecond later")
    func exactLimit() throws {
        for (delay, isInTime) in [(1_000, true), (1_001, false)] {
            let world = World(seed: 1)
            var isDone = false
            world.after(.milliseconds(delay)) { isDone = true }
            if isInTime {
                try world.run(until: isDone, within: .seconds(1))
            } else {
                #expect(throws: WorldError.self) { try world.run(until: isDone, within: .seconds(1)) }
            }
            #expect(world.now == .seconds(1))
        }
    }

    @Test("stops exactly at the limit, which is 30 seconds by default")
    func limits() async throws {
        let world = World(seed: 1)
        #expect(throws: WorldError.self) { try world.run(until: false) }
        #expect(world.now == .seconds(30))
        await #expect(throws: WorldError.self) { try await world.wait(until: false) }
        #expect(world.now == .seconds(60))
        #expect(throws: WorldError.self) { try world.run(until: { false }) }
        #expect(world.now == .seconds(90))
        #expect(throws: WorldError.self) { try world.run(until: false, within: .microseconds(1_500)) }
        #expect(world.now == .seconds(90) + .microseconds(1_500))
    }

    @Test(
        "throws a mistake at once, whether the condition is true or not",
        arguments: [true, false]
    )
    func mistakes(condition: Bool) async throws {
        let world = World(seed: 1)
        _ = world.addPeripheral(Self.wrongScript())
        let error = await #expect(throws: WorldError.self) {
            try await world.wait(until: condition, within: .seconds(5))
        }
        #expect(error?.reason.contains("the characteristic FFF1 has no properties") == true)
        #expect(world.now == .zero)
        // It is thrown once.
        try await world.wait(until: true)
    }

    @Test("says where and how long an `async` test waited without success")
    func words() async throws {
        let world = World(seed: 1)
        world.note("a line")
        let line = #line + 1
        let error = await #expect(throws: WorldError.self) {
            try await world.wait(until: false, within: .milliseconds(1_500))
        }
        let place = "CoreBluetoothTestingTests/WorldTests+Waiting.swift:\(line)"
        #expect(error?.reason == "\(place): the condition did not become true within 1.5 s")
        #expect(error?.lastLines.count == 1 && error?.lastLines.last?.hasSuffix("a line") == true)
        #expect(world.now == .milliseconds(1_500))
    }

    @Test("throws a mistake of the test while an operation waits, and cancels it")
    @MainActor
    func mistakeInOperation() async throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        let clock = world.clock
        var isCancelled = false
        let line = #line + 1
        let error = await #expect(throws: WorldError.self) {
            try await world.wait {
                thermo.notify(Data([1]), for: "2A38")
                do { try await clock.sleep(for: .seconds(20)) } catch { isCancelled = true }
            }
        }
        let place = "CoreBluetoothTestingTests/WorldTests+Waiting.swift:\(line): "
        #expect(error?.reason == place + "\"Thermo\" has no characteristic 2A38; it has 2A1C, 2A19")
        #expect(world.now < .seconds(1))
        for _ in 0..<1_000 where !isCancelled { await Task.yield() }
        #expect(isCancelled)
    }

    @Test("says where a value was sent to nobody, until one is heard")
    func unheardValue() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        let reader = world.addDevice("phone").run { Reader() }
        func failure() -> String? {
            let error = #expect(throws: WorldError.self) { try world.run(until: false, within: .milliseconds(10)) }
            return error?.reason
        }
        let line = #line + 1
        thermo.notify(Data([1]), for: "2A1C")
        let file = "CoreBluetoothTestingTests/WorldTests+Waiting.swift"
        let sentence = "; nobody was subscribed to 2A1C when \"Thermo\" notified it at \(file):\(line)"
        #expect(failure()?.contains(sentence) == true)
        try world.run(until: reader.calls.contains("notifying true"))
        thermo.notify(Data([2]), for: "2A1C")
        #expect(failure()?.hasSuffix("within 10 ms") == true)
    }

    @Test("says that no app on a device has made a call, at the line of the wait")
    func silence() throws {
        let world = World(seed: 1)
        _ = world.addDevice("phone")
        let error = #expect(throws: WorldError.self) { try world.run(until: false) }
        let sentence = "the condition did not become true within 30 s; no app on a device has called Core Bluetooth"
        #expect(error?.reason.contains("\(#line - 2): " + sentence) == true)
        let scripts = World(seed: 1)
        scripts.addPeripheral(.thermometer())
        let other = #expect(throws: WorldError.self) { try scripts.run(until: false) }
        #expect(other?.reason.hasSuffix("within 30 s") == true)
    }

    @Test("waits for an operation until the end of the limit")
    @MainActor
    func operationLimit() async throws {
        for (milliseconds, isInTime) in [(1_000, true), (1_001, false)] {
            let world = World(seed: 1)
            let clock = world.clock
            let operation: @MainActor @Sendable () async throws -> Int = {
                try await clock.sleep(until: WorldClock.Instant(offset: .milliseconds(milliseconds)))
                return 7
            }
            if isInTime {
                let value = try await world.wait(within: .seconds(1), for: operation)
                #expect(value == 7)
            } else {
                await #expect(throws: WorldError.self) { try await world.wait(within: .seconds(1), for: operation) }
            }
            #expect(world.now == .seconds(1))
        }
    }

    @Test("takes no time for an operation that has ended")
    @MainActor
    func endedOperation() async throws {
        struct Thrown: Error {}
        let world = World(seed: 1)
        let value = try await world.wait(within: .zero) { 5 }
        #expect(value == 5)
        await #expect(throws: Thrown.self) {
            try await world.wait(within: .zero) { () throws -> Int in throw Thrown() }
        }
        #expect(world.now == .zero)
    }
}
