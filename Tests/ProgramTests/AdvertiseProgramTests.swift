// `corebluetooth advertise --gatt` with what Core Bluetooth does not have for apps: manufacturer data, and answers that
// wait.

import Foundation
import Testing

@Suite("corebluetooth advertise, as a device of one's own")
struct AdvertiseProgramTests {
    @Test("A described peripheral advertises manufacturer data, and answers after its delay")
    func whole() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let file = testbed.path("slow.json")
        let description = """
            { "name": "Slow", "manufacturerData": { "hex": "4C000215" },
              "services": [ { "uuid": "180D", "characteristics": [
                { "uuid": "2A37", "properties": ["read", "write"], "value": { "hex": "0048" }, "delay": 0.5 } ] } ] }
            """
        try Data(description.utf8).write(to: URL(fileURLWithPath: file))
        let peripheral = try testbed.start("corebluetooth", ["advertise", "--gatt", file])
        try peripheral.line(with: "is advertising")
        let scan = try testbed.tool("scan", "--timeout", "1")
        #expect(try scan.end() == 0)
        #expect(scan.lines.first?.contains("Apple 02 15") == true, "\(scan.lines)")
        let start = ContinuousClock.now
        let read = try testbed.tool("read", "Slow", "2A37")
        #expect(try read.end() == 0, "\(read.errorLines)")
        #expect(read.lines == ["00 48 (72 bpm)"])
        #expect(ContinuousClock.now - start >= .milliseconds(500))
        let write = try testbed.tool("write", "Slow", "2A37", "0050")
        #expect(try write.end() == 0, "\(write.errorLines)")
        #expect(peripheral.lines.last == "written 2A37 Heart Rate Measurement: 00 50 (80 bpm)")
    }
}
