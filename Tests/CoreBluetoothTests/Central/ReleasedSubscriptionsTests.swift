// A subscription whose only subscriber has left, on a link that another manager has: what the peer answers when it is
// released, and what the next subscriber begins with.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.8 Subscriptions that are released", .adaptersOnRecord)
struct ReleasedSubscriptionsTests {
    /// Two central managers of one adapter on one link to a foreign peripheral.
    private struct Pair {
        let testbed = Testbed()
        let foreign: ForeignPeripheral
        let first: CentralApp
        let second: CentralApp
        let peripheral: CBPeripheral

        init() throws {
            let descriptors: [(type: UInt16, value: [UInt8])] = [(type: 0x2902, value: [0, 0])]
            self.foreign = ForeignPeripheral(in: self.testbed, ForeignPeripheral.heart(descriptors: descriptors))
            let adapter = self.testbed.adapter("Curious")
            let (first, second) = (CentralApp(on: adapter), CentralApp(on: adapter))
            self.first = first
            self.second = second
            self.testbed.run { first.manager.state == .poweredOn && second.manager.state == .poweredOn }
            self.peripheral = try first.connect(in: self.testbed, services: nil)
            let known = second.manager.retrievePeripherals(withIdentifiers: [self.peripheral.identifier])
            let same = try #require(known.first)
            second.found = [same]
            same.delegate = second
            second.connect(same, in: self.testbed)
        }

        /// Subscribes the first app; what it is told.
        func subscribe() throws -> String? {
            let service = try self.peripheral.discover(nil, in: self.testbed)
            let heart = try #require(service.characteristics?.first)
            self.peripheral.setNotifyValue(true, for: heart)
            self.testbed.run()
            return self.first.calls.last
        }

        /// Ends the first app's connection; the link stays.
        func leave() {
            self.first.disconnect(self.peripheral, in: self.testbed)
            self.testbed.run()
        }

        func push(_ text: String) {
            self.foreign.push([0x1B, 0x03, 0x00] + Array(text.utf8))
            self.testbed.run()
        }

        /// The values that were written to the Client Characteristic Configuration.
        var configurations: [UInt8] { self.foreign.requests.filter { $0[0] == 0x12 }.map { $0[3] } }
    }

    @Test("7.8 B3 after a release has been accepted the next subscriber has the descriptor written again")
    func accepted() throws {
        let pair = try Pair()
        for round in 1...2 {
            #expect(try pair.subscribe() == "notifying true")
            #expect(pair.configurations == (round == 1 ? [1] : [1, 0, 1]))
            pair.push("bum")
            #expect(pair.first.values.count == round)
            pair.leave()
            #expect(pair.configurations == (round == 1 ? [1, 0] : [1, 0, 1, 0]))
            pair.push("lost")
            #expect(pair.first.values.count == round && pair.second.values.isEmpty)
            pair.first.connect(pair.peripheral, in: pair.testbed)
        }
    }

    @Test("7.8 B3 after a release has been refused the next subscriber gets values without a write")
    func refused() throws {
        let pair = try Pair()
        #expect(try pair.subscribe() == "notifying true")
        pair.foreign.onRequest = { $0[0] == 0x12 && $0[3] == 0 ? [0x01, 0x12, 0x04, 0x00, 0x0E] : nil }
        pair.leave()
        #expect(pair.configurations == [1, 0])
        pair.push("lost")
        #expect(pair.first.values.isEmpty && pair.second.values.isEmpty)
        pair.first.connect(pair.peripheral, in: pair.testbed)
        #expect(try pair.subscribe() == "notifying true")
        #expect(pair.configurations == [1, 0])
        pair.push("bum")
        #expect(pair.first.values == ["bum"])
        // It is released again when the app leaves again, and accepted this time.
        pair.foreign.onRequest = { _ in nil }
        pair.leave()
        #expect(pair.configurations == [1, 0, 0])
    }
}
