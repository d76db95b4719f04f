// One central host and many peripheral hosts on one air in virtual time, without the façade: each peripheral has one
// characteristic, to which the central is subscribed.

import BenchmarkSupport
import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore
import NIOEmbedded

final class Star: LEHostDelegate {
    private let loop: EmbeddedEventLoop
    private let air: Air
    private let central: LEHost
    private var peripherals: [(host: LEHost, node: Node)] = []
    private var toConnect: [DeviceAddress] = []
    private(set) var received = 0
    private var subscribed = 0
    private var readable: (link: LinkID, handle: AttributeHandle)?

    /// The peripheral's side.
    private final class Node: LEHostDelegate {
        var link: LinkID?
        var handle: AttributeHandle = 0
        var isAdvertising = false

        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
        func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) { self.link = nil }
    }

    init(links: Int, loop: EmbeddedEventLoop, model: AirSettings) {
        self.loop = loop
        self.air = Air(eventLoop: loop, settings: model, seed: 1)
        self.central = LEHost(eventLoop: loop)
        self.central.delegate = self
        self.central.attach(to: self.air.makeController())
        for number in 0..<links {
            let address = DeviceAddress(0xC000_0000_0001 + UInt64(number), kind: .random)
            let host = LEHost(eventLoop: loop, configuration: LEHostConfiguration(address: address))
            let node = Node()
            host.delegate = node
            host.attach(to: self.air.makeController())
            self.peripherals.append((host, node))
            self.toConnect.append(address)
        }
        self.run(until: "the controllers are ready") {
            self.central.state == .ready && self.peripherals.allSatisfy { $0.host.state == .ready }
        }
        for (host, node) in self.peripherals {
            let notifying = GATTCharacteristicDefinition(uuid: 0xA001, properties: .notify, permissions: [])
            let fixed = GATTCharacteristicDefinition(
                uuid: 0xA002,
                properties: .read,
                permissions: .readable,
                value: ByteBuffer(repeating: 0x5A, count: 20)
            )
            let service = GATTServiceDefinition(uuid: 0xA000, characteristics: [notifying, fixed])
            guard let handles = try? host.addService(service) else { preconditionFailure("the database is empty") }
            node.handle = handles.characteristics[0].value
            host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in
                node.isAdvertising = true
            }
        }
        self.run(until: "all advertise") { self.peripherals.allSatisfy { $0.node.isAdvertising } }
        for address in self.toConnect { self.central.connect(to: address) }
        self.run(until: "all links are subscribed") { self.subscribed == links }
        for (host, _) in self.peripherals { host.stopAdvertising() }
        loop.advanceTime(by: .milliseconds(100))
    }

    private func run(until what: String, _ condition: () -> Bool) {
        for _ in 0..<20_000 {
            if condition() { return }
            self.loop.advanceTime(by: .milliseconds(10))
        }
        expect(false, "not within 200 s of virtual time: \(what)")
    }

    func notifyFromAll() {
        let value = ByteBuffer(repeating: 0xA5, count: 20)
        for (host, node) in self.peripherals {
            guard let link = node.link else { continue }
            host.notify(value, characteristic: node.handle, to: link)
        }
    }

    /// Reads a value `count` times, one after another, in one turn of virtual time after another.
    func read(count: Int) {
        guard let (link, handle) = self.readable else { return }
        var left = count
        func next() {
            self.central.perform(ReadValue(handle), on: link) { _ in
                left -= 1
                if left > 0 { next() }
            }
        }
        next()
        while left > 0 { self.loop.advanceTime(by: .microseconds(1)) }
    }

    // MARK: The central's side

    func host(_ host: LEHost, didConnect link: LinkInformation) {
        host.perform(DiscoverPrimaryServices(uuids: [0xA000]), on: link.id) { [unowned self] result in
            guard let service = (try? result.get())?.first else { return }
            host.perform(DiscoverCharacteristics(of: service.handles), on: link.id) { result in
                guard let found = try? result.get(), let characteristic = found.first, let fixed = found.last else {
                    return
                }
                self.readable = (link.id, fixed.valueHandle)
                // The configuration stands right behind the value in this database.
                let enable = ByteBuffer(bytes: [1, 0])
                host.perform(WriteValue(enable, to: characteristic.valueHandle + 1), on: link.id) { _ in
                    self.subscribed += 1
                }
            }
        }
    }

    func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle) {
        self.received += 1
    }
}
