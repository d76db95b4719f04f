// A central and a foreign peripheral on one testbed: the beginning of the tests of what our own server never does.

import Testbed
import Testing

@testable import CoreBluetooth

/// A central that has connected to a foreign peripheral.
struct ForeignConversation {
    let testbed = Testbed()
    let foreign: ForeignPeripheral
    let central: CentralApp
    let peripheral: CBPeripheral

    /// - Parameter setUp: Changes the peripheral before there is a central.
    init(_ attributes: [ForeignPeripheral.Attribute], setUp: (ForeignPeripheral) -> Void = { _ in }) throws {
        self.foreign = ForeignPeripheral(in: self.testbed, attributes)
        setUp(self.foreign)
        let central = CentralApp(on: self.testbed.adapter("Curious"))
        self.central = central
        self.testbed.run { central.manager.state == .poweredOn }
        self.peripheral = try central.connect(in: self.testbed, services: nil)
    }

    /// Discovers everything, and returns the first service's first characteristic.
    func discover() throws -> CBCharacteristic {
        let service = try self.peripheral.discover(nil, in: self.testbed)
        return try #require(service.characteristics?.first)
    }
}
