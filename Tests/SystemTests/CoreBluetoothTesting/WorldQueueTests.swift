// Code that hops between queues, tasks and actors, for which a world waits before its time goes on.

import CDispatchWork
import CoreBluetooth
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import CoreBluetoothTesting

/// An app whose values go from its manager's queue to an actor, to a task, to another queue and to the main actor.
private final class HoppingApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    // Unchecked: the lock protects the counts; the rest is used on its queue alone, and by jobs that come one by one.

    actor Store {
        private(set) var values: [String] = []
        func add(_ value: String) -> Int {
            self.values.append(value)
            return self.values.count
        }
    }

    @MainActor final class Screen {
        var lines: [String] = []

        nonisolated init() {}
    }

    static let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "bluetooth")
    let other = DispatchQueue(label: "work")
    let store = Store()
    let screen = Screen()
    private var central: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var target: CBCharacteristic?
    private let lock = NSLock()
    private var writes = 0
    private var failures: [String] = []

    var writeCount: Int { self.lock.withLock { self.writes } }
    var failure: [String] { self.lock.withLock { self.failures } }

    override init() {
        super.init()
        self.queue.setSpecific(key: Self.key, value: "bluetooth")
        self.central = CBCentralManager(delegate: self, queue: self.queue)
    }

    private func check() {
        dispatchPrecondition(condition: .onQueue(self.queue))
        if DispatchQueue.getSpecific(key: Self.key) != "bluetooth" {
            self.lock.withLock { self.failures.append("no specific value") }
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        self.check()
        // The scan begins two hops later.
        guard central.state == .poweredOn else { return }
        self.other.async { self.queue.async { self.central.scanForPeripherals(withServices: nil) } }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        self.check()
        self.peripheral = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.check()
        peripheral.discoverServices(nil)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        self.check()
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        self.check()
        for characteristic in service.characteristics ?? [] where characteristic.properties.contains(.notify) {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.check()
        let value = characteristic.value.map { String(decoding: $0, as: UTF8.self) } ?? ""
        self.target = characteristic.service?.characteristics?.first { $0.properties.contains(.write) }
        Task {
            let count = await self.store.add(value)
            await Task.detached { await Task.yield() }.value
            await MainActor.run { self.screen.lines.append("\(count) \(value)") }
            self.queue.async {
                guard let target = self.target else { return }
                self.peripheral?.writeValue(Data("\(count) \(value)".utf8), for: target, type: .withResponse)
            }
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.check()
        DispatchQueue.global().async {
            DispatchQueue.main.async { self.lock.withLock { self.writes += 1 } }
        }
    }
}

/// A world that is kept; unchecked, since nothing uses it.
private struct KeptWorld: @unchecked Sendable {
    private let world = World(seed: 1)
}

/// How many tasks have run.
private final class Count: Sendable {
    let value = Mutex(0)
}

@_silgen_name("dispatch_barrier_async")
private func dispatchBarrierAsync(
    _ queue: UnsafeMutableRawPointer?,
    _ work: @escaping @convention(block) @Sendable () -> Void
)

/// Hands work to a queue as a barrier: by the function of C, which libraries call, or by Swift's flag.
private func barrier(
    _ queue: DispatchQueue,
    isFunction: Bool,
    _ work: @escaping @convention(block) @Sendable () -> Void
) {
    guard isFunction else { return queue.async(flags: .barrier, execute: work) }
    dispatch_work_ask_queue()
    queue.async {}
    dispatchBarrierAsync(dispatch_work_asked_queue(), work)
}

@Suite("Queues, tasks and actors in a world")
struct WorldQueueTests {
    /// A peripheral that notifies, and takes what is written.
    private static func sensor() -> ScriptedPeripheral {
        ScriptedPeripheral(
            name: "Sensor",
            services: [
                .init(
                    "180D",
                    characteristics: [
                        .init("2A37", properties: [.notify, .read], value: Data("0".utf8)),
                        .init("2A39", properties: [.write]),
                    ]
                )
            ]
        )
    }

    /// Plays one run: 20 notifications, each of which ends in a write five hops later.
    private static func play() throws -> (lines: [String], app: HoppingApp, written: [String]) {
        let world = World(seed: 7)
        let sensor = world.addPeripheral(self.sensor())
        let app = world.addDevice("phone").run { HoppingApp() }
        try world.run(until: sensor.hasSubscriber(for: CBUUID(string: "2A37")))
        for number in 1...20 {
            sensor.notify(Data("\(number)".utf8), for: "2A37")
            try world.run(until: app.writeCount == number)
        }
        return (world.trace.map(\.description), app, sensor.writes.map { String(decoding: $0.value, as: UTF8.self) })
    }

    /// `HOPPING_RUNS=1000` makes more of them.
    @Test("calls a delegate on its queue, waits for all hops, and repeats a run with the same seed")
    func allRunsAreOne() throws {
        let count = ProcessInfo.processInfo.environment["HOPPING_RUNS"].flatMap { Int($0) } ?? 20
        let (first, app, written) = try Self.play()
        #expect(app.failure == [] && written == (1...20).map { "\($0) \($0)" })
        for _ in 1..<count {
            let lines = try Self.play().lines
            try #require(lines == first)
        }
    }

    @Test("serves the main queue if the test has the main actor")
    @MainActor
    func mainActor() throws {
        let first = try Self.play().lines
        for _ in 1..<5 { try #require(try Self.play().lines == first) }
    }

    @Test("repeats the run of a test that is async, in any task")
    func asynchronous() async throws {
        let first = try Self.play().lines
        await Task.yield()
        #expect(try Self.play().lines == first)
        let other = try await Task.detached { try Self.play().lines }.value
        #expect(other == first)
    }

    /// Starts a task that makes a world, or else counts one.
    private static func start(makesWorld: Bool, count: Count) -> Task<KeptWorld?, Never> {
        Task.detached {
            if makesWorld { return KeptWorld() }
            count.value.withLock { $0 += 1 }
            return nil
        }
    }

    @Test("does not mistake a later task for the one that made a world")
    func worldsOutliveTheirTasks() async {
        let count = Count()
        var kept: [KeptWorld?] = []
        for _ in 0..<100 { kept.append(await Self.start(makesWorld: true, count: count).value) }
        let world = World(seed: 1)
        // The new tasks stand in memory where those stood.
        for _ in 0..<500 { _ = Self.start(makesWorld: false, count: count) }
        world.advance(by: .milliseconds(1))
        #expect(count.value.withLock { $0 } == 500)
        withExtendedLifetime(kept) {}
    }

    @Test("runs a barrier after the work before it, whichever way it is given", arguments: [false, true])
    func barriers(isFunction: Bool) throws {
        let world = World(seed: 7)
        let order = Mutex<[String]>([])
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let go = DispatchSemaphore(value: 0)
        world.addDevice("phone").run {
            queue.async {
                go.wait()
                order.withLock { $0.append("first") }
            }
            barrier(queue, isFunction: isFunction) { order.withLock { $0.append("barrier") } }
        }
        // The first one waits for something that time may bring, so that the world goes on.
        world.advance(by: .seconds(1))
        #expect(order.withLock { $0 } == [])
        world.after(.seconds(1)) { go.signal() }
        try world.run(until: order.withLock { $0 } == ["first", "barrier"])
    }

    @Test(
        "serves a queue that hands its work on to the main queue",
        arguments: [1, 2]
    )
    @MainActor
    func targetsOfQueues(depth: Int) throws {
        var queue = DispatchQueue(label: "first", target: .main)
        for number in 1..<depth { queue = DispatchQueue(label: "\(number)", target: queue) }
        let world = World(seed: 7)
        world.addPeripheral(.probedThermometer)
        let reader = world.addDevice("phone").run { WorldProbe(queue: queue) }
        try world.run(until: reader.values.first == [21])
    }

    @Test(
        "asks in the order of the starts, whichever thread comes first",
        arguments: [false, true]
    )
    func orderOfStarts(isOfDevice: Bool) {
        let world = World(seed: 1)
        let (loop, phone) = (world.loop, world.addDevice("phone"))
        let passed = Mutex(0)
        let lines = Mutex<[String]>([])
        for number in 0..<4 {
            let start = {
                DispatchQueue(label: "q").async {
                    // The last one comes first.
                    while passed.withLock({ $0 < 3 - number }) { sched_yield() }
                    loop.execute { lines.withLock { $0.append("now \(number)") } }
                    loop.scheduleTask(in: .seconds(1)) { lines.withLock { $0.append("later \(number)") } }
                    passed.withLock { $0 += 1 }
                }
            }
            if isOfDevice { phone.run(start) } else { start() }
        }
        world.advance(by: .seconds(2))
        #expect(lines.withLock { $0 } == ["now", "later"].flatMap { word in (0..<4).map { "\(word) \($0)" } })
    }

    /// An app that makes its manager later.
    private final class Box: @unchecked Sendable {
        // Unchecked: the lock protects the reader.
        private let lock = NSLock()
        private var reader: WorldProbe?

        func start() { self.lock.withLock { self.reader = WorldProbe() } }

        func stop() { self.lock.withLock { self.reader = nil } }

        var isStarted: Bool { self.lock.withLock { self.reader != nil } }

        var values: [[UInt8]] { self.lock.withLock { self.reader?.values ?? [] } }
    }

    @Test("puts a manager made after a hop on the device, and reports one made outside")
    func managersOutside() throws {
        let world = World(seed: 1)
        world.addPeripheral(.probedThermometer)
        let box = world.addDevice("phone").run { () -> Box in
            let box = Box()
            DispatchQueue(label: "first").async { Task.detached { DispatchQueue.global().async { box.start() } } }
            return box
        }
        try world.run(until: box.values.first == [21])

        let reader = WorldProbe()
        let error = #expect(throws: WorldError.self) { try world.run(until: true) }
        #expect(error?.reason.contains("WorldQueueTests.swift:\(#line - 1): a manager was made outside") == true)
        #expect(error?.reason.contains("device.run") == true)
        box.stop()
        withExtendedLifetime(reader) {}
    }

    @Test("names a queue that nobody serves, once")
    func suspendedQueue() throws {
        let world = World(seed: 1)
        let queue = DispatchQueue(label: "suspended", attributes: .initiallyInactive)
        world.loop.work.limit = 0.1
        world.addDevice("phone").run { queue.async {} }
        let error = #expect(throws: WorldError.self) { try world.run(until: true) }
        #expect(error?.reason.contains("\"suspended\" (not begun)") == true)
        // It was waited for once: while nothing of it changes, nobody waits for it again.
        #expect(throws: Never.self) { try world.run(until: true) }
        queue.activate()
    }

    @Test("lets a task of the test pass time within a turn of the test")
    @MainActor
    func tasksLetTimePass() async {
        let world = World(seed: 1)
        let time = Task { @MainActor in
            while !Task.isCancelled {
                world.advance(by: .milliseconds(10))
                await Task.yield()
            }
        }
        await Task.yield()
        let start = world.now
        world.advance(by: .seconds(1))
        #expect(world.now - start >= .seconds(1))
        time.cancel()
    }
}
