// Two devices on one air in virtual time: an app on Core Bluetooth, and a host with faults between it and its
// controller. Each is central and peripheral of the other and runs all procedures, so that the fuzzer need not find out
// how to get there. Then the app connects with another host, without faults, and everything has to work.

import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore
import NIOEmbedded

/// One run, from power on until after the last of the input.
final class Scenario {
    private let loop = EmbeddedEventLoop()
    private let air: Air
    private let app: App
    private let appConnects: Bool
    private let host: LEHost
    private let peer: PeerApp

    init(faultsIn scope: FaultInjector.Scope, _ input: Input) {
        self.air = Air(eventLoop: self.loop, settings: .instant, seed: 1)
        // Which of the two is the central decides which of the two machines of each host begins.
        self.appConnects = (input.next() ?? 0) & 1 == 0
        let adapter = BluetoothAdapter(air: self.air, configuration: .init(identity: "app"))
        self.app = App(adapter, connects: self.appConnects)
        self.host = LEHost(eventLoop: self.loop)
        self.peer = PeerApp(self.host, connects: !self.appConnects)
        self.host.delegate = self.peer
        self.host.attach(to: FaultInjector(self.air.makeController(), scope: scope, input))
    }

    func run() {
        // They connect within a few advertising intervals and are through with all procedures soon after.
        for _ in 0..<40 { self.loop.advanceTime(by: .milliseconds(25)) }
        // Time limits: of commands, of transactions, of links.
        for _ in 0..<8 { self.loop.advanceTime(by: .seconds(5)) }
        self.host.detach()
        self.connectToAnotherPeer()
        self.app.end()
        // The end has something left to do on the loop.
        self.loop.advanceTime(by: .seconds(2))
    }

    /// Whatever happened before: with the next host, which has no faults, everything works.
    private func connectToAnotherPeer() {
        // The link's supervision timeout.
        self.loop.advanceTime(by: .seconds(2))
        let host = LEHost(eventLoop: self.loop)
        let peer = PeerApp(host, connects: !self.appConnects)
        host.delegate = peer
        host.attach(to: self.air.makeController())
        self.app.connectToAnotherPeer()
        let hasHeard = { self.appConnects ? self.app.hasHeard : peer.hasHeard }
        for _ in 0..<200 where !hasHeard() { self.loop.advanceTime(by: .milliseconds(25)) }
        precondition(hasHeard(), "the app cannot be used any more")
        host.detach()
    }
}
