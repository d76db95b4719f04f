// A central and two balls: the beginning of the tests of devices beside each other, and of two that turn out to be one.

import NIOCore
import Testing

@testable import CoreBluetooth

/// A central that has found two balls.
struct TwoBalls {
    let talk = Conversation()
    /// The app of the second ball.
    let second: PeripheralApp
    /// The conversation's ball, as the central knows it.
    let first: CBPeripheral
    /// The second ball, as the central knows it.
    let other: CBPeripheral

    init() throws {
        let talk = self.talk
        let second = PeripheralApp(on: talk.testbed.adapter("Second"))
        self.second = second
        talk.testbed.run { second.manager.state == .poweredOn }
        second.open(name: "Second")
        talk.central.manager.scanForPeripherals(withServices: [IDs.service])
        try #require(talk.testbed.run { talk.central.found.count == 2 })
        talk.central.manager.stopScan()
        self.first = try #require(talk.central.found.first { $0.name == "Crystal" })
        self.other = try #require(talk.central.found.first { $0.name == "Second" })
    }

    /// Connects to the first ball, and asks for a connection with the other one, which is silent by then.
    func connectFirst() {
        self.second.manager.stopAdvertising()
        self.talk.testbed.run()
        self.talk.central.connect(self.first, in: self.talk.testbed)
        self.talk.central.manager.connect(self.other)
        self.talk.testbed.run(.seconds(2))
    }
}
