// Centrals and a foreign peripheral: the beginning of the tests of what our own server never does.

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
        self.central = self.testbed.central(on: self.testbed.adapter("Curious"))
        self.peripheral = try self.central.connect(in: self.testbed, services: nil)
    }

    /// Discovers everything, and returns the first service's first characteristic.
    func discover() throws -> CBCharacteristic {
        let service = try self.peripheral.discover(nil, in: self.testbed)
        return try #require(service.characteristics?.first)
    }
}

/// Two central managers of one adapter on one link to a foreign heart, which both can subscribe to.
struct ForeignPair {
    let testbed = Testbed()
    let foreign: ForeignPeripheral
    let first: CentralApp
    let second: CentralApp
    /// The first app's object for the peripheral.
    let peripheral: CBPeripheral
    /// The second app's one.
    let same: CBPeripheral

    /// The first one has connected before the second one.
    init() throws {
        self.foreign = ForeignPeripheral(in: self.testbed, ForeignPeripheral.heart(descriptors: [(0x2902, [0, 0])]))
        let adapter = self.testbed.adapter("Curious")
        self.first = self.testbed.central(on: adapter)
        self.second = self.testbed.central(on: adapter)
        self.peripheral = try self.first.connect(in: self.testbed, services: nil)
        self.same = try self.second.retrieve(self.peripheral)
        self.second.connect(self.same, in: self.testbed)
    }

    /// The characteristic that each of the two discovers.
    func discover() throws -> [CBCharacteristic] {
        try [self.peripheral, self.same].map { peripheral in
            let service = try peripheral.discover(nil, in: self.testbed)
            return try #require(service.characteristics?.first)
        }
    }

    /// The values that were written to the Client Characteristic Configuration.
    var configurations: [UInt8] { self.foreign.requests.filter { $0[0] == 0x12 }.map { $0[3] } }
}
