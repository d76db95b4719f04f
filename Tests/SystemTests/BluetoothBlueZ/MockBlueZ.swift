// A small BlueZ on a bus of its own: one adapter, one device with one service, and what a test wants to go wrong.

import Fixtures
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

@testable import BluetoothBlueZ

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A message bus in a process of its own.
final class PrivateBus: Sendable {
    let address: String
    private let process: pid_t
    private let folder: TemporaryFolder

    /// Where Debian's dbus-daemon is.
    static let program = "/usr/bin/dbus-daemon"
    static var isThere: Bool { access(Self.program, X_OK) == 0 && (try? BusLibrary.shared.get()) != nil }

    init() async throws {
        self.folder = try TemporaryFolder()
        let path = self.folder("bus")
        self.address = "unix:path=" + path
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        self.process = try spawn(
            [Self.program, "--session", "--nofork", "--nopidfile", "--address=" + self.address],
            [:],
            [null, null, null]
        )
        try await eventually { Self.listens(path) }
    }

    /// The socket of a bus is there before the bus listens.
    private static func listens(_ path: String) -> Bool {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return (try? withSocketAddress(path) { connect(descriptor, $0, $1) }) == 0
    }

    deinit {
        kill(self.process, SIGTERM)
        _ = exitStatus(of: self.process)
    }
}

/// What answers for BlueZ.
final class MockBlueZ: @unchecked Sendable {
    // Everything is used on the event loop alone.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let eventLoop: any EventLoop
    private var bus: BusConnection?
    private var objects: [String: [String: ObjectTree.Properties]] = [:]
    /// Answers a call in place of the mock; false leaves it to the mock.
    private var override: ((BusCall, BusMessage) -> Bool)?
    private let log = NIOLockedValueBox<[String]>([])
    private var adapterUser = ""
    /// Whether PropertiesChanged says that the device is connected.
    let reportsConnected = NIOLockedValueBox(true)

    static let adapter = "/org/bluez/hci0"
    static let device = adapter + "/dev_C0_11_22_33_44_55"
    static let service = device + "/service0010"
    static let value = service + "/char0011"
    static let plainValue = "old"

    init(on bus: PrivateBus, isPowered: Bool = true) async throws {
        self.eventLoop = self.group.next()
        try await self.eventLoop.run { [self] in
            self.objects[Self.adapter] = [
                BlueZ.adapter: ["Address": .string("00:AA:01:00:00:00"), "Powered": .boolean(isPowered)],
                BlueZ.gattManager: [:], BlueZ.advertisingManager: [:],
            ]
            let connection = try BusConnection(
                address: bus.address,
                library: BusLibrary.shared.get(),
                on: self.eventLoop
            )
            connection.delegate = self
            self.bus = connection
        }
        let named = self.eventLoop.makePromise(of: Void.self)
        self.eventLoop.execute {
            self.bus?.call(BlueZ.bus, BlueZ.busPath, BlueZ.bus, "RequestName", [.string(BlueZ.service), .uint32(0)]) {
                named.completeWith($0.map { _ in }.mapError { $0 as any Error })
            }
        }
        try await named.futureResult.get()
    }

    deinit {
        // The connection is used, and ends, on its loop.
        nonisolated(unsafe) let bus = self.bus
        self.eventLoop.execute { bus?.close() }
        self.group.shutdownGracefully { _ in }
    }

    /// The calls that came, as `member path`.
    var calls: [String] { self.log.withLockedValue(\.self) }

    /// Ends the connection to the bus, as a daemon that crashes.
    func crash() async throws { try await self.eventLoop.run { [self] in self.bus?.close() } }

    /// Has calls answered by `override` before the mock.
    func answer(_ override: @escaping @Sendable (BusCall, BusMessage) -> Bool) async throws {
        try await self.eventLoop.run { [self] in self.override = override }
    }

    // MARK: Objects

    /// Changes properties, and says so.
    func set(_ path: String, _ interface: String, _ properties: ObjectTree.Properties) async throws {
        try await self.eventLoop.run { [self] in self.change(path, interface, properties) }
    }

    private func change(_ path: String, _ interface: String, _ properties: ObjectTree.Properties) {
        self.objects[path]?[interface]?.merge(properties) { $1 }
        self.bus?.emit(
            path,
            BlueZ.propertiesInterface,
            "PropertiesChanged",
            [.string(interface), .properties(properties), .strings([])]
        )
    }

    private func add(_ path: String, _ interface: String, _ properties: ObjectTree.Properties) {
        self.objects[path, default: [:]][interface] = properties
        let added = BusValue.array("{sa{sv}}", [.entry(.string(interface), .properties(properties))])
        self.bus?.emit("/", BlueZ.objectManager, "InterfacesAdded", [.path(path), added])
    }

    /// Adds an object with any properties.
    func insert(_ path: String, _ interface: String, _ properties: ObjectTree.Properties) async throws {
        try await self.eventLoop.run { [self] in self.add(path, interface, properties) }
    }

    /// A device advertises.
    func advertise(_ more: ObjectTree.Properties = [:]) async throws {
        let properties: ObjectTree.Properties = [
            "Address": .string("C0:11:22:33:44:55"), "AddressType": .string("random"), "Name": .string("Mock"),
            "RSSI": .int16(-61), "Connected": .boolean(false), "ServicesResolved": .boolean(false),
            "UUIDs": .strings(["56ac0001-4b5f-4b3b-8aff-ede134a8446a"]),
        ]
        try await self.insert(Self.device, BlueZ.device, properties.merging(more) { $1 })
    }

