// Two devices on one air in virtual time: an app on Core Bluetooth, and a host with faults between it and its
// controller. Each is central and peripheral of the other and runs all procedures, so that the fuzzer need not discover
// how to get there. Then the app connects with another host, without faults, and everything has to work.

import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore
import NIOEmbedded

/// One run, from power on until after the last octet of the input.
final class Scenario {
    private let loop = EmbeddedEventLoop()
    private let air: Air
    private let app: App
    private let consumers: Consumers
    private let injector: FaultInjector
    private let host: LEHost
    private let peer: PeerApp

    /// The number of values of a stream that may wait for the app: a window of 128 KiB, in which each counts 64 octets
    /// more, and those that the controller sends after the host has held the link back.
    private static let mostWaiting = 128 * 1024 / (StreamValue.length + 64) + 128
    /// How long the host with faults waits for the answer to a command, since it may not read it at once.
    static let commandTimeout = TimeAmount.seconds(20)
    /// The number of octets of a channel that may wait to be read: 512 frames of 247 octets.
    private static let mostUnread = 512 * 247

    init(faultsIn scope: FaultInjector.Scope, _ input: Input) {
        self.air = Air(eventLoop: self.loop, settings: .instant, seed: 1)
        // The role decides which state machine of each host begins.
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
            // With faults, a received value may not be one of the stream.
            precondition(self.injector.hasFaults || waiting <= Self.mostWaiting, "\(waiting) values wait for the app")
        }
        self.host.attach(to: self.injector)
    }

    func run() {
        // They connect within a few advertising intervals and complete all procedures soon after.
        for _ in 0..<40 { self.loop.advanceTime(by: .milliseconds(25)) }
        // Time limits: of commands, of transactions, of links.
        for _ in 0..<8 { self.loop.advanceTime(by: .seconds(5)) }
        self.checkStreams()
        self.host.detach()
        self.connectToAnotherPeer()
        self.app.end()
        // The end leaves tasks on the loop.
        self.loop.advanceTime(by: .seconds(2))
    }

    /// Nothing is lost on the way to a slow receiver, no link ends because of it, and waiting data has a limit,
    /// whatever the peer does.
    private func checkStreams() {
        let unread = self.app.readChannels()
        precondition(unread <= Self.mostUnread, "\(unread) octets of a channel waited for the app")
        guard self.consumers.hasStreams, !self.injector.hasFaults else { return }
        // The app's events may be late repeatedly.
        for _ in 0..<600 where !self.app.received.isWhole || !self.peer.received.isWhole {
            self.loop.advanceTime(by: .milliseconds(250))
        }
        // A late host may get its first fault only now.
        guard !self.injector.hasFaults else { return }
        precondition(self.app.received.isWhole, "the app got \(self.app.received) of the peer")
        precondition(self.peer.received.isWhole, "the peer got \(self.peer.received) of the app")
        precondition(self.app.lostConnections == 0 && self.peer.disconnections == 0, "a link ended")
    }

    /// After any faults, everything works with the next host, which has none.
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
