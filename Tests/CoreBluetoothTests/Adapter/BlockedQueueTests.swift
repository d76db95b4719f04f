// A host does not depend on its app: while the queue of a manager's delegate is blocked, the links stay up, and what
// needs no app is answered. Time is virtual, the queues are real.

import BluetoothAir
import BluetoothTypes
import Dispatch
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import CoreBluetooth

@Suite("Adapter: blocked queue")
struct BlockedQueueTests {
    /// Connects, and reads the value at each ``read()``. Unchecked: it lives on its queue, but for what a lock guards.
    private final class Client: QueueCentral, @unchecked Sendable {
        private var characteristic: CBCharacteristic?
        private let observed = NIOLockedValueBox((isReady: false, values: 0, ends: 0))

        var isReady: Bool { self.observed.withLockedValue { $0.isReady } }
        /// How many times the value was read.
        var values: Int { self.observed.withLockedValue { $0.values } }
        /// How many connections ended.
        var ends: Int { self.observed.withLockedValue { $0.ends } }

        func read() {
            self.queue.async {
                guard let peripheral = self.peripheral, let characteristic = self.characteristic else { return }
                peripheral.readValue(for: characteristic)
            }
        }

        override func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            error: (any Error)?
        ) { self.observed.withLockedValue { $0.ends += 1 } }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: (any Error)?
        ) {
            self.characteristic = service.characteristics?.first
            self.observed.withLockedValue { $0.isReady = self.characteristic != nil }
        }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            guard error == nil, characteristic.value == Data([0x2A]) else { return }
            self.observed.withLockedValue { $0.values += 1 }
        }
    }

    /// Lets virtual time pass, 10 ms by 10 ms, until something has come about on the client's queue; times out after
    /// a quarter of an hour of real time, since all tests of a busy machine run beside this one.
    private func advance(_ loop: NIOAsyncTestingEventLoop, _ client: Client, until isDone: () -> Bool) async {
        let limit = Date(timeIntervalSinceNow: 900)
        while !isDone(), Date() < limit {
            await loop.advanceTime(by: .milliseconds(10))
            // Time waits for the app, however busy the machine is.
            await withCheckedContinuation { continuation in client.queue.async { continuation.resume() } }
        }
    }

    /// Keeps a queue from doing anything until the returned semaphore is signalled.
    private func block(_ queue: DispatchQueue) -> DispatchSemaphore {
        let (isBlocked, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.async {
            isBlocked.signal()
            end.wait()
        }
        isBlocked.wait()
        return end
    }

    @Test("3.4 a queue that is blocked for 60 s costs its host no link and keeps it from no answer")
    func blockedFor60Seconds() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let (first, second) = try await loop.executeInContext {
            let air = Air(eventLoop: loop, settings: .realistic, seed: 1)
            func adapter(_ name: String) -> BluetoothAdapter {
                BluetoothAdapter(air: air, configuration: .init(deviceName: name), callbacks: .onQueues)
            }
            return (adapter("server"), adapter("client"))
        }
        let server = QueuePeripheral(first, value: Data([0x2A]))
        let client = Client(second)
        await self.advance(loop, client) { client.isReady }
        try #require(client.isReady)

        // The server's app does nothing, and its host answers once a second.
        var unblock = self.block(server.queue)
        for second in 1...60 {
            client.read()
            await self.advance(loop, client) { client.values == second }
            #expect(client.values == second)
            await loop.advanceTime(by: .seconds(1))
        }
        unblock.signal()
        #expect(client.ends == 0)

        // The client's app asks for something and then does nothing: the answer waits for it, and the link is there.
        client.read()
        client.queue.sync {}
        unblock = self.block(client.queue)
        for _ in 0..<60 { await loop.advanceTime(by: .seconds(1)) }
        unblock.signal()
        await self.advance(loop, client) { client.values == 61 }
        #expect(client.values == 61 && client.ends == 0)
        withExtendedLifetime((server, first, second)) {}
        await loop.shutdownGracefully()
    }
}
