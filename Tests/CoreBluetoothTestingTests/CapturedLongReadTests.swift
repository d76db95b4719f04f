// A long read of a peripheral out of a capture: its first request decides which of the recorded values is read.

import CoreBluetoothTesting
import Fixtures
import Testbed
import Testing

@Suite("Long reads of a captured peripheral")
struct CapturedLongReadTests {
    private static func value(_ number: Int) -> [UInt8] { Array(repeating: UInt8(number), count: 60) }

    /// What three reads of a script give, each of several requests; `prepare` makes the script ready for each.
    private static func read(
        _ script: ScriptedPeripheral,
        prepare: (ScriptedDevice, _ number: Int) -> Void = { _, _ in }
    ) throws -> (values: [[UInt8]], world: World) {
        let world = World(seed: 3)
        let device = world.addPeripheral(script, as: "sensor")
        prepare(device, 1)
        let reader = world.addDevice("phone").run { Reader() }
        reader.subscribes = false
        for number in 1...3 {
            try world.run(until: reader.values.count == number)
            guard number < 3 else { break }
            prepare(device, number + 1)
            reader.peripheral?.readValue(for: try #require(reader.characteristic))
        }
        return (reader.values, world)
    }

    @Test("Each long read gives the next recorded value as a whole")
    func longReads() throws {
        let script = ScriptedPeripheral(
            name: "Sensor",
            services: [.init("1809", characteristics: [.init("2A1C", properties: .read, value: Data())])],
            mtu: 23
        )
        let (values, world) = try Self.read(script) { device, number in
            device.setValue(Data(Self.value(number)), of: Reader.measurement)
        }
        #expect(values == (1...3).map(Self.value))
        #expect(world.trace.containing("Read Blob Request").count >= 6, "each read takes several requests")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for path in try world.writeCaptures(named: "sensor", folder: folder.path) {
            let capture = try ScriptedPeripheral(capture: try Data(contentsOf: URL(fileURLWithPath: path)))
            #expect(try Self.read(capture).values == values)
        }
    }
}
