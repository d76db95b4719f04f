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
    private let consumers: Consumers
    private let injector: FaultInjector
    private let host: LEHost
    private let peer: PeerApp

    /// As many values of a stream may wait for the app: a window of 128 KiB, in which each counts 64 octets more, and
    /// those that the controller sends after the host has held the link back.
    private static let mostWaiting = 128 * 1024 / (StreamValue.length + 64) + 128
    /// How long the host with faults waits for the answer to a command, since it may not read it at once.
    static let commandTimeout = TimeAmount.seconds(20)
    /// As many octets of a channel may wait to be read: 512 frames of 247 octets.
    private static let mostUnread = 512 * 247

    init(faultsIn scope: FaultInjector.Scope, _ input: Input) {
        self.air = Air(eventLoop: self.loop, settings: .instant, seed: 1)
        // Which of the two is the central decides which of the two machines of each host begins.
        self.consumers = Consumers(input.next() ?? 0)
        var configuration = BluetoothAdapter.Configuration(identity: "app")
        configuration.callbackDelay = .milliseconds(self.consumers.delay)
        let adapter = BluetoothAdapter(air: self.air, configuration: configuration)
        self.app = App(adapter, self.consumers)
        let patient = LEHostConfiguration(commandTimeout: Self.commandTimeout)
        self.host = LEHost(eventLoop: self.loop, configuration: patient)
        self.peer = PeerApp(
            self.host,
            connects: !self.consumers.appConnects,
            hasStreams: self.consumers.hasStreams
        )
        self.host.delegate = self.peer
        self.injector = FaultInjector(self.air.makeController(), scope: scope, input)
        self.peer.hasTransmitted = { [unowned self] count in
            let waiting = count - self.app.received.count
            // With faults something sent may be none of the stream any more.
            precondition(self.injector.hasFaults || waiting <= Self.mostWaiting, "\(waiting) values wait for the app")
        }
        self.host.attach(to: self.injector)
    }

    func run() {
        // They connect within a few advertising intervals and are through with all procedures soon after.
        for _ in 0..<40 { self.loop.advanceTime(by: .milliseconds(25)) }
        // Time limits: of commands, of transactions, of links.
        for _ in 0..<8 { self.loop.advanceTime(by: .seconds(5)) }
        self.checkStreams()
        self.host.detach()
        self.connectToAnotherPeer()
        self.app.end()
        // The end has something left to do on the loop.
        self.loop.advanceTime(by: .seconds(2))
    }

    /// Nothing is lost on the way to one that is slow, no link ends by it, and what waits has a bound, whatever the peer
    /// does.
    private func checkStreams() {
        let unread = self.app.readChannels()
        precondition(unread <= Self.mostUnread, "\(unread) octets of a channel waited for the app")
        guard self.consumers.hasStreams, !self.injector.hasFaults else { return }
        // The app's events may be late again and again.
        for _ in 0..<600 where !self.app.received.isWhole || !self.peer.received.isWhole {
            self.loop.advanceTime(by: .milliseconds(250))
        }
        // A late host may have met its first fault only now.
        guard !self.injector.hasFaults else { return }
        precondition(self.app.received.isWhole, "the app got \(self.app.received) of the peer")
        precondition(self.peer.received.isWhole, "the peer got \(self.peer.received) of the app")
        precondition(self.app.lostConnections == 0 && self.peer.disconnections == 0, "a link ended")
    }

    /// Whatever happened before: with the next host, which has no faults, everything works.
    private func connectToAnotherPeer() {
        // The link's supervision timeout.
        self.loop.advanceTime(by: .seconds(2))
        let host = LEHost(eventLoop: self.loop)
        let peer = PeerApp(host, connects: !self.consumers.appConnects)
        host.delegate = peer
        host.attach(to: self.air.makeController())
        self.app.connectToAnotherPeer()
        let hasHeard = { self.consumers.appConnects ? self.app.hasHeard : peer.hasHeard }
        for _ in 0..<200 where !hasHeard() { self.loop.advanceTime(by: .milliseconds(25)) }
        precondition(hasHeard(), "the app cannot be used any more")
        host.detach()
    }
}
