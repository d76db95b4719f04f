// The app under test: it publishes every kind of attribute, and discovers, reads, writes and subscribes to all that it
// finds at the other end. If an input says so, it takes its events late, leaves channels unread, and sends a stream.

import CoreBluetooth
import Foundation

/// A Core Bluetooth app of both roles.
final class App: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, CBPeripheralManagerDelegate {
    static let service = CBUUID(string: "A000")

    private var central: CBCentralManager?
    private var peripherals: CBPeripheralManager?
    private var found: [CBPeripheral] = []
    private var channels: [CBL2CAPChannel] = []
    private let updating = CBMutableCharacteristic(
        type: CBUUID(string: "A002"),
        properties: [.read, .write, .writeWithoutResponse, .notify, .indicate],
        value: nil,
        permissions: [.readable, .writeable]
    )
    private let consumers: Consumers
    /// Whether the last peripheral has notified that this app is subscribed.
    private(set) var hasHeard = false
    /// The received part of the peer's stream.
    private(set) var received = ReceivedStream()
    /// The number of connections that ended although this app did not end them.
    private(set) var lostConnections = 0
    private var sent = 0
    private var streamWrites: CBCharacteristic?

    init(_ adapter: BluetoothAdapter, _ consumers: Consumers) {
        self.consumers = consumers
        super.init()
        adapter.run {
            self.central = CBCentralManager(delegate: self, queue: nil)
            self.peripherals = CBPeripheralManager(delegate: self, queue: nil)
        }
    }

    /// Disconnects from all peripherals, and scans for the next one.
    func connectToAnotherPeer() {
        for peripheral in self.found { self.central?.cancelPeripheralConnection(peripheral) }
        self.channels = []
        self.found = []
        self.hasHeard = false
        if self.consumers.appConnects { self.central?.scanForPeripherals(withServices: nil) }
    }

    /// Disconnects and releases everything.
    func end() {
        for peripheral in self.found { self.central?.cancelPeripheralConnection(peripheral) }
        self.channels = []
        self.found = []
        self.central = nil
        self.peripherals = nil
    }

    /// Reads the waiting octets of all channels; returns their number in the channel with the most.
    func readChannels() -> Int { self.channels.map(self.readAll).max() ?? 0 }

    // MARK: Streams

    private func take(_ value: Data?) {
        if let value { self.received.take(value) }
    }

    private func sendUpdates() {
        guard self.consumers.hasStreams else { return }
        while self.sent < StreamValue.count {
            let value = Data(StreamValue.octets(self.sent))
            guard
                self.peripherals?.updateValue(value, for: self.updating, onSubscribedCentrals: nil) == true
            else { return }
            self.sent += 1
        }
    }

    private func sendWrites() {
        guard self.consumers.hasStreams, let characteristic = self.streamWrites,
            let peripheral = characteristic.service?.peripheral
        else { return }
        while self.sent < StreamValue.count, peripheral.canSendWriteWithoutResponse {
            peripheral.writeValue(Data(StreamValue.octets(self.sent)), for: characteristic, type: .withoutResponse)
            self.sent += 1
        }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { self.sendUpdates() }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { self.sendWrites() }

    // MARK: Peripheral

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: Self.service, primary: true)
        let fixed = CBMutableCharacteristic(
            type: CBUUID(string: "A001"),
            properties: .read,
            value: Data(repeating: 0x5A, count: 300),
            permissions: .readable
        )
        self.updating.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "It changes")]
        // Makes the devices pair.
        let secret = CBMutableCharacteristic(
            type: CBUUID(string: "A003"),
            properties: .read,
            value: Data([42]),
            permissions: .readEncryptionRequired
        )
        service.characteristics = [fixed, self.updating, secret]
        peripheral.removeAllServices()
        peripheral.add(service)
        peripheral.publishL2CAPChannel(withEncryption: false)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let value = Data(repeating: 0xA5, count: 100)
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = value.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
        for request in requests { self.take(request.value) }
        // A value of a stream is not sent back.
        if let value = requests.last?.value, StreamValue.number(value) != nil { return }
        _ = peripheral.updateValue(requests.last?.value ?? Data(), for: self.updating, onSubscribedCentrals: nil)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        _ = peripheral.updateValue(Data("subscribed".utf8), for: self.updating, onSubscribedCentrals: [central])
        self.sendUpdates()
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        self.use(channel)
    }

    // MARK: Central

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn, self.consumers.appConnects { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard !self.found.contains(peripheral) else { return }
        self.found.append(peripheral)
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
        peripheral.readRSSI()
        peripheral.openL2CAPChannel(PeerApp.channelPSM)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        if error != nil { self.lostConnections += 1 }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        peripheral.discoverServices(nil)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverIncludedServices(nil, for: service)
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] {
            peripheral.discoverDescriptors(for: characteristic)
            peripheral.readValue(for: characteristic)
            peripheral.setNotifyValue(true, for: characteristic)
            if characteristic.properties.contains(.write) {
                peripheral.writeValue(Data(repeating: 1, count: 600), for: characteristic, type: .withResponse)
                peripheral.writeValue(Data(repeating: 2, count: 40), for: characteristic, type: .withResponse)
            }
            if characteristic.properties.contains(.writeWithoutResponse) {
                peripheral.writeValue(Data([3]), for: characteristic, type: .withoutResponse)
                self.streamWrites = characteristic
                self.sendWrites()
            }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        for descriptor in characteristic.descriptors ?? [] { peripheral.readValue(for: descriptor) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.take(characteristic.value)
        if characteristic.value == Data("subscribed".utf8), self.found.contains(peripheral) { self.hasHeard = true }
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.use(channel)
    }

    // MARK: Channels

    /// Writes, and reads received octets; there is no run loop in virtual time that would report more.
    private func use(_ channel: CBL2CAPChannel?) {
        guard let channel else { return }
        self.channels.append(channel)
        channel.inputStream.open()
        channel.outputStream.open()
        let octets = [UInt8](repeating: 7, count: 300)
        _ = channel.outputStream.write(octets, maxLength: octets.count)
        if !self.consumers.leavesChannelsUnread { _ = self.readAll(channel) }
    }

    private func readAll(_ channel: CBL2CAPChannel) -> Int {
        var buffer = [UInt8](repeating: 0, count: 1000)
        var total = 0
        while channel.inputStream.hasBytesAvailable {
            let count = channel.inputStream.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { break }
            total += count
        }
        return total
    }
}
