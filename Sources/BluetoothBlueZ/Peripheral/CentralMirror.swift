// A central of BlueZ on the private air: a host with the central's address that is connected to ours, and asks for it.
// BlueZ has checked what the link has to be like, by the flags of the attributes, so the link counts as secure.

import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A central on the private air.
final class CentralMirror {
    let path: String
    let host: LEHost
    private let controller: VirtualController
    private let address: DeviceAddress
    private let local: VirtualController
    private weak var localHost: LEHost?
    private var link: LinkID?
    /// A central has one request at a time and 64 channels; ``octetLimit`` bounds its writes without response.
    private var waiting: [(LinkID?) -> Void] = []
    /// The sizes of writes without response on their way to our host.
    private var sizesInFlight = CircularBuffer<Int>()
    private var octetsInFlight = 0
    private var hasLost = false
    private(set) var isClosed = false
    /// The last value that was read, for the rest of a long read.
    private var longRead: (handle: AttributeHandle, value: ByteBuffer)?
    /// The sockets of the characteristics to which it is subscribed.
    private var sockets: [AttributeHandle: PacketSocket] = [:]
    private lazy var bridges = ChannelBridges(self.host)

    /// As many octets as other adapters hold for an app that is behind; BlueZ cannot be told to wait.
    private static let octetLimit = 4 << 20
    /// What a short write costs beside its value.
    private static let writeOverhead = 64
    /// The time that the link may take; the central waits 30 s for its answer.
    private static let linkLimit = TimeAmount.seconds(20)

    init(
        _ path: String,
        _ address: DeviceAddress,
        mtu: Int,
        on air: Air,
        to local: VirtualController,
        _ localHost: LEHost
    ) {
        self.path = path
        self.address = address
        self.local = local
        self.localHost = localHost
        self.controller = air.makeController(configuration: .mirror(of: address))
        self.controller.distance = .mirrors
        var configuration = LEHostConfiguration(
            deviceName: "",
            address: address.isRandom ? address : nil,
            preferredMTU: min(max(mtu, ATT.defaultMTU), ATT.maximumMTU),
            usesExtendedAdvertising: false,
            limitsReceivedData: true,
            genericAttribute: .absent
        )
        configuration.pairing.isPairingAllowed = false
        self.host = LEHost(eventLoop: air.eventLoop, configuration: configuration)
        self.host.delegate = self
        self.host.attach(to: self.controller)
        air.eventLoop.assumeIsolated().scheduleTask(in: Self.linkLimit) { [weak self] () -> Void in
            if self?.link == nil { self?.close() }
        }
    }

    /// Runs `body` with the link when it is there, or with `nil` if there is none.
    func withLink(_ body: @escaping (LinkID?) -> Void) {
        if self.link != nil || self.isClosed { return body(self.link) }
        self.waiting.append(body)
    }

