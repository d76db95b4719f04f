// A connected device on the private air: a host with the device's address whose GATT server has the device's
// attributes, and hands every request on to BlueZ. It advertises until our host has connected, once.
//
// A request that BlueZ does not answer within the time of an ATT transaction fails, so nothing hangs. A write without
// response is a call of its own, and our host is held back while too many of them wait.

import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Logging
import NIOCore

/// The owner of a mirror.
protocol DeviceMirrorOwner: AnyObject {
    /// Our host has its link.
    func mirrorDidConnect(_ mirror: DeviceMirror)
    /// The link has ended.
    func mirrorDidDisconnect(_ mirror: DeviceMirror)
    /// The device has refused a request, since it is not paired.
    func mirrorWasRefused(_ mirror: DeviceMirror)
}

/// A connected device on the private air.
final class DeviceMirror {
    let path: String
    let calls: BlueZCalls
    let host: LEHost
    private let controller: VirtualController
    private let advertisement: MirroredAdvertisement
    weak var owner: (any DeviceMirrorOwner)?
    var link: LinkID?
    private(set) var attributes = MirroredAttributes()
    /// The last value that was read, for the rest of a long read.
    private var longRead: (handle: AttributeHandle, value: ByteBuffer)?
    var subscriptions = Subscriptions()
    /// Writes without response that BlueZ has not taken yet.
    var openCommands = 0
    var isPaused = false
    var streams: [String: CommandStream] = [:]
    lazy var bridges = ChannelBridges(self.host)
    /// Sockets of channels that our host is about to get, in order.
    var sockets: [CInt] = []
    let address: DeviceAddress
    let adapter: DeviceAddress
    /// The sizes of values on their way to our host.
    var sizesInFlight = CircularBuffer<Int>()
    var octetsInFlight = 0

    static let log = Logger(label: "bluetooth.bluez")
    /// Shorter than an ATT transaction, which lasts 30 s at most.
    static let requestTimeout = TimeAmount.seconds(28)
    /// The delay before a call is repeated that another program's was in the way of.
    static let retryDelay = TimeAmount.milliseconds(50)
    /// The time for which another program's call may be in the way.
    static let busyLimit = TimeAmount.seconds(5)
    /// The time that the end of a link may take on a slow machine; then the mirror is released.
    static let endLimit = TimeAmount.seconds(10)

    init(
        _ path: String,
        _ device: DeviceProperties,
        _ database: DeviceDatabase,
        rssi: RSSI?,
        on air: Air,
        to listener: VirtualController,
        calls: BlueZCalls
    ) {
        self.path = path
        self.calls = calls
        self.address = device.address
        self.adapter = listener.address
        self.controller = air.makeController(configuration: .mirror(of: device.address))
        self.controller.distance = .mirrors
        self.controller.setAttenuation(.strength(device.rssi ?? rssi ?? -60), to: listener)
        self.advertisement = MirroredAdvertisement(device)
        var configuration = LEHostConfiguration(
            deviceName: device.name ?? "",
            appearance: device.appearance ?? 0,
            address: device.address.isRandom ? device.address : nil,
            preferredMTU: database.mtu ?? ATT.maximumMTU,
            usesExtendedAdvertising: false,
            limitsReceivedData: true,
            genericAttribute: .serviceChanged
        )
        // BlueZ pairs with the device; the link on the private air has no keys.
        configuration.pairing.isPairingAllowed = false
        self.host = LEHost(eventLoop: air.eventLoop, configuration: configuration)
        self.host.delegate = self
        self.update(database)
        self.offerChannels()
        self.host.attach(to: self.controller)
    }

    /// Brings the attributes to what BlueZ has now; our host is told of changed services.
    func update(_ database: DeviceDatabase) {
        let changed = self.attributes.update(database, in: self.host)
        self.subscriptions.forget { !changed.contains($0) }
        self.longRead = nil
    }

    /// Takes the mirror from the air, and ends its link.
    func withdraw(isTimeout: Bool) {
        self.owner = nil
        self.stopNotifications()
        self.bridges.close()
        for socket in self.sockets { KernelChannel.end(socket) }
        self.sockets = []
        self.streams = [:]
        guard let link else { return self.host.detach() }
        if isTimeout { self.controller.dropLinks() } else { self.host.disconnect(link) }
        // A controller that leaves the air earlier would make a timeout of the end of the link.
        self.host.eventLoop.assumeIsolated().scheduleTask(in: Self.endLimit) { self.host.detach() }
    }

