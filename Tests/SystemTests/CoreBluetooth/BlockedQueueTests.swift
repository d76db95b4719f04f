// A host does not depend on its app: while the queue of a delegate is blocked, links stay up, and the host answers what
// needs no app. Time is virtual, the queues are real.

import BluetoothAir
import BluetoothTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import CoreBluetooth

@Suite("An app whose queue is blocked")
struct BlockedQueueTests {
    /// Connects, subscribes or reads the value at each ``read()``, and notes what comes. Unchecked: it lives on its
    /// queue, but for what a lock guards.
    private final class Client: QueueCentral, @unchecked Sendable {
        private let subscribes: Bool
        private var characteristic: CBCharacteristic?
        private let observed = NIOLockedValueBox((isReady: false, numbers: [UInt32](), ends: [CBError.Code?]()))

        var isReady: Bool { self.observed.withLockedValue { $0.isReady } }
        /// The numbers that came: by notifications, or 42 with each read.
        var numbers: [UInt32] { self.observed.withLockedValue { $0.numbers } }
        /// The errors of the connections that ended.
        var ends: [CBError.Code?] { self.observed.withLockedValue { $0.ends } }

        init(_ adapter: BluetoothAdapter, subscribes: Bool = false) {
            self.subscribes = subscribes
            super.init(adapter)
        }

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
        ) { self.observed.withLockedValue { $0.ends.append((error as? CBError)?.code) } }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: (any Error)?
        ) {
            self.characteristic = service.characteristics?.first { $0.properties.contains(.read) != self.subscribes }
            guard let characteristic else { return }
            if self.subscribes { peripheral.setNotifyValue(true, for: characteristic) }
            self.observed.withLockedValue { $0.isReady = true }
        }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            guard error == nil, let value = characteristic.value, let first = value.first else { return }
            let number = value.count < 4 ? UInt32(first) : value.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
            self.observed.withLockedValue { $0.numbers.append(number) }
        }
    }

    /// Sends numbered values to its subscriber, as fast as it may, once it is started. Unchecked: as `Client`.
    private final class Stream: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
        let count: Int
        let queue = DispatchQueue(label: "stream")
        private var manager: CBPeripheralManager?
        private let characteristic = CBMutableCharacteristic(
            type: QueueAppUUIDs.value,
            properties: .notify,
            value: nil,
            permissions: .readable
        )
        private let observed = NIOLockedValueBox((sent: 0, isSubscribed: false, ends: 0))

        /// The number of accepted values.
        var sent: Int { self.observed.withLockedValue { $0.sent } }
        var isSubscribed: Bool { self.observed.withLockedValue { $0.isSubscribed } }
        /// The number of subscriptions that ended.
        var ends: Int { self.observed.withLockedValue { $0.ends } }

        init(_ adapter: BluetoothAdapter, count: Int) {
            self.count = count
            super.init()
            self.manager = adapter.run { CBPeripheralManager(delegate: self, queue: self.queue) }
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: QueueAppUUIDs.service, primary: true)
            let other = CBUUID(string: "A0FF")
            service.characteristics = [
                self.characteristic,
                CBMutableCharacteristic(type: other, properties: .read, value: Data([0x2A]), permissions: .readable),
            ]
            peripheral.add(service)
            peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [QueueAppUUIDs.service]])
        }

        func start() { self.queue.async { self.send() } }

        private func send() {
            while self.sent < self.count {
                let value = withUnsafeBytes(of: UInt32(self.sent)) { Data($0) } + Data(count: 240)
                guard self.manager?.updateValue(value, for: self.characteristic, onSubscribedCentrals: nil) == true
                else { return }
                self.observed.withLockedValue { $0.sent += 1 }
            }
        }

        func peripheralManager(
            _ peripheral: CBPeripheralManager,
            central: CBCentral,
            didSubscribeTo characteristic: CBCharacteristic
        ) { self.observed.withLockedValue { $0.isSubscribed = true } }

        func peripheralManager(
            _ peripheral: CBPeripheralManager,
            central: CBCentral,
            didUnsubscribeFrom characteristic: CBCharacteristic
        ) { self.observed.withLockedValue { ($0.isSubscribed, $0.ends) = (false, $0.ends + 1) } }

        func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { self.send() }
    }

    @Test("A1, A2: stops the sender within a bound while the queue is blocked for 60 s, and loses no value")
    func blockedReceiver() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let (first, second, _) = try await self.adapters(on: loop)
        let subscriber = Client(second, subscribes: true)
        let stream = Stream(first, count: 4_000)
        await self.advance(loop, subscriber.queue, stream.queue) { stream.isSubscribed }
        let unblock = self.block(subscriber.queue)
        stream.start()
        for _ in 0..<60 {
            await loop.advanceTime(by: .seconds(1))
            stream.queue.sync {}
        }
        // The window of the app, the buffers of its host, those of the sender's controller, and the sender's own
        // window.
        let bound = ReceiveWindow.size / (244 + 64) + 96 + 64 + TransmitWindow.size
        #expect(stream.sent > 0 && stream.sent <= bound)
        #expect(subscriber.numbers.isEmpty)
        unblock.signal()
        await self.advance(loop, subscriber.queue, stream.queue) { subscriber.numbers.count >= stream.count }
        #expect(subscriber.numbers == (0..<UInt32(stream.count)).map { $0 })
        withExtendedLifetime((stream, first, second)) {}
        await loop.shutdownGracefully()
    }

    @Test("A1: ends the link of an app that takes nothing at 4 MiB, and no other, if no controller holds back")
    func overrun() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let (first, second, third) = try await self.adapters(on: loop, areLimited: [true, false, true])
        let subscriber = Client(second, subscribes: true)
        let stream = Stream(first, count: 20_000)
        await self.advance(loop, subscriber.queue, stream.queue) { stream.isSubscribed }
        // The same peripheral has another link, whose app reads all the time.
        let client = Client(third)
        await self.advance(loop, client.queue, stream.queue) { client.isReady }
        let unblock = self.block(subscriber.queue)
        stream.start()
        var reads = 0
        await self.advance(loop, client.queue, stream.queue) {
            if client.numbers.count == reads, stream.ends == 0 {
                client.read()
                reads += 1
            }
            return stream.ends == 1
        }
        // The other link was used meanwhile.
        #expect(reads > 1)
        unblock.signal()
        await self.advance(loop, subscriber.queue) { !subscriber.ends.isEmpty }
        #expect(subscriber.ends == [.peripheralDisconnected])
        // All values until then are reported, in order and without a gap.
        let limit = ReceiveWindow.limit / (244 + 64)
        #expect(subscriber.numbers.count >= limit && subscriber.numbers.count < limit + 512)
        #expect(subscriber.numbers == (0..<UInt32(subscriber.numbers.count)).map { $0 })
        await self.advance(loop, client.queue) { client.numbers.count == reads }
        client.read()
        await self.advance(loop, client.queue) { client.numbers.count == reads + 1 }
        #expect(client.numbers.count == reads + 1 && client.ends.isEmpty)
        withExtendedLifetime((stream, first, second, third)) {}
        await loop.shutdownGracefully()
    }

    /// Three adapters on one air, whose controllers hold back data for the host, or do not.
    private func adapters(
        on loop: NIOAsyncTestingEventLoop,
        settings: AirSettings = .instant,
        areLimited: [Bool?] = [nil, nil, nil]
    ) async throws -> (BluetoothAdapter, BluetoothAdapter, BluetoothAdapter) {
        try await loop.executeInContext {
            let air = Air(eventLoop: loop, settings: settings, seed: 1)
            func adapter(_ number: Int) -> BluetoothAdapter {
                BluetoothAdapter(
                    air: air,
                    configuration: .init(
                        deviceName: "Device \(number)",
                        controllerToHostFlowControl: areLimited[number]
                    ),
                    callbacks: .onQueues
                )
            }
            return (adapter(0), adapter(1), adapter(2))
        }
    }

    /// Lets virtual time pass, 10 ms by 10 ms, until something has come about on the queues; each step waits for them.
    private func advance(
        _ loop: NIOAsyncTestingEventLoop,
        _ queues: DispatchQueue...,
        sourceLocation: SourceLocation = #_sourceLocation,
        until isDone: () -> Bool
    ) async {
        // An hour of virtual time: the machine's speed does not count.
        for _ in 0..<360_000 {
            if isDone() { return }
            await loop.advanceTime(by: .milliseconds(10))
            for queue in queues { await self.pass(queue) }
        }
        Issue.record("the condition did not become true within an hour", sourceLocation: sourceLocation)
    }

    /// Waits until a queue has done what it was given.
    private func pass(_ queue: DispatchQueue) async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
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

    @Test("3.4 keeps each link and gives each answer while a queue is blocked for 60 s")
    func blockedFor60Seconds() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let (first, second, _) = try await self.adapters(on: loop, settings: .realistic)
        let server = QueuePeripheral(first, value: Data([0x2A]))
        let client = Client(second)
        await self.advance(loop, client.queue, server.queue) { client.isReady }
        try #require(client.isReady)

        // The server's app does nothing, and its host answers once a second.
        var unblock = self.block(server.queue)
        for second in 1...60 {
            client.read()
            await self.advance(loop, client.queue) { client.numbers.count == second }
            #expect(client.numbers.count == second)
            await loop.advanceTime(by: .seconds(1))
        }
        unblock.signal()
        #expect(client.ends.isEmpty)

        // The client's app asks for something and then does nothing: the answer waits for it, and the link is there.
        client.read()
        client.queue.sync {}
        unblock = self.block(client.queue)
        for _ in 0..<60 { await loop.advanceTime(by: .seconds(1)) }
        unblock.signal()
        await self.advance(loop, client.queue) { client.numbers.count == 61 }
        #expect(client.numbers == Array(repeating: 42, count: 61) && client.ends.isEmpty)
        withExtendedLifetime((server, first, second)) {}
        await loop.shutdownGracefully()
    }
}