    /// The central is gone.
    func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        for socket in self.sockets.values { socket.close() }
        self.sockets = [:]
        self.bridges.close()
        self.endWaiting()
        guard let link = self.link else { return self.host.detach() }
        self.link = nil
        self.host.disconnect(link)
        self.host.eventLoop.assumeIsolated().scheduleTask(in: DeviceMirror.endLimit) { self.host.detach() }
    }

    private func endWaiting() {
        let waiting = self.waiting
        self.waiting = []
        for body in waiting { body(self.link) }
    }

    // MARK: Requests

    /// Reads a value from an offset on.
    func read(
        _ handle: AttributeHandle,
        from offset: Int,
        completion: @escaping (Result<ByteBuffer, ATTErrorCode>) -> Void
    ) {
        let answer = { (value: ByteBuffer) in
            guard offset <= value.readableBytes else { return completion(.failure(.invalidOffset)) }
            var rest = value
            rest.moveReaderIndex(forwardBy: offset)
            completion(.success(rest))
        }
        // The whole value was read with the first request, as a central would have.
        if offset > 0, let longRead, longRead.handle == handle { return answer(longRead.value) }
        self.withLink { link in
            guard let link else { return completion(.failure(.unlikelyError)) }
            self.host.perform(ReadValue(handle), on: link) { result in
                switch result {
                case .success(let value):
                    self.longRead = (handle, value)
                    answer(value)
                case .failure(let error): completion(.failure(error.attributeError))
                }
            }
        }
    }

    /// Writes a value with a response.
    func write(_ value: ByteBuffer, to handle: AttributeHandle, completion: @escaping (ATTErrorCode?) -> Void) {
        self.longRead = nil
        self.withLink { link in
            guard let link else { return completion(.unlikelyError) }
            self.host.perform(WriteValue(value, to: handle), on: link) { result in
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(error.attributeError)
                }
            }
        }
    }

    /// Writes a value without response; false if our app is too far behind.
    func writeWithoutResponse(_ value: ByteBuffer, to handle: AttributeHandle) -> Bool {
        let size = value.readableBytes + Self.writeOverhead
        guard self.octetsInFlight + size <= Self.octetLimit else {
            if !self.hasLost {
                BlueZAdapter.log.error("lost writes without response: the app does not take what a central sends")
            }
            self.hasLost = true
            return false
        }
        self.octetsInFlight += size
        self.sizesInFlight.append(size)
        self.withLink { link in
            if let link { self.host.writeWithoutResponse(value, to: handle, on: link) }
        }
        return true
    }

    /// Subscribes to a characteristic; the completion gets the socket that BlueZ reads, and the MTU.
    func subscribe(
        to handle: AttributeHandle,
        configuration: AttributeHandle,
        _ properties: CharacteristicProperties,
        completion: @escaping (Result<(BusDescriptor, mtu: Int), ATTErrorCode>) -> Void
    ) {
        let bits: UInt16 = properties.contains(.notify) ? 1 : 2
        self.write(ByteBuffer(integer: bits, endianness: .little), to: configuration) { error in
            if let error { return completion(.failure(error)) }
            guard let link = self.link,
                let (socket, other) = PacketSocket.make(
                    on: self.host.eventLoop,
                    ended: { [weak self] in self?.unsubscribe(from: handle, configuration) },
                    emptied: { [weak self] in self?.resume() }
                )
            else { return completion(.failure(.insufficientResources)) }
            self.sockets[handle] = socket
            completion(.success((other, self.host.mtu(of: link))))
        }
    }

    /// Opens a channel to our host for one that the central has opened in the kernel.
    func open(_ spsm: SPSM, for socket: CInt) {
        self.withLink { link in
            guard let link else { return closeDescriptor(socket) }
            let configuration = ChannelBridges.configuration
            self.host.openChannel(on: link, spsm: spsm, configuration: configuration) { result in
                switch result {
                case .success(let channel): self.bridges.join(channel.id, socket)
                case .failure: closeDescriptor(socket)
                }
            }
        }
    }

    private func unsubscribe(from handle: AttributeHandle, _ configuration: AttributeHandle) {
        self.sockets[handle] = nil
        self.resume()
        self.write(ByteBuffer(integer: 0, as: UInt16.self), to: configuration) { _ in }
    }

    private func resume() {
        guard let link, !self.sockets.values.contains(where: \.isFull) else { return }
        self.host.resumeReceiving(on: link)
    }
}

extension CentralMirror: LEHostDelegate {
    func host(_ host: LEHost, didChange state: LEHostState) {
        guard case .ready = state else { return }
        self.local.connect(self.controller, as: self.address)
    }

    func host(_ host: LEHost, didConnect link: LinkInformation) {
        guard !self.isClosed else { return host.disconnect(link.id) }
        if let localHost, let peer = localHost.links.first(where: { !$0.isCentral && $0.peer == self.address }) {
            let key = LinkSecurity.Key(isAuthenticated: true, isSecureConnections: true)
            localHost.setSecurity(LinkSecurity(key: key), of: peer.id)
        }
        self.link = link.id
        self.endWaiting()
    }

    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
        self.link = nil
        self.close()
    }

    func host(_ host: LEHost, link: LinkID, didTransmit count: Int, for token: TransmitToken) {
        for _ in 0..<count { self.octetsInFlight -= self.sizesInFlight.popFirst() ?? 0 }
    }

    func host(_ host: LEHost, channel: L2CAPChannelID, didReceive octets: ByteBuffer) {
        self.bridges.received(octets, on: channel)
    }

    func host(_ host: LEHost, channelIsReadyToSend channel: L2CAPChannelID) { self.bridges.isReadyToSend(channel) }

    func host(_ host: LEHost, channel: L2CAPChannelID, didCloseBecause reason: L2CAPChannelCloseReason) {
        self.bridges.closed(channel)
    }

    func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle) {
        guard let socket = self.sockets[handle] else { return }
        socket.send(value)
        if socket.isFull { host.pauseReceiving(on: link) }
    }
}

// A method of the same name hides the function of the system.
private func closeDescriptor(_ descriptor: CInt) { close(descriptor) }

extension GATTError {
    /// The error octet of an answer; that of another failure otherwise.
    var attributeError: ATTErrorCode { if case .att(let code, _) = self { code } else { .unlikelyError } }
}
