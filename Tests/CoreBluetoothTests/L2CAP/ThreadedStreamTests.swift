// Streams on real threads over an air of the process: in run loops of several threads and modes, and asked by hand from
// threads without one. Everything is waited for by condition.

import BluetoothAir
import Dispatch
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12.3 Streams on threads", .serialized)
struct ThreadedStreamTests {
    /// Both roles on one queue, with channels between them. Unchecked: it lives on that queue, where the test looks at
    /// it.
    private final class Apps: NSObject, CBPeripheralManagerDelegate, CBCentralManagerDelegate, CBPeripheralDelegate,
        @unchecked Sendable
    {
        private let queue = DispatchQueue(label: "apps")
        private var ball: CBPeripheralManager?
        private var central: CBCentralManager?
        private var peripheral: CBPeripheral?
        private var psm: CBL2CAPPSM = 0
        private var here: [CBL2CAPChannel] = []
        private var there: [CBL2CAPChannel] = []
        private let count: Int
        private let opened = DispatchSemaphore(value: 0)

        init(_ air: PrivateAir, channels: Int) {
            self.count = channels
            super.init()
            self.queue.sync {
                self.ball = air.makeAdapter().run { CBPeripheralManager(delegate: self, queue: self.queue) }
                self.central = air.makeAdapter().run { CBCentralManager(delegate: self, queue: self.queue) }
            }
        }

        /// The users of the channels, once these are open; no other reference to the channels remains.
        func takeUsers() async -> (here: [StreamUser], there: [StreamUser])? {
            guard await ThreadedStreamTests.ended([self.opened]) else { return nil }
            let users = self.queue.sync {
                defer { (self.here, self.there) = ([], []) }
                return Handed(
                    value: (
                        self.here.map { StreamUser($0, salt: 0x00) }, self.there.map { StreamUser($0, salt: 0xFF) }
                    )
                )
            }
            return users.value
        }

        func disconnect() {
            self.queue.sync { if let peripheral { self.central?.cancelPeripheralConnection(peripheral) } }
        }

        private func noteOpened() {
            if self.here.count == self.count, self.there.count == self.count { self.opened.signal() }
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            if peripheral.state == .poweredOn { peripheral.publishL2CAPChannel(withEncryption: false) }
        }

        func peripheralManager(
            _ peripheral: CBPeripheralManager,
            didPublishL2CAPChannel PSM: CBL2CAPPSM,
            error: (any Error)?
        ) {
            self.psm = PSM
            peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [IDs.service]])
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
        {
            self.there += channel.map { [$0] } ?? []
            self.noteOpened()
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: [IDs.service]) }
        }

        func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            guard self.peripheral == nil else { return }
            self.peripheral = peripheral
            peripheral.delegate = self
            central.connect(peripheral)
        }

        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            for _ in 0..<self.count { peripheral.openL2CAPChannel(self.psm) }
        }

        func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
            self.here += channel.map { [$0] } ?? []
            self.noteOpened()
        }
    }

    /// What is handed to a thread. Unchecked: streams are not `Sendable`, and that threads use them is what is tested.
    private struct Handed<Value>: @unchecked Sendable {
        let value: Value
    }

    /// Runs `body` on a thread of its own; the semaphore signals its end.
    private func thread<Value>(_ value: Value, _ body: @escaping @Sendable (Value) -> Void) -> DispatchSemaphore {
        let handed = Handed(value: value)
        let done = DispatchSemaphore(value: 0)
        Thread {
            body(handed.value)
            done.signal()
        }.start()
        return done
    }

    /// Whether all threads end in time. No thread of the tests themselves is kept waiting, since there are few.
    private static func ended(_ threads: [DispatchSemaphore]) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread {
                continuation.resume(returning: threads.allSatisfy { $0.wait(timeout: .now() + 50) == .success })
            }.start()
        }
    }

    /// Turns the present thread's run loop until something is true.
    private static func turn(_ mode: RunLoop.Mode = .default, until condition: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: 45)
        while !condition() {
            guard Date() < deadline, RunLoop.current.run(mode: mode, before: deadline) else { return condition() }
        }
        return true
    }

    @Test("12.3 scheduled in the run loops of two threads, both directions at once", .timeLimit(.minutes(1)))
    func runLoops() async throws {
        let apps = Apps(PrivateAir(), channels: 1)
        let users = try #require(await apps.takeUsers())
        defer { withExtendedLifetime(apps) {} }
        let total = 500_000
        let isDone = NIOLockedValueBox(0)
        let threads = [users.here[0], users.there[0]].map { user in
            self.thread(user) { user in
                user.open(in: .current)
                user.write(total)
                #expect(Self.turn { user.received == total && user.written == total })
                #expect(user.isUnchanged)
                #expect(user.inputEvents.first == .openCompleted && user.outputEvents.first == .openCompleted)
                // The one that is ready first waits for the other's end.
                if isDone.withLockedValue({ count in
                    count += 1
                    return count == 2
                }) {
                    user.close()
                } else {
                    #expect(Self.turn { user.inputEvents.last == .endEncountered })
                }
            }
        }
        #expect(await Self.ended(threads))
    }

    @Test("12.3 a run loop returns once a stream was served, and has nothing to wait for without streams")
    func runLoopSources() async throws {
        let apps = Apps(PrivateAir(), channels: 1)
        let users = try #require(await apps.takeUsers())
        defer { withExtendedLifetime(apps) {} }
        let done = self.thread((users.here[0], users.there[0])) { user, peer in
            user.input.delegate = user
            user.input.schedule(in: .current, forMode: .default)
            user.input.open()
            #expect(RunLoop.current.run(mode: .default, before: .distantFuture))
            #expect(user.inputEvents == [.openCompleted])
            peer.output.open()
            #expect(peer.writeOnce(10))
            #expect(RunLoop.current.run(mode: .default, before: .distantFuture))
            #expect(user.inputEvents == [.openCompleted, .hasBytesAvailable] && user.received == 10)
            user.input.remove(from: .current, forMode: .default)
            #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
        }
        #expect(await Self.ended([done]))
    }

    @Test("12.3 several modes; rescheduled to another thread while octets come", .timeLimit(.minutes(1)))
    func modes() async throws {
        let apps = Apps(PrivateAir(), channels: 1)
        let users = try #require(await apps.takeUsers())
        defer { withExtendedLifetime(apps) {} }
        let mode = RunLoop.Mode("of.its.own")
        let reader = Handed(value: users.there[0])
        let writer = self.thread(users.here[0]) { user in
            user.output.open()
            while user.written < 300_000, user.writeOnce(min(1000, 300_000 - user.written)) {}
        }
        let first = self.thread(reader) { reader in
            let user = reader.value
            user.input.delegate = user
            user.input.schedule(in: .current, forMode: .default)
            user.input.schedule(in: .current, forMode: mode)
            user.input.open()
            #expect(Self.turn { user.received > 1000 })
            user.input.remove(from: .current, forMode: .default)
            #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
            let before = user.received
            #expect(Self.turn(mode) { user.received > before + 1000 })
            user.input.remove(from: .current, forMode: mode)
        }
        #expect(await Self.ended([first]))
        let second = self.thread(reader) { reader in
            let user = reader.value
            user.input.schedule(in: .current, forMode: .common)
            #expect(Self.turn { user.received == 300_000 })
            #expect(user.isUnchanged)
        }
        #expect(await Self.ended([writer, second]))
    }

    @Test(
        "12.3 asked by hand on threads without run loops: reads wait for octets, writes for capacity",
        .timeLimit(.minutes(1))
    )
    func waiting() async throws {
        let apps = Apps(PrivateAir(), channels: 1)
        let users = try #require(await apps.takeUsers())
        defer { withExtendedLifetime(apps) {} }
        let total = 500_000
        let both = [users.here[0], users.there[0]]
        for user in both { for stream in [user.input, user.output] as [Stream] { stream.open() } }
        let threads = both.flatMap { user in
            [
                self.thread(user) { user in while user.written < total, user.writeOnce(total - user.written) {} },
                self.thread(user) { user in while user.received < total, user.readOnce() {} },
            ]
        }
        #expect(await Self.ended(threads))
        for user in both { #expect(user.received == total && user.written == total && user.isUnchanged) }
    }

    @Test("12.3 polled: asking first, never waiting", .timeLimit(.minutes(1)))
    func polled() async throws {
        let apps = Apps(PrivateAir(), channels: 1)
        let users = try #require(await apps.takeUsers())
        defer { withExtendedLifetime(apps) {} }
        let both = [users.here[0], users.there[0]]
        for user in both { for stream in [user.input, user.output] as [Stream] { stream.open() } }
        let done = self.thread(both) { users in
            let deadline = Date(timeIntervalSinceNow: 45)
            for user in users { user.write(200_000) }
            while users.contains(where: { $0.received < 200_000 }), Date() < deadline {
                for user in users {
                    user.read()
                    user.write(0)
                }
            }
            for user in users { #expect(user.received == 200_000 && user.isUnchanged) }
        }
        #expect(await Self.ended([done]))
    }

    @Test(
        "12.3 waiting threads go on when the channel ends",
        .timeLimit(.minutes(1)),
        arguments: ["peer", "link", "own"]
    )
    func endsWaiting(how: String) async throws {
        let apps = Apps(PrivateAir(), channels: 1)
        let users = try #require(await apps.takeUsers())
        defer { withExtendedLifetime(apps) {} }
        let user = users.here[0]
        let peer = users.there[0]
        user.input.open()
        user.output.open()
        let reader = self.thread(user) { user in #expect(!user.readOnce()) }
        // The peer does not read, so capacity runs out.
        let isUnderWay = DispatchSemaphore(value: 0)
        let writer = self.thread(user) { user in
            while user.writeOnce(65_521) { if user.written >= SendBuffer.limit { isUnderWay.signal() } }
        }
        #expect(await Self.ended([isUnderWay]))
        switch how {
        case "peer": peer.close()
        case "link": apps.disconnect()
        default: user.close()
        }
        #expect(await Self.ended([reader, writer]))
    }

    @Test(
        "12.3 many channels at once, each with threads of its own, closed and released at any time",
        .timeLimit(.minutes(1))
    )
    func manyChannels() async throws {
        let apps = Apps(PrivateAir(), channels: 8)
        let users = try #require(await apps.takeUsers())
        defer { withExtendedLifetime(apps) {} }
        let threads = zip(users.here, users.there).enumerated().flatMap { index, pair in
            [
                self.thread(pair.0) { user in
                    user.open(in: .current)
                    user.write(20_000 * (index + 1))
                    #expect(Self.turn { user.received >= 10_000 && user.written >= 20_000 * (index + 1) })
                    #expect(user.isUnchanged)
                    if index % 2 == 0 { user.close() }
                    user.channel = nil
                },
                self.thread(pair.1) { user in
                    user.open(in: .current)
                    user.write(10_000)
                    #expect(Self.turn { user.inputEvents.last == .endEncountered })
                    #expect(user.isUnchanged && user.received == 20_000 * (index + 1))
                },
            ]
        }
        #expect(await Self.ended(threads))
    }

    @Test("12.3 a thread that waits for octets asks once, and is woken by them", .timeLimit(.minutes(1)))
    func waitsOnce() {
        let asked = NIOLockedValueBox(0)
        let isWaiting = DispatchSemaphore(value: 0)
        let pipe = ChannelPipe(
            window: (frames: 8, length: 100),
            mayBlock: {
                asked.withLockedValue { $0 += 1 }
                isWaiting.signal()
                return true
            },
            wakeLoop: {}
        )
        pipe.change { $0.open(.input, &$1) }
        let isRead = DispatchSemaphore(value: 0)
        let count = NIOLockedValueBox(0)
        Thread.detachNewThread {
            var octets = [UInt8](repeating: 0, count: 10)
            let length = octets.withUnsafeMutableBytes { pipe.read(into: $0) }
            count.withLockedValue { $0 = length }
            isRead.signal()
        }
        isWaiting.wait()
        pipe.change { $0.receive([ByteBuffer(bytes: [1, 2, 3])], &$1) }
        isRead.wait()
        #expect(count.withLockedValue { $0 } == 3)
        #expect(asked.withLockedValue { $0 } == 1)
    }
}
