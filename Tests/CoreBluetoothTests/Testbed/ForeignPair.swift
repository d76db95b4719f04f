// Two managers and a foreign peripheral: the beginning of the tests of one link that several apps have.

import Testbed
import Testing

@testable import CoreBluetooth

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
        let descriptors: [(type: UInt16, value: [UInt8])] = [(type: 0x2902, value: [0, 0])]
        self.foreign = ForeignPeripheral(in: self.testbed, ForeignPeripheral.heart(descriptors: descriptors))
        let adapter = self.testbed.adapter("Curious")
        let (first, second) = (CentralApp(on: adapter), CentralApp(on: adapter))
        self.first = first
        self.second = second
        self.testbed.run { first.manager.state == .poweredOn && second.manager.state == .poweredOn }
        self.peripheral = try first.connect(in: self.testbed, services: nil)
        self.same = try second.retrieve(self.peripheral)
        self.same.delegate = second
        second.connect(self.same, in: self.testbed)
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