    private func resolve() {
        self.add(Self.service, BlueZ.gattService, ["UUID": .string("56ac0001-4b5f-4b3b-8aff-ede134a8446a")])
        self.add(
            Self.value,
            BlueZ.characteristic,
            [
                "UUID": .string("56ac0002-4b5f-4b3b-8aff-ede134a8446a"), "MTU": .uint16(185),
                "Flags": .strings(["read", "write", "write-without-response", "notify"]),
            ]
        )
        self.add(Self.value + "/desc0013", BlueZ.descriptor, ["UUID": .string("2902")])
        self.change(Self.device, BlueZ.device, ["ServicesResolved": .boolean(true)])
    }

    /// BlueZ has looked at the device's services.
    func resolveServices() async throws { try await self.eventLoop.run { [self] in self.resolve() } }

    /// A characteristic notifies.
    func notify(_ text: String) async throws {
        try await self.set(Self.value, BlueZ.characteristic, ["Value": .bytes(ByteBuffer(string: text))])
    }

    // MARK: Calls of ours

    /// Calls a method of the program that registered something, as BlueZ does for a central.
    func call(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue]
    ) async throws -> Result<[BusValue], BusFailure> {
        let answer = self.eventLoop.makePromise(of: Result<[BusValue], BusFailure>.self)
        self.eventLoop.execute {
            self.bus?.call(self.adapterUser, path, interface, member, arguments) {
                answer.succeed($0.map(\.arguments))
            }
        }
        return try await answer.futureResult.get()
    }
}

extension MockBlueZ {
    /// Reads a socket for writes without response, until its other end is closed, more slowly than it is written.
    private func drain(_ socket: CInt) {
        var octets = [UInt8](repeating: 0, count: 512)
        let count = recv(socket, &octets, octets.count, CInt(MSG_DONTWAIT))
        if count > 0 {
            let text = String(decoding: octets.prefix(count), as: UTF8.self)
            self.log.withLockedValue { $0.append("packet \(text)") }
        }
        guard count > 0 || (count < 0 && errno == EAGAIN) else {
            close(socket)
            return
        }
        self.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { self.drain(socket) }
    }
}

extension MockBlueZ: BusConnectionDelegate {
    func connection(_ connection: BusConnection, didReceiveSignal signal: BusMessage) {}
    func connectionDidClose(_ connection: BusConnection) {}

    func connection(_ connection: BusConnection, didReceive call: BusCall, _ message: BusMessage) {
        self.log.withLockedValue { $0.append("\(message.member) \(message.path)") }
        self.adapterUser = message.sender
        if self.override?(call, message) == true { return }
        switch message.member {
        case "GetManagedObjects":
            let all = self.objects.sorted { $0.key < $1.key }.map { path, interfaces in
                BusValue.entry(
                    .path(path),
                    .array("{sa{sv}}", interfaces.map { .entry(.string($0), .properties($1)) })
                )
            }
            call.reply([.array("{oa{sa{sv}}}", all)])
        case "Connect":
            if self.reportsConnected.withLockedValue(\.self) {
                self.change(Self.device, BlueZ.device, ["Connected": .boolean(true)])
            } else {
                self.objects[Self.device]?[BlueZ.device]?["Connected"] = .boolean(true)
            }
            call.reply()
            self.resolve()
        case "GetAll":
            let interface = message.arguments.first?.string ?? ""
            call.reply([.properties(self.objects[message.path]?[interface] ?? [:])])
        case "Disconnect":
            self.change(Self.device, BlueZ.device, ["Connected": .boolean(false), "ServicesResolved": .boolean(false)])
            call.reply()
        case "ReadValue":
            let value = ByteBuffer(string: Self.plainValue)
            // BlueZ reports what is read like a notification.
            self.change(message.path, BlueZ.characteristic, ["Value": .bytes(value)])
            call.reply([.bytes(value)])
        case "AcquireWrite":
            var pair: [CInt] = [-1, -1]
            guard socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &pair) == 0,
                let other = BusDescriptor(duplicating: pair[1])
            else { return call.fail("org.bluez.Error.Failed", "") }
            close(pair[1])
            self.drain(pair[0])
            call.reply([.descriptor(other), .uint16(185)])
        case "RegisterApplication":
            guard let root = message.arguments.first?.path else { return call.fail("org.bluez.Error.Failed", "") }
            connection.call(message.sender, root, BlueZ.objectManager, "GetManagedObjects") { result in
                switch result {
                case .success: call.reply()
                case .failure: call.fail("org.bluez.Error.Failed", "No object received")
                }
            }
        case "RegisterAdvertisement":
            guard let path = message.arguments.first?.path else { return call.fail("org.bluez.Error.Failed", "") }
            let interface: [BusValue] = [.string(BlueZ.advertisement)]
            connection.call(message.sender, path, BlueZ.propertiesInterface, "GetAll", interface) { result in
                switch result {
                case .success(let answer):
                    let name = answer.arguments.first?.dictionary?["LocalName"]?.string ?? "no name"
                    self.log.withLockedValue { $0.append("advertises \(name)") }
                    call.reply()
                case .failure: call.fail("org.bluez.Error.Failed", "Failed to parse advertisement.")
                }
            }
        default: call.reply()
        }
    }
}
