// Services that are discovered once more, of a peripheral that changes them without a word: which of them are the
// objects that the app has.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.1 Services that are discovered again")
struct RediscoveredServicesTests {
    @Test("7.1 a service is the same object while its handles and its UUID are the same, else another one")
    func objects() throws {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: []))
        let (testbed, central, peripheral) = (setup.testbed, setup.central, setup.peripheral)
        testbed.run(.seconds(3))
        func discover() throws -> CBService {
            let count = central.count("services 1")
            peripheral.discoverServices(nil)
            try #require(testbed.run { central.count("services 1") == count + 1 })
            return try #require(peripheral.services?.first)
        }
        let first = try discover()
        #expect(first.handles?.upperBound == 3)
        #expect(try discover() === first)
        // It is longer now.
        setup.foreign.attributes[0].end = 6
        let second = try discover()
        #expect(second !== first && second.handles?.upperBound == 6 && first.handles?.upperBound == 3)
        #expect(try discover() === second)
        // And another one.
        setup.foreign.attributes[0].value = [0x0F, 0x18]
        let third = try discover()
        #expect(third !== second && third.uuid == CBUUID(string: "180F"))
        #expect(second.uuid == CBUUID(string: "180D"))
    }
}