    private func stopNotifications() {
        for path in self.subscriptions.active { self.calls.call(path, BlueZ.characteristic, "StopNotify") }
        self.subscriptions = Subscriptions()
    }

    /// A value of a characteristic came, because it was notified, or read by anybody.
    func received(_ value: ByteBuffer, of path: String) {
        guard let handle = self.attributes.valueHandle(path),
            let value = self.subscriptions.received(value, of: path)
        else { return }
        self.notify(value, handle)
    }

    private func notify(_ value: ByteBuffer, _ handle: AttributeHandle) {
        guard let link = self.link else { return }
        self.octetsInFlight += value.readableBytes
        self.sizesInFlight.append(value.readableBytes)
        // BlueZ cannot be told to wait.
        guard self.octetsInFlight <= Self.octetLimit else {
            Self.log.error("ended a connection: the app does not take what the device sends")
            return self.host.disconnect(link)
        }
        self.host.notifyUnconditionally(value, characteristic: handle, to: link, token: .standard)
    }

    /// As many octets as other adapters hold for an app that is behind.
    private static let octetLimit = 4 << 20
}

extension DeviceMirror: LEHostDelegate {
    func host(_ host: LEHost, didChange state: LEHostState) {
        guard case .ready = state else { return }
        var parameters = AdvertisingParameters(data: ByteBuffer(), interval: .milliseconds(20))
        if case .legacy(let data, let response) = self.advertisement {
            parameters.data = data
            parameters.scanResponse = response
        }
        host.startAdvertising(parameters) { _ in }
    }

