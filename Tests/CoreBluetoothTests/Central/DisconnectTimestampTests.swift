// The time that comes with the end of a connection: in virtual time, that of the world.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6.7 The time of a disconnection")
struct DisconnectTimestampTests {
    @Test("6.7 a disconnection has the second at which the link ended, also where it is heard of later")
    func timestamps() throws {
        let talk = Conversation()
        let listener = DisconnectListener()
        let manager = talk.centralAdapter.run { CBCentralManager(delegate: listener, queue: nil) }
        try #require(talk.testbed.run { listener.found != nil })
        let peripheral = try #require(listener.found)
        manager.stopScan()
        func now() -> Double { Double(talk.testbed.loop.now.uptimeNanoseconds) / 1e9 }
        for round in 1...2 {
            manager.connect(peripheral)
            try #require(talk.testbed.run { peripheral.state == .connected })
            talk.testbed.run(.seconds(7))
            if round == 2 { talk.centralAdapter.holdCallbacks(for: .seconds(30)) }
            let before = now()
            manager.cancelPeripheralConnection(peripheral)
            talk.testbed.run(.seconds(2))
            let after = now()
            try #require(talk.testbed.run { listener.times.count == round })
            #expect((before...after).contains(listener.times[round - 1]))
        }
        withExtendedLifetime(manager) {}
    }
}
