// A channel that sends back what comes, by itself: what it reports, and that it is done when its other end is gone.

import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A channel that sends back what comes")
@MainActor
struct EchoChannelTests {
    /// Publishes a channel, and serves each that is opened.
    @MainActor
    private final class Server: NSObject, @preconcurrency CBPeripheralManagerDelegate {
        private(set) var psm: CBL2CAPPSM = 0
        private(set) var channels: [CBL2CAPChannel] = []
        private(set) var echoes: [EchoChannel] = []
        private(set) var received = Data()
        private var manager: CBPeripheralManager?

        func start() { manager = CBPeripheralManager(delegate: self, queue: nil) }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            peripheral.publishL2CAPChannel(withEncryption: false)
            peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Peer"])
        }

        func peripheralManager(
            _ peripheral: CBPeripheralManager,
            didPublishL2CAPChannel PSM: CBL2CAPPSM,
            error: (any Error)?
        ) {
            psm = PSM
        }

        func peripheralManager(
            _ peripheral: CBPeripheralManager,
            didOpen channel: CBL2CAPChannel?,
            error: (any Error)?
        ) {
            guard let channel else { return }
            channels.append(channel)
            echoes.append(EchoChannel(channel) { [weak self] data in self?.received += data })
        }

        /// What the streams of a channel are.
        func states(_ number: Int) -> [Stream.Status?] {
            [channels[number].inputStream?.streamStatus, channels[number].outputStream?.streamStatus]
        }
    }

    @Test("A channel whose link is lost is closed and done, and the next one is served as it was")
    func lost() throws {
        let world = World(seed: 1)
        let device = world.addDevice("peripheral")
        let server = device.run {
            let server = Server()
            server.start()
            return server
        }
        try world.run(until: server.psm != 0)
        for number in 0...1 {
            let client = world.addDevice("client \(number)").run { ChannelClient(server.psm) }
            try world.run(until: client.isOpen)
            client.send(Data([1, 2, 3]))
            try world.run(until: client.received == Data([1, 2, 3]))
            #expect(server.received.count == 3 * (number + 1) && server.received.suffix(3) == Data([1, 2, 3]))
            try #require(server.echoes.count == number + 1)
            #expect(!server.echoes[number].isDone && server.states(number) == [.open, .open])
            device.dropLinks()
            try world.run(until: server.echoes[number].isDone)
            #expect(server.states(number) == [.closed, .closed])
            withExtendedLifetime(client) {}
        }
    }
}
