// The user of the host at the other end: no Core Bluetooth, but both roles, all procedures and a channel.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore

/// The user of the peer's host.
final class PeerApp: LEHostDelegate {
    /// The SPSM at which it listens.
    static let channelPSM: UInt16 = 0x80

    private static let streamToken = TransmitToken(rawValue: 1)

    /// The app's SPSM: the first one that it can get.
    private static let appPSM: SPSM = 0xC0

    private unowned let host: LEHost
    private let connects: Bool
    private let hasStreams: Bool
    private var isPublished = false
    private var hasAsked = false
    private var updating: AttributeHandle = 0
    /// Whether the app has notified something.
    private(set) var hasHeard = false

    /// Called with the number of values of the stream that were sent to the app's controller or further.
    var hasTransmitted: ((Int) -> Void)?
    private var transmitted = 0
    /// The received part of the app's stream.
    private(set) var received = ReceivedStream()
    /// The number of links that ended.
    private(set) var disconnections = 0

    init(_ host: LEHost, connects: Bool, hasStreams: Bool = false) {
        self.host = host
        self.connects = connects
        self.hasStreams = hasStreams
    }

    func host(_ host: LEHost, link: LinkID, didTransmit count: Int, for token: TransmitToken) {
        guard token == Self.streamToken else { return }
        self.transmitted += count
        self.hasTransmitted?(self.transmitted)
    }

    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) { self.disconnections += 1 }

    /// A stream whose unsent values the host keeps.
    private func stream(_ send: (ByteBuffer) -> Void) {
        guard self.hasStreams else { return }
        for number in 0..<StreamValue.count { send(ByteBuffer(bytes: StreamValue.octets(number))) }
    }

    func host(_ host: LEHost, didChange state: LEHostState) {
        guard state == .ready else { return }
        if !self.isPublished { self.publish() }
        var data = AdvertisingData()
        data.appendFlags([.generalDiscoverable, .bredrNotSupported])
        host.startAdvertising(AdvertisingParameters(data: data.bytes)) { _ in }
        if self.connects { host.startScanning(ScanParameters()) }
    }

    private func publish() {
        self.isPublished = true
        let fixed = GATTCharacteristicDefinition(
            uuid: 0xB001,
            properties: .read,
            permissions: .readable,
            value: ByteBuffer(repeating: 0x5A, count: 300)
        )
        let changing = GATTCharacteristicDefinition(
            uuid: 0xB002,
            properties: [.read, .write, .writeWithoutResponse, .notify, .indicate],
            permissions: [.readable, .writeable],
            descriptors: [GATTDescriptorDefinition(uuid: 0x2901, value: ByteBuffer(string: "It changes"))]
        )
        // Makes the devices pair.
        let secret = GATTCharacteristicDefinition(
            uuid: 0xB003,
            properties: .read,
            permissions: .readEncryptionRequired,
            value: ByteBuffer(bytes: [42])
        )
        let plain = try? self.host.addService(GATTServiceDefinition(uuid: 0xB100, characteristics: []))
        let handles = try? self.host.addService(
            GATTServiceDefinition(
                uuid: 0xB000,
                includedServices: plain.map { [$0.range.lowerBound] } ?? [],
                characteristics: [fixed, changing, secret]
            )
        )
        self.updating = handles?.characteristics.dropFirst().first?.value ?? 0
        _ = try? self.host.listenForChannels(spsm: SPSM(rawValue: Self.channelPSM))
    }

    func host(_ host: LEHost, didReceiveAdvertisement report: AdvertisingReport) {
        guard !self.hasAsked else { return }
        self.hasAsked = true
        host.stopScanning()
        host.connect(to: report.address)
    }

    func host(_ host: LEHost, didConnect link: LinkInformation) {
        guard link.isCentral else { return }
        let link = link.id
        host.perform(ReadDeviceName(), on: link) { _ in }
        host.perform(DiscoverPrimaryServices(uuids: [0xA000]), on: link) { [unowned self] result in
            for service in (try? result.get()) ?? [] { self.look(at: service, on: link) }
        }
        host.perform(DiscoverPrimaryServices(), on: link) { _ in }
        host.readRSSI(of: link) { _ in }
        host.openChannel(on: link, spsm: Self.appPSM) { [unowned self] result in
            if let channel = try? result.get() {
                // As much as a sender keeps; more than a receiver that reads nothing accepts.
                _ = host.write(ByteBuffer(repeating: 9, count: self.hasStreams ? 65_536 : 3000), on: channel.id)
            }
        }
    }

    private func look(at service: GATTRemoteService, on link: LinkID) {
        let host = self.host
        host.perform(FindIncludedServices(of: service.handles), on: link) { _ in }
        host.perform(DiscoverCharacteristics(of: service.handles), on: link) { [unowned self] result in
            for characteristic in (try? result.get()) ?? [] {
                let handle = characteristic.valueHandle
                host.perform(DiscoverDescriptors(of: characteristic), on: link) { result in
                    for descriptor in (try? result.get()) ?? [] {
                        host.perform(ReadValue(descriptor.handle), on: link) { _ in }
                        host.perform(WriteValue(ByteBuffer(bytes: [1, 0]), to: descriptor.handle), on: link) { _ in }
                    }
                }
                host.perform(ReadValue(handle), on: link) { _ in }
                host.perform(WriteValue(ByteBuffer(repeating: 1, count: 400), to: handle), on: link) { _ in }
                let pieces = [AttributeValue(handle: handle, value: ByteBuffer(bytes: [1, 2, 3]))]
                host.perform(ReliableWrites(pieces), on: link) { _ in }
                host.writeWithoutResponse(ByteBuffer(bytes: [4]), to: handle, on: link)
                if characteristic.properties.contains(.writeWithoutResponse) {
                    self.stream { host.writeWithoutResponse($0, to: handle, on: link, token: Self.streamToken) }
                }
            }
        }
    }

    func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest) {
        host.respond(to: request.id, with: .success(ByteBuffer(repeating: 0xA5, count: 100)))
    }

    func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
        for value in request.parts { self.received.take(value.value.readableBytesView) }
        // A command has no answer.
        if let id = request.id { host.respond(to: id, error: nil) }
    }

    func host(_ host: LEHost, link: LinkID, didSubscribe: Bool, toCharacteristic handle: AttributeHandle) {
        guard didSubscribe else { return }
        host.notify(ByteBuffer(string: "subscribed"), characteristic: handle, to: link)
        guard handle == self.updating else { return }
        self.stream { host.notify($0, characteristic: handle, to: link, token: Self.streamToken) }
    }

    func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle) {
        self.hasHeard = true
        self.received.take(value.readableBytesView)
    }
}
