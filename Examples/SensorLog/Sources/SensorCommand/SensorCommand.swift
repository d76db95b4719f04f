// The program `sensor`: a sensor of temperature and humidity, with the values of a chip or of an invented room.

import ArgumentParser
import Foundation
import Sensor

@main
struct SensorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensor",
        abstract: "Is a Bluetooth sensor of temperature and humidity that loses no measurement."
    )

    @Option(help: "The advertised name.")
    var name = "Room"
    @Option(help: "The file with the measurements that are kept.")
    var memory = "sensor.ring"
    @Option(help: "The number of measurements that a new file keeps.")
    var capacity = 10_000
    @Option(help: "Seconds between two measurements.")
    var interval = 5.0
    @Option(help: "Measure until there are this many in all, then only deliver them.")
    var count: UInt32?
    @Option(help: "A chip's folder, such as /sys/bus/iio/devices/iio:device0; without it the room is invented.")
    var chip: String?

    func validate() throws {
        guard self.interval >= 0.001, self.interval.isFinite else {
            throw ValidationError("--interval must be 0.001 s or more")
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let ring = try MeasurementRing(path: self.memory, capacity: self.capacity)
        let sensor = SensorPeripheral(name: self.name, ring: ring)
        sensor.report = { line in try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }
        let seed = self.name.utf8.reduce(7 as UInt64) { $0 &* 31 &+ UInt64($1) }
        let climate: any Climate = self.chip.map { KernelSensor(folder: $0) } ?? InventedRoom(seed: seed)
        let timer = Timer(timeInterval: self.interval, repeats: true) { timer in
            if let count, ring.newest >= count { return timer.invalidate() }
            do {
                try sensor.add(climate.reading(at: Int64(Date().timeIntervalSince1970 * 1000)))
            } catch {
                try? FileHandle.standardError.write(contentsOf: Data("sensor: \(error)\n".utf8))
                Self.exit(withError: ExitCode.failure)
            }
        }
        RunLoop.main.add(timer, forMode: .default)
        // The run loop would return without a timer.
        RunLoop.main.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
        withExtendedLifetime(sensor) { RunLoop.main.run() }
    }
}
