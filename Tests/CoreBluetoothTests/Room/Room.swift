// A room of devices in virtual time: adapters on one air and one embedded event loop, and delegates that note what they
// are told.

import BluetoothAir
import Foundation
import NIOCore
import NIOEmbedded

@testable import CoreBluetooth

/// Several adapters on one air, in virtual time.
final class Room {
    let loop = EmbeddedEventLoop()
    /// The loop as devices see it; guarded where the room has a limit.
    let eventLoop: any EventLoop
    let air: Air

    /// - Parameter limit: How many tasks one second of virtual time may have; `nil` for any number.
    init(model: AirSettings = .instant, seed: UInt64 = 1, limit: Int? = nil) {
        let loop = self.loop
        self.eventLoop = limit.map { GuardedEventLoop(loop, limit: $0) } ?? loop
        self.air = Air(eventLoop: self.eventLoop, settings: model, seed: seed)
    }

    /// What keeps an eye on the loop, where the room has a limit.
    var guarded: GuardedEventLoop? { self.eventLoop as? GuardedEventLoop }

    func adapter(_ identity: String, distance: Double? = nil) -> BluetoothAdapter {
        BluetoothAdapter(air: self.air, configuration: .init(identity: identity, distance: distance))
    }

    /// Lets time pass.
    func run(_ time: TimeAmount = .milliseconds(500)) { self.loop.advanceTime(by: time) }

    /// Lets time pass until something is true, at most `limit`.
    @discardableResult
    func run(until condition: () -> Bool, within limit: TimeAmount = .seconds(10)) -> Bool {
        let deadline = self.loop.now + limit
        self.loop.run()
        while !condition() {
            guard self.loop.now < deadline, self.guarded?.tripped == nil else { return false }
            self.loop.advanceTime(by: .milliseconds(5))
        }
        return true
    }
}

extension String {
    /// The text as octets.
    var octets: Data { Data(self.utf8) }
}

extension Data {
    /// The octets as text.
    var text: String { String(decoding: self, as: UTF8.self) }
}

/// The UUIDs of the tests.
enum IDs {
    static var service: CBUUID { CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E") }
    static var question: CBUUID { CBUUID(string: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77") }
    static var answer: CBUUID { CBUUID(string: "349A0D7B-6215-4E2C-A095-AF078D737445") }
    static var other: CBUUID { CBUUID(string: "FFF0") }
}
