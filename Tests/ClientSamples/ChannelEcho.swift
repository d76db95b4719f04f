// A client with an L2CAP channel: the server has its PSM in a characteristic and sends back what it gets; the client
// sends a message and compares. Streams are used in both ways: with a delegate on a run loop, and polled.

import CoreBluetooth

/// The echo's service.
package enum EchoService {
    package static let service = CBUUID(string: "12E61727-B41A-436F-B64D-4777B35F2294")
    package static let psm = CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)
}

/// Reads and writes a channel as its streams report that they can.
package final class ChannelTalker: NSObject, StreamDelegate {
    package var onReceive: (Data) -> Void = { _ in }
    package private(set) var events: [Foundation.Stream.Event] = []
    package private(set) var hasEnded = false

    /// How much may wait to be written before reading pauses.
    private let limit = 64 * 1024
    private let channel: CBL2CAPChannel
    private var unsent = Data()

    package init(_ channel: CBL2CAPChannel) {
        self.channel = channel
        super.init()
        for stream in [channel.inputStream, channel.outputStream] as [Foundation.Stream] {
            stream.delegate = self
            stream.schedule(in: .main, forMode: .default)
            stream.open()
        }
    }

    package func send(_ data: Data) {
        unsent.append(data)
        write()
    }

    package func close() {
        for stream in [channel.inputStream, channel.outputStream] as [Foundation.Stream] {
            stream.close()
            stream.remove(from: .main, forMode: .default)
        }
    }

    package func stream(_ aStream: Foundation.Stream, handle eventCode: Foundation.Stream.Event) {
        events.append(eventCode)
        switch eventCode {
        case .openCompleted:
            break
        case .hasBytesAvailable:
            read()
        case .hasSpaceAvailable:
            write()
            read()
        case .endEncountered, .errorOccurred:
            hasEnded = true
            close()
        default:
            break
        }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while unsent.count < limit, channel.inputStream.hasBytesAvailable {
            let count = channel.inputStream.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { return }
            onReceive(Data(buffer[..<count]))
        }
    }

    private func write() {
        while !unsent.isEmpty, channel.outputStream.hasSpaceAvailable {
            let count = unsent.withUnsafeBytes { bytes -> Int in
                channel.outputStream.write(bytes.bindMemory(to: UInt8.self).baseAddress!, maxLength: bytes.count)
            }
            guard count > 0 else { return }
            unsent = Data(unsent.dropFirst(count))
        }
    }
}

/// Sends back what it gets, on every channel that anybody opens.
package final class EchoServer: NSObject, CBPeripheralManagerDelegate {
    package private(set) var talkers: [ChannelTalker] = []
    package private(set) var published: CBL2CAPPSM?

    private var manager: CBPeripheralManager!

    package override init() {
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        if peripheral.state == .poweredOn { peripheral.publishL2CAPChannel(withEncryption: false) }
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: Error?
    ) {
        guard error == nil else { return }
        published = PSM
        let characteristic = CBMutableCharacteristic(
            type: EchoService.psm,
            properties: .read,
            value: withUnsafeBytes(of: PSM.littleEndian) { Data($0) },
            permissions: .readable
        )
        let service = CBMutableService(type: EchoService.service, primary: true)
        service.characteristics = [characteristic]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [EchoService.service]])
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: Error?) {
        guard let channel = channel else { return }
        let talker = ChannelTalker(channel)
        talker.onReceive = { [unowned talker] in talker.send($0) }
        talkers.append(talker)
    }
}

/// Finds an echo and opens a channel to it.
package class EchoClient: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    package private(set) var channel: CBL2CAPChannel?
    package private(set) var error: Error?

    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?

    package override init() {
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    package func disconnect() {
        if let peripheral = peripheral { manager.cancelPeripheralConnection(peripheral) }
    }

    package func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [EchoService.service]) }
    }

    package func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    package func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([EchoService.service])
    }

    package func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        peripheral.services?.forEach { peripheral.discoverCharacteristics([EchoService.psm], for: $0) }
    }

    package func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?)
    { service.characteristics?.forEach { peripheral.readValue(for: $0) } }

    package func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        guard let value = characteristic.value, value.count == 2 else { return }
        peripheral.openL2CAPChannel(UInt16(value[1]) << 8 | UInt16(value[0]))
    }

    package func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: Error?) {
        self.channel = channel
        self.error = error
        if let channel = channel { opened(channel) }
    }

    package func opened(_ channel: CBL2CAPChannel) {}
}

/// Uses its streams with a delegate on the main run loop.
package final class ScheduledEchoClient: EchoClient {
    package private(set) var received = Data()
    package private(set) var talker: ChannelTalker?
    package var message = Data()

    package override func opened(_ channel: CBL2CAPChannel) {
        let talker = ChannelTalker(channel)
        talker.onReceive = { [unowned self] in received.append($0) }
        talker.send(message)
        self.talker = talker
    }
}

/// Asks its streams now and then whether they can be read and written.
package final class PollingEchoClient: EchoClient {
    package private(set) var received = Data()
    package var message = Data()
    private var sent = 0

    package override func opened(_ channel: CBL2CAPChannel) {
        channel.inputStream.open()
        channel.outputStream.open()
    }

    package func poll() {
        guard let channel = channel else { return }
        while sent < message.count, channel.outputStream.hasSpaceAvailable {
            let piece = message[sent..<min(sent + 1000, message.count)]
            let count = [UInt8](piece).withUnsafeBufferPointer {
                channel.outputStream.write($0.baseAddress!, maxLength: $0.count)
            }
            guard count > 0 else { break }
            sent += count
        }
        var buffer = [UInt8](repeating: 0, count: 700)
        while channel.inputStream.hasBytesAvailable {
            let count = channel.inputStream.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { break }
            received.append(contentsOf: buffer[..<count])
        }
    }
}
