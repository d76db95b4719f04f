// The app's Bluetooth code against scripted sensors, in virtual time. CoreBluetoothTesting exists only on Linux: on
// Apple's platforms these tests are skipped, and a test says so.

#if canImport(CoreBluetoothTesting)
import CoreBluetoothTesting
import HeartRate
import Testing

@Suite struct HeartRateMonitorTests {
    private let world = World(seed: 1)

    private final class Screen {
        var events: [HeartRateMonitor.Event] = []
        var rates: [Int] {
            self.events.compactMap { event in
                if case .measured(let measurement) = event { measurement.rate } else { nil }
            }
        }
    }

    private func strap(
        location: UInt8? = 1,
        faults: [ScriptedPeripheral.Fault] = []
    ) -> ScriptedPeripheral {
        var characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("2A37", properties: .notify, updates: .every(.seconds(1)) { Data([0, 60 + UInt8($0 % 100)]) })
        ]
        if let location { characteristics.append(.init("2A38", properties: .read, value: Data([location]))) }
        return ScriptedPeripheral(
            name: "Strap",
            services: [.init("180D", characteristics: characteristics)],
            faults: faults
        )
    }

    private func withMonitor(_ body: (Screen, Device) throws -> Void) throws {
        let screen = Screen()
        let phone = self.world.addDevice("phone")
        let monitor = phone.run { HeartRateMonitor { screen.events.append($0) } }
        try withExtendedLifetime(monitor) { try body(screen, phone) }
    }

    @Test func followsAHeart() throws {
        self.world.addPeripheral(self.strap())
        try self.withMonitor { screen, _ in
            try self.world.run(until: screen.rates.count == 5)
            #expect(screen.events.prefix(2) == [.searching, .connected(name: "Strap", location: "chest")])
            #expect(screen.rates == Array(screen.rates[0]...screen.rates[0] + 4))
        }
    }

    @Test(arguments: [nil, 200] as [UInt8?]) func doesWithoutALocation(location: UInt8?) throws {
        self.world.addPeripheral(self.strap(location: location))
        try self.withMonitor { screen, _ in
            try self.world.run(until: screen.rates.count == 2)
            #expect(screen.events.contains(.connected(name: "Strap", location: nil)))
        }
    }

    @Test func goesOnWhenTheSensorIsBack() throws {
        let sensor = self.world.addPeripheral(self.strap())
        try self.withMonitor { screen, _ in
            try self.world.run(until: screen.rates.count == 3)
            sensor.distance = 1000
            try self.world.run(until: screen.events.last == .lost)
            self.world.advance(by: .seconds(60))
            #expect(screen.events.last == .lost)
            sensor.distance = 2
            let count = screen.rates.count
            try self.world.run(until: screen.rates.count == count + 3)
        }
    }

    @Test func goesOnAfterAnEndInTheMiddle() throws {
        let faults: [ScriptedPeripheral.Fault] = [.loseLink(.afterNotification(2)), .disconnect(.afterNotification(4))]
        self.world.addPeripheral(self.strap(faults: faults))
        try self.withMonitor { screen, _ in
            try self.world.run(until: screen.rates.count >= 7, within: .seconds(60))
            #expect(screen.events.filter { $0 == .lost }.count == 2)
        }
    }

    @Test func saysThatBluetoothIsOff() throws {
        self.world.addPeripheral(self.strap())
        try self.withMonitor { screen, phone in
            try self.world.run(until: screen.rates.count == 1)
            phone.isPowered = false
            try self.world.run(until: screen.events.last == .unavailable("Bluetooth is off"))
            phone.isPowered = true
            let count = screen.rates.count
            try self.world.run(until: screen.rates.count > count)
        }
    }
}
#else
import Testing

@Test(.disabled("CoreBluetoothTesting runs on Linux; there these tests run in virtual time"))
func heartRateMonitor() {}
#endif
