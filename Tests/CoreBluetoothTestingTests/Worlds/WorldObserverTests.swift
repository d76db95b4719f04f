import CoreBluetooth
import Testing

@testable import CoreBluetoothTesting

@Suite("WorldObserver")
struct WorldObserverTests {
    /// Notes what it observes, and whether the times are the world's.
    private final class Notes: WorldObserver {
        weak var world: World?
        private(set) var entries: [TraceEntry] = []
        private(set) var calls: [String] = []
        private(set) var areTimesPresent = true

        func traced(_ entry: TraceEntry) {
            self.entries.append(entry)
            if entry.layer == .app { self.calls.append("\(entry.device) calls \(entry.text)") }
            self.check(entry.time)
        }

        func callsDelegate(_ callback: String, on device: String, at time: Duration) {
            self.calls.append("\(device) is called \(callback)")
            self.check(time)
        }

        private func check(_ time: Duration) {
            if let world = self.world, world.now != time { self.areTimesPresent = false }
        }
    }

    @Test("sees the calls of apps and of delegates in their order, until another one is set")
    func calls() {
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        let notes = Notes()
        notes.world = world
        world.note("before")
        world.observer = notes
        world.advance(by: .milliseconds(250))
        let reader = phone.run { Reader() }
        world.advance(by: .seconds(1))
        #expect(
            Array(notes.calls.prefix(2)) == [
                "phone is called centralManagerDidUpdateState: .poweredOn",
                "phone calls scanForPeripherals(withServices: [1809])",
            ]
        )
        #expect(notes.areTimesPresent)
        world.observer = nil
        let count = notes.calls.count
        reader.central.stopScan()
        world.note("a line")
        world.advance(by: .seconds(1))
        #expect(notes.calls.count == count && notes.entries.last?.text != "a line")
    }

    @Test("sees each line of the trace once, in order, with the layer HCI")
    func lines() throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer())
        world.note("before")
        let notes = Notes()
        notes.world = world
        world.observer = notes
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("notifying true"))
        world.note("behind")
        let all = world.trace.includingHCI.map(\.description)
        let seen = notes.entries.map(\.description)
        #expect(notes.areTimesPresent && seen.last?.hasSuffix("behind") == true)
        #expect(seen == Array(all.suffix(seen.count)) && seen.count < all.count)
        #expect(notes.entries.contains { $0.layer == .hci } && Set(notes.entries.map(\.device)).count == 3)
        world.observer = nil
    }
}
