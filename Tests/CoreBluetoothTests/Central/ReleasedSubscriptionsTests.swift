// A subscription whose only subscriber has left, on a link that another manager has: what the peer answers when it is
// released, and what the next subscriber begins with.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.8 Subscriptions that are released")
struct ReleasedSubscriptionsTests {
    @Test("7.8 B3 after a release has been accepted the next subscriber has the descriptor written again")
    func accepted() throws {
        let pair = try ForeignPair()
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
        let pair = try ForeignPair()
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

extension ForeignPair {
    /// Subscribes the first app; what it is told.
    fileprivate func subscribe() throws -> String? {
        let service = try self.peripheral.discover(nil, in: self.testbed)
        let heart = try #require(service.characteristics?.first)
        self.peripheral.setNotifyValue(true, for: heart)
        self.testbed.run()
        return self.first.calls.last
    }

    /// Ends the first app's connection; the link stays.
    fileprivate func leave() {
        self.first.disconnect(self.peripheral, in: self.testbed)
        self.testbed.run()
    }

    fileprivate func push(_ text: String) {
        self.foreign.push([0x1B, 0x03, 0x00] + Array(text.utf8))
        self.testbed.run()
    }
}
