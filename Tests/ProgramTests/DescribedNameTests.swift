// Real processes: a name for which an advertisement has no space, in the description of a peripheral.

import Foundation
import Testing

@Suite("Long names of described peripherals")
struct DescribedNameTests {
    @Test("A name of a description that its advertisement shortens is reported")
    func longName() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let file = testbed.path("long.json")
        let description = """
            { "name": "A thing with a long name", "services": [ { "uuid": "180D", "characteristics": [
                { "uuid": "2A37", "properties": ["read"], "value": { "hex": "0048" } } ] } ] }
            """
        try Data(description.utf8).write(to: URL(fileURLWithPath: file))
        let process = try testbed.start("corebluetooth", ["advertise", "--gatt", file])
        try eventually("the notice") {
            process.errorLines.contains { $0.contains("the name \"A thing with a long name\" is advertised as \"") }
        }
    }
}
