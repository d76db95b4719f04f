// Whole adapters on a controller behind a socket, with a fault injector in between. An app sees nothing of a fault, or
// `.resetting` and after that `.poweredOn`.

import BluetoothAir
import BluetoothAirService
import BluetoothTransport
import Fixtures
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import CoreBluetooth

@Suite("An adapter on a hostile controller", .serialized)
struct HostileControllerTests {
    private static let value = Data(0..<200)

    /// An air on a socket, a peripheral on it, and a central behind the fault injector. Unchecked: it does not change,
    /// and what it holds is bound to its own loop or queue.
    private final class Setup: @unchecked Sendable {
        let folder: TemporaryFolder
        let faultInjector: SocketFaultInjector
        let central: CentralApp
        private let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        private let server: NIOLoopBoundBox<AirServer?>
        private let peripheral: QueuePeripheral

        init(_ modes: [SocketFaultInjector.Mode] = []) async throws {
            let folder = try TemporaryFolder()
            self.folder = folder
            let loop = self.loop
            let server = try await loop.submit { NIOLoopBoundBox<AirServer?>(nil, eventLoop: loop) }.get()
            self.server = server
            try await loop.flatSubmit {
                AirServer.serve(
                    Air(eventLoop: loop),
                    at: .unix(path: folder("air")),
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                )
                .assumeIsolated().map { server.value = $0 }.nonisolated()
            }.get()
            self.faultInjector = try SocketFaultInjector(at: folder("h4"), to: folder("air"), modes: modes)
            self.peripheral = QueuePeripheral(Self.adapter(folder("air")), value: HostileControllerTests.value)
            self.central = CentralApp(Self.adapter(folder("h4")))
        }

        /// An adapter as its name makes it, `h4:unix:PATH`, that keeps nothing on disk.
        private static func adapter(_ path: String) -> BluetoothAdapter {
            let thread = EventLoopThread()
            let loop = thread.eventLoop
            return BluetoothAdapter(
                eventLoop: loop,
                configuration: .init(),
                callbacks: .onQueues,
                identities: IdentityStore(),
                storageChoice: .storage(MemoryStorage()),
                retained: thread
            ) { AdapterComponents(.h4(.unix(path: path)), .init(), on: loop) }
        }

        func end() async throws {
            self.faultInjector.close()
            let server = self.server
            try await self.loop.submit { server.value = nil }.get()
            self.folder.remove()
        }
    }

    /// Connects and reads, again and again, until it is stopped; keeps the states that were reported. Unchecked: it
    /// lives on its queue, and the condition's lock guards what the test looks at.
    private final class CentralApp: QueueCentral, @unchecked Sendable {
        private let condition = NSCondition()
        private var states: [CBManagerState] = []
        private var values = 0
        private var wrongValues = 0

        // MARK: Waiting

        /// Waits until `isMet`, for ten minutes at most: a busy machine is slow.
        private func wait(_ isMet: () -> Bool) -> Bool {
            let deadline = Date(timeIntervalSinceNow: 600)
            self.condition.lock()
            defer { self.condition.unlock() }
            while !isMet() { guard self.condition.wait(until: deadline) else { return false } }
            return true
        }

        /// Waits for so many further values; says whether they came and all were right.
        func reads(_ count: Int) -> Bool {
            let wanted = self.condition.withLock { self.values } + count
            return self.wait { self.values >= wanted } && self.condition.withLock { self.wrongValues } == 0
        }

        /// Waits until the states that came are these.
        func hasSeen(_ wanted: [CBManagerState]) -> Bool { self.wait { self.states == wanted } }

        /// Asks for the strength of the link.
        func readRSSI() { self.queue.async { self.peripheral?.readRSSI() } }

        /// The states that came.
        var seen: [CBManagerState] { self.condition.withLock { self.states } }

        private func change(_ change: () -> Void) {
            self.condition.lock()
            change()
            self.condition.broadcast()
            self.condition.unlock()
        }

        // MARK: Delegates

        override func centralManagerDidUpdateState(_ central: CBCentralManager) {
            self.change { self.states.append(central.state) }
            super.centralManagerDidUpdateState(central)
        }

