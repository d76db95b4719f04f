// The user of the host at the other end: no Core Bluetooth, but both roles, all procedures and a channel.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore

/// What the user of the peer's host does.
final class PeerApp: LEHostDelegate {
    /// Where it listens for channels.
    static let channelPSM: UInt16 = 0x80

    /// Where the app does: the first one that it can be given.
    private static let appPSM: SPSM = 0xC0

    private unowned let host: LEHost
    private let connects: Bool
    private var isPublished = false
    private var hasAsked = false
    private var updating: AttributeHandle = 0
    /// Whether the app has notified something.
    private(set) var hasHeard = false

    init(_ host: LEHost, connects: Bool) {
        self.host = host
        self.connects = connects
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
        let plain = try? self.host.addService(GATTServiceDefinition(uuid: 0xB100, characteristics: []))
        let handles = try? self.host.addService(
            GATTServiceDefinition(
                uuid: 0xB000,
                includedServices: plain.map { [$0.range.lowerBound] } ?? [],
                characteristics: [fixed, changing]
            )
        )
        self.updating = handles?.characteristics.last?.value ?? 0
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
        host.openChannel(on: link, spsm: Self.appPSM) { result in
            if let channel = try? result.get() {
                _ = host.write(ByteBuffer(repeating: 9, count: 3000), on: channel.id)
            }
        }
    }

    private func look(at service: GATTRemoteService, on link: LinkID) {
        let host = self.host
        host.perform(FindIncludedServices(of: service.handles), on: link) { _ in }
        host.perform(DiscoverCharacteristics(of: service.handles), on: link) { result in
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
            }
        }
    }

    func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest) {
        host.respond(to: request.id, with: .success(ByteBuffer(repeating: 0xA5, count: 100)))
    }

    func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
        // A command has no answer.
        if let id = request.id { host.respond(to: id, error: nil) }
    }

    func host(_ host: LEHost, link: LinkID, didSubscribe: Bool, toCharacteristic handle: AttributeHandle) {
        if didSubscribe { host.notify(ByteBuffer(string: "subscribed"), characteristic: handle, to: link) }
    }

    func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle) {
        self.hasHeard = true
    }
}
