// Two devices on one air in virtual time: an app on Core Bluetooth, and a host with somebody between it and its
// controller. Each is central and peripheral of the other and does all that there is to do, so that the fuzzer need not
// find out how to get there. Then the app meets another host, with nobody in between, and has to be as good as new.

import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore
import NIOEmbedded

/// One meeting, from power on to a while after the last of the input.
final class Meeting {
    private let loop = EmbeddedEventLoop()
    private let air: Air
    private let app: App
    private let appConnects: Bool
    // Foundation has a Host, too.
    private let host: LEHost
    private let guest: Guest

    init(meddlingWith reach: Meddler.Reach, _ input: Input) {
        self.air = Air(eventLoop: self.loop, settings: .instant, seed: 1)
        // Who is whose central decides which of the two machines of each host has the first word.
        self.appConnects = (input.next() ?? 0) & 1 == 0
        let adapter = BluetoothAdapter(air: self.air, configuration: .init(identity: "app"))
        self.app = App(adapter, connects: self.appConnects)
        self.host = LEHost(eventLoop: self.loop)
        self.guest = Guest(self.host, connects: !self.appConnects)
        self.host.delegate = self.guest
        self.host.attach(to: Meddler(self.air.makeController(), reach: reach, input))
    }

    func run() {
        // They meet within a few advertising intervals and have said all that they have to say soon after.
        for _ in 0..<40 { self.loop.advanceTime(by: .milliseconds(25)) }
        // Time limits: of commands, of transactions, of links.
        for _ in 0..<8 { self.loop.advanceTime(by: .seconds(5)) }
        self.host.detach()
        self.meetAnother()
        self.app.leave()
        // Who leaves has something left to do on the loop.
        self.loop.advanceTime(by: .seconds(2))
    }

    /// Whatever the app has been through: with the next one, who is honest, everything works.
    private func meetAnother() {
        // The link's supervision timeout.
        self.loop.advanceTime(by: .seconds(2))
        let host = LEHost(eventLoop: self.loop)
        let guest = Guest(host, connects: !self.appConnects)
        host.delegate = guest
        host.attach(to: self.air.makeController())
        self.app.meetAnother()
        let hasHeard = { self.appConnects ? self.app.hasHeard : guest.hasHeard }
        for _ in 0..<200 where !hasHeard() { self.loop.advanceTime(by: .milliseconds(25)) }
        precondition(hasHeard(), "the app cannot be used any more")
        host.detach()
    }
}