    func host(_ host: LEHost, didConnect link: LinkInformation) {
        host.stopAdvertising()
        self.link = link.id
        self.owner?.mirrorDidConnect(self)
    }

    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
        guard self.link == link.id else { return }
        self.link = nil
        self.stopNotifications()
        self.owner?.mirrorDidDisconnect(self)
    }

    func host(_ host: LEHost, link: LinkID, didTransmit count: Int, for token: TransmitToken) {
        for _ in 0..<count { self.octetsInFlight -= self.sizesInFlight.popFirst() ?? 0 }
    }

    // MARK: Reading

    func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest) {
        switch self.attributes[request.handle] {
        case nil: host.respond(to: request.id, with: .failure(.invalidHandle))
        case .configuration(let path):
            let bits: UInt16 = self.subscriptions.isActive(path) ? 1 : 0
            host.respond(to: request.id, with: .success(ByteBuffer(integer: bits, endianness: .little)))
        case .value(let path, _):
            self.subscriptions.readBegan(path)
            self.read(request, path, BlueZ.characteristic) { value in
                let held = self.subscriptions.readEnded(path, value: value)
                for value in held { self.notify(value, request.handle) }
            }
        case .descriptor(let path): self.read(request, path, BlueZ.descriptor) { _ in }
        }
    }

    private func read(
        _ request: GATTReadRequest,
        _ path: String,
        _ interface: String,
        ended: @escaping (ByteBuffer?) -> Void
    ) {
        // BlueZ always reads the whole value.
        if request.offset > 0, let longRead, longRead.handle == request.handle {
            ended(nil)
            return self.answer(request, with: longRead.value)
        }
        self.request(path, interface, "ReadValue", [.properties([:])], isRead: true) { result in
            let value = (try? result.get())?.arguments.first?.bytes
            ended(value)
            switch result {
            case .success:
                guard let value else {
                    return self.host.respond(to: request.id, with: .failure(.unlikelyError))
                }
                // An attribute value has 512 octets at most.
                let length = min(value.readableBytes, ATT.maximumValueLength)
                let whole = value.getSlice(at: value.readerIndex, length: length) ?? value
                self.longRead = (request.handle, whole)
                self.answer(request, with: whole)
            case .failure(let code): self.host.respond(to: request.id, with: .failure(code))
            }
        }
    }

    private func answer(_ request: GATTReadRequest, with value: ByteBuffer) {
        guard request.offset <= value.readableBytes else {
            return self.host.respond(to: request.id, with: .failure(.invalidOffset))
        }
        var rest = value
        rest.moveReaderIndex(forwardBy: request.offset)
        self.host.respond(to: request.id, with: .success(rest))
    }

    // MARK: Writing

    func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
        self.longRead = nil
        guard let id = request.id, let first = request.parts.first else { return }
        // BlueZ cannot write several attributes at once.
        guard request.parts.allSatisfy({ $0.handle == first.handle }) else {
            return host.respond(to: id, error: .requestNotSupported)
        }
        switch self.attributes[first.handle] {
        case nil: host.respond(to: id, error: .invalidHandle)
        case .configuration(let path): self.subscribe(path, first, id)
        case .value(let path, _): self.write(request.parts[...], id, path, BlueZ.characteristic)
        case .descriptor(let path): self.write(request.parts[...], id, path, BlueZ.descriptor)
        }
    }

    private func write(
        _ parts: ArraySlice<GATTWriteRequest.Part>,
        _ id: GATTRequestID,
        _ path: String,
        _ interface: String
    ) {
        guard let part = parts.first else { return self.host.respond(to: id, error: nil) }
        var options: ObjectTree.Properties = interface == BlueZ.characteristic ? ["type": .string("request")] : [:]
        if part.offset > 0 { options["offset"] = .uint16(UInt16(clamping: part.offset)) }
        self.request(path, interface, "WriteValue", [.bytes(part.value), .properties(options)], isRead: false) {
            switch $0 {
            case .success: self.write(parts.dropFirst(), id, path, interface)
            case .failure(let code): self.host.respond(to: id, error: code)
            }
        }
    }

    // MARK: Subscribing

    private func subscribe(_ path: String, _ part: GATTWriteRequest.Part, _ id: GATTRequestID) {
        guard part.offset == 0,
            let bits = part.value.getInteger(at: part.value.readerIndex, endianness: .little, as: UInt16.self)
        else { return self.host.respond(to: id, error: .invalidAttributeValueLength) }
        let isOn = bits & 3 != 0
        guard isOn != self.subscriptions.isActive(path) else { return self.host.respond(to: id, error: nil) }
        // A value may overtake the answer.
        if isOn { self.subscriptions.begin(path) }
        self.request(path, BlueZ.characteristic, isOn ? "StartNotify" : "StopNotify", [], isRead: false) {
            switch $0 {
            case .success:
                if !isOn { self.subscriptions.end(path) }
                self.host.respond(to: id, error: nil)
            case .failure(let code):
                if isOn { self.subscriptions.end(path) }
                self.host.respond(to: id, error: code)
            }
        }
    }

    // MARK: Calls

    /// Calls a method of an attribute for a request of our host; repeats it while another program's is in progress, and
    /// while the devices pair.
    private func request(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue],
        isRead: Bool,
        since start: NIODeadline? = nil,
        completion: @escaping (Result<BusMessage, ATTErrorCode>) -> Void
    ) {
        let start = start ?? self.host.eventLoop.now
        let later = self.host.eventLoop.assumeIsolated()
        let again = {
            self.request(path, interface, member, arguments, isRead: isRead, since: start, completion: completion)
        }
        // Earlier writes are still in a socket.
        for stream in self.streams.values where stream.isDrained { stream.release() }
        guard self.streams.values.allSatisfy(\.isDrained) else {
            later.scheduleTask(in: .milliseconds(1), again)
            return
        }
        self.calls.call(path, interface, member, arguments, timeout: Self.requestTimeout) { result in
            let failure: BusFailure
            switch result {
            case .success(let answer): return completion(.success(answer))
            case .failure(let error): failure = error
            }
            let duration = self.host.eventLoop.now - start
            switch failure.attributeError(isRead: isRead) {
            case .busy where duration < Self.busyLimit: later.scheduleTask(in: Self.retryDelay, again)
            case .busy: completion(.failure(.procedureAlreadyInProgress))
            case .unsent where self.link != nil && duration < Self.requestTimeout:
                later.scheduleTask(in: Self.retryDelay, again)
            case .unsent: completion(.failure(.insufficientAuthentication))
            // The error of a link that was lost; a moment later the device is disconnected, which says more.
            case .att(.unlikelyError):
                later.scheduleTask(in: .milliseconds(100)) { completion(.failure(.unlikelyError)) }
            case .ending: later.scheduleTask(in: Self.busyLimit) { completion(.failure(.unlikelyError)) }
            case .att(let code):
                if code == .insufficientAuthentication { self.owner?.mirrorWasRefused(self) }
                completion(.failure(code))
            }
        }
    }
}
