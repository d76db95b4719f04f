// Changes of a peripheral's database, one after the other on one link: what it reports once says nothing of a later
// change that it does not report.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.12 Changes that a peripheral reports, and others")
struct UnreportedChangeTests {
    @Test(
        "A5 a change that the server does not report makes all services invalid, also after one that it has reported",
        arguments: [0, 1, 2]
    )
    func afterReportedChanges(count: Int) throws {
        let setup = try ForeignConversation(ForeignPeripheral.hashedAttributes)
        let (testbed, central, peripheral) = (setup.testbed, setup.central, setup.peripheral)
        let characteristic = try setup.discover()
        testbed.run(.seconds(3))
        central.calls = []
        for _ in 0..<count {
            setup.foreign.push([0x1D, 0x03, 0x00, 0x0A, 0x00, 0x0F, 0x00])
            testbed.run(.seconds(1))
        }
        #expect(central.calls == Array(repeating: "modified ", count: count))
        central.calls = []
        peripheral.readValue(for: characteristic)
        testbed.run(.seconds(1))
        #expect(central.calls == ["value"] && central.values == ["beat"])
        central.calls = []
        setup.foreign.refuseReads(1, change: nil, hash: 8)
        peripheral.readValue(for: characteristic)
        testbed.run(.seconds(1))
        #expect(central.calls == ["value CBATTErrorDomain 1", "modified 180D"])
        #expect(peripheral.services == [])
    }
}