        override func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            error: (any Error)?
        ) {
            guard central.state == .poweredOn else { return }
            central.connect(peripheral)
        }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: (any Error)?
        ) {
            if let characteristic = service.characteristics?.first { peripheral.readValue(for: characteristic) }
        }

        override func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            guard error == nil else { return }
            let isRight = characteristic.value == HostileControllerTests.value
            self.change {
                self.values += 1
                if !isRight { self.wrongValues += 1 }
            }
            if peripheral.state == .connected { peripheral.readValue(for: characteristic) }
        }
    }

    @Test(
        "passes packets on unchanged that come octet by octet, or joined",
        arguments: [SocketFaultInjector.Mode.split, .join]
    )
    func pieces(mode: SocketFaultInjector.Mode) async throws {
        let setup = try await Setup([mode])
        #expect(setup.central.reads(5))
        #expect(setup.central.seen == [.poweredOn])
        try await setup.end()
    }

    /// Packets that a controller must not send, and whether the adapter has to start anew.
    static let sayings: [(String, [UInt8], Bool)] = [
        ("an octet that is no packet type", [0x77, 0x01, 0x02], true),
        ("data of 65,535 octets", [0x02, 0x40, 0x20, 0xFF, 0xFF], true),
        ("a command, which is for the host to send", [0x01, 0x03, 0x0C, 0x00], true),
        ("a hardware error", [0x04, 0x10, 0x01, 0x42], true),
        ("the answer to a reset that was not sent", [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], true),
        ("an event that is too short", [0x04, 0x05, 0x01, 0x00], false),
        ("an event without content", [0x04, 0x3E, 0x00], false),
        ("an unknown LE event", [0x04, 0x3E, 0x03, 0xEE, 0x01, 0x02], false),
        ("data without an L2CAP header", [0x02, 0x40, 0x20, 0x02, 0x00, 0x01, 0x02], false),
        ("the end of a link that is not there", [0x04, 0x05, 0x04, 0x00, 0x77, 0x07, 0x13], false),
        ("65,535 completed packets of any link", [0x04, 0x13, 0x05, 0x01, 0x40, 0x00, 0xFF, 0xFF], false),
        ("completed packets of a link that is not there", [0x04, 0x13, 0x05, 0x01, 0x77, 0x07, 0x01, 0x00], false),
        ("data for a link that is not there", [0x02, 0x77, 0x27, 0x05, 0x00, 0x01, 0x00, 0x04, 0x00, 0x0B], false),
        (
            "a key request of a link that is not there",
            [0x04, 0x3E, 0x0D, 0x05, 0x77, 0x07] + [UInt8](repeating: 0, count: 10), false
        ),
        ("the answer to a command that was not sent", [0x04, 0x0E, 0x04, 0x01, 0xFF, 0xFC, 0x00], false),
        ("an answer to nothing", [0x04, 0x0E, 0x03, 0x01, 0x00, 0x00], false),
    ]

    @Test(
        "ignores what a controller must not say, or starts anew and does the same work again",
        arguments: sayings
    )
    func saying(what: String, octets: [UInt8], startsAnew: Bool) async throws {
        let setup = try await Setup()
        #expect(setup.central.reads(2))
        setup.faultInjector.inject(octets)
        if startsAnew {
            #expect(setup.central.hasSeen([.poweredOn, .resetting, .poweredOn]), "\(setup.central.seen)")
            #expect(setup.faultInjector.connectionCount == 2)
        }
        #expect(setup.central.reads(3), "\(what)")
        if !startsAnew { #expect(setup.central.seen == [.poweredOn], "\(what)") }
        try await setup.end()
    }

    @Test("resets while the controller is unplugged, until it is plugged in again")
    func unplugged() async throws {
        let setup = try await Setup()
        #expect(setup.central.reads(1))
        setup.faultInjector.close()
        #expect(setup.central.hasSeen([.poweredOn, .resetting]))
        try setup.faultInjector.listen()
        #expect(setup.central.hasSeen([.poweredOn, .resetting, .poweredOn]))
        #expect(setup.central.reads(1))
        try await setup.end()
    }

    @Test("closes a controller that stops responding at work, and uses the next one")
    func silence() async throws {
        let setup = try await Setup()
        #expect(setup.central.reads(1))
        setup.faultInjector.silence()
        // Nothing is asked of the controller while an app waits for its peer; the app's next request finds out.
        setup.central.readRSSI()
        #expect(setup.central.hasSeen([.poweredOn, .resetting, .poweredOn]), "\(setup.central.seen)")
        #expect(setup.central.reads(1))
        try await setup.end()
    }

    @Test("is off while the controller is silent from the start, and tries again")
    func silentFromTheStart() async throws {
        let setup = try await Setup([.silence])
        #expect(setup.central.hasSeen([.poweredOff, .poweredOn]), "\(setup.central.seen)")
        #expect(setup.central.reads(1))
        try await setup.end()
    }
}
