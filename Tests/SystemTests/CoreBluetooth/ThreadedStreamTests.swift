// Streams on real threads over an air of the process, in run loops and without.

import BluetoothAir
import Fixtures
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("12.3 Streams on threads", .serialized)
struct ThreadedStreamTests {
    /// Both roles on one queue, with a channel between them. Unchecked: it lives on that queue.
    private final class Apps: NSObject, CBPeripheralManagerDelegate, CBCentralManagerDelegate, CBPeripheralDelegate,
        @unchecked Sendable
    {
        private static var service: CBUUID { CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E") }
        private let queue = DispatchQueue(label: "apps")
        private var ball: CBPeripheralManager?
        private var central: CBCentralManager?
        private var peripheral: CBPeripheral?
        private var psm: CBL2CAPPSM = 0
        private var here: CBL2CAPChannel?
        private var there: CBL2CAPChannel?
        private let opened = DispatchSemaphore(value: 0)

        override init() {
            super.init()
            let air = PrivateAir()
            self.queue.sync {
                self.ball = air.makeAdapter().run { CBPeripheralManager(delegate: self, queue: self.queue) }
                self.central = air.makeAdapter().run { CBCentralManager(delegate: self, queue: self.queue) }
            }
        }

        /// The users of both ends of the open channel, which are their only owners.
        func takeUsers() async throws -> (here: StreamUser, there: StreamUser) {
            try await StreamThreads.wait([self.opened, self.opened], for: "both ends of a channel")
            let users = try self.queue.sync {
                defer { (self.here, self.there) = (nil, nil) }
                return StreamThreads.Handed(
                    value: (
                        Self.user(try #require(self.here), 0x00), Self.user(try #require(self.there), 0xFF)
                    )
                )
            }
            return users.value
        }

        private static func user(_ channel: CBL2CAPChannel, _ salt: UInt8) -> StreamUser {
            StreamUser(channel, channel.inputStream, channel.outputStream, salt: salt, piece: 65_521)
        }

        func disconnect() {
            self.queue.sync { if let peripheral { self.central?.cancelPeripheralConnection(peripheral) } }
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
            peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
        {
            self.there = channel
            self.opened.signal()
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: [Self.service]) }
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
            peripheral.openL2CAPChannel(self.psm)
        }

        func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
            self.here = channel
            self.opened.signal()
        }
    }

    @Test("12.3 carries octets in both directions in the run loops of two threads")
    func runLoops() async throws {
        let apps = Apps()
        let users = try await apps.takeUsers()
        defer { withExtendedLifetime(apps) {} }
        let total = 500_000
        let isDone = NIOLockedValueBox(0)
        let threads = [users.here, users.there].map { user in
            StreamThreads.start(user) { user in
                user.open(in: .current)
                user.write(total)
                StreamThreads.turn(until: "all octets") { user.received == total && user.written == total }
                #expect(user.isUnchanged)
                #expect(user.inputEvents.first == .openCompleted && user.outputEvents.first == .openCompleted)
                if isDone.withLockedValue({ count in
                    count += 1
                    return count == 2
                }) {
                    user.close()
                } else {
                    StreamThreads.turn(until: "the end") { user.inputEvents.last == .endEncountered }
                }
            }
        }
        try await StreamThreads.wait(threads, for: "the threads")
    }

    @Test("12.3 moves to another mode and another thread while octets come")
    func modes() async throws {
        let apps = Apps()
        let users = try await apps.takeUsers()
        defer { withExtendedLifetime(apps) {} }
        let mode = RunLoop.Mode("of.its.own")
        let reader = StreamThreads.Handed(value: users.there)
        let writer = StreamThreads.start(users.here) { user in
            user.output.open()
            while user.written < 300_000, user.writeOnce(min(1000, 300_000 - user.written)) {}
        }
        let first = StreamThreads.start(reader) { reader in
            let user = reader.value
            user.input.delegate = user
            user.input.schedule(in: .current, forMode: .default)
            user.input.schedule(in: .current, forMode: mode)
            user.input.open()
            StreamThreads.turn(until: "octets") { user.received > 1000 }
            user.input.remove(from: .current, forMode: .default)
            #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
            let before = user.received
            StreamThreads.turn(mode, until: "octets in the mode") { user.received > before + 1000 }
            user.input.remove(from: .current, forMode: mode)
        }
        try await StreamThreads.wait([first], for: "the threads")
        let second = StreamThreads.start(reader) { reader in
            let user = reader.value
            user.input.schedule(in: .current, forMode: .common)
            StreamThreads.turn(until: "all octets") { user.received == 300_000 }
            #expect(user.isUnchanged)
        }
        try await StreamThreads.wait([writer, second], for: "the threads")
    }

    @Test("12.3 waits in reads for octets and in writes for capacity, on threads without run loops")
    func waiting() async throws {
        let apps = Apps()
        let users = try await apps.takeUsers()
        defer { withExtendedLifetime(apps) {} }
        let total = 500_000
        let both = [users.here, users.there]
        for user in both { for stream in [user.input, user.output] as [Stream] { stream.open() } }
        let threads = both.flatMap { user in
            [
                StreamThreads.start(user) { user in while user.written < total, user.writeOnce(total - user.written) {}
                },
                StreamThreads.start(user) { user in while user.received < total, user.readOnce() {} },
            ]
        }
        try await StreamThreads.wait(threads, for: "the threads")
        for user in both { #expect(user.received == total && user.written == total && user.isUnchanged) }
    }

    @Test(
        "12.3 ends waiting reads and writes with the channel",
        arguments: ["peer", "link", "own"]
    )
    func endsWaiting(how: String) async throws {
        let apps = Apps()
        let users = try await apps.takeUsers()
        defer { withExtendedLifetime(apps) {} }
        let user = users.here
        let peer = users.there
        user.input.open()
        user.output.open()
        let reader = StreamThreads.start(user) { user in #expect(!user.readOnce()) }
        let isUnderWay = DispatchSemaphore(value: 0)
        let writer = StreamThreads.start(user) { user in
            while user.writeOnce(65_521) { if user.written >= SendBuffer.limit { isUnderWay.signal() } }
        }
        try await StreamThreads.wait([isUnderWay], for: "the threads")
        switch how {
        case "peer": peer.close()
        case "link": apps.disconnect()
        default: user.close()
        }
        try await StreamThreads.wait([reader, writer], for: "the threads")
    }

    @Test("12.3 wakes a thread that waits for octets once")
    func waitsOnce() async throws {
        let isWaiting = DispatchSemaphore(value: 0)
        let (asked, count) = (NIOLockedValueBox(0), NIOLockedValueBox(0))
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
        let reader = StreamThreads.start(pipe) { pipe in
            var octets = [UInt8](repeating: 0, count: 10)
            let length = octets.withUnsafeMutableBytes { pipe.read(into: $0) }
            count.withLockedValue { $0 = length }
        }
        try await StreamThreads.wait([isWaiting], for: "a reader that waits")
        pipe.change { $0.receive([ByteBuffer(bytes: [1, 2, 3])], &$1) }
        try await StreamThreads.wait([reader], for: "the reader")
        #expect(count.withLockedValue { $0 } == 3 && asked.withLockedValue { $0 } == 1)
    }
}
