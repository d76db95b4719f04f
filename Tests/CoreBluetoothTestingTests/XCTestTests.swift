// A world in a test of XCTest: nothing in it depends on Swift Testing.

import CoreBluetoothTesting
import XCTest

final class XCTestTests: XCTestCase {
    func testReadsTheTemperature() throws {
        try withWorld(seed: 1) { world in
            world.addPeripheral(.thermometer())
            let reader = world.addDevice("phone").run { Reader() }
            try world.run(until: !reader.values.isEmpty)
            XCTAssertEqual(reader.values, [[21]])
        }
    }
}
