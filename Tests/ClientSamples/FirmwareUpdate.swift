// A firmware uploader as such libraries are: commands on a control point, the image in writes without response, as fast
// as the system takes them, receipts every now and then, and a checksum that the receiver works out by itself.

import CoreBluetooth

/// The update service.
package enum FirmwareService {
    package static let service = CBUUID(string: "FE59")
    package static let control = CBUUID(string: "8EC90001-F315-4F60-9FB8-838830DAEA50")
    package static let packet = CBUUID(string: "8EC90002-F315-4F60-9FB8-838830DAEA50")

    /// Commands and answers on the control point.
    enum Opcode: UInt8 {
        case begin = 0x01
        case receipt = 0x02
        case finish = 0x03
        case abort = 0x04
    }

    /// How many packets come between two receipts.
    static let packetsPerReceipt = 64
}

/// CRC-32 as Ethernet has it.
package struct Checksum {
    package private(set) var value: UInt32 = 0

    package init() {}

    package mutating func add(_ data: Data) {
        var crc = ~value
        for octet in data {
            crc ^= UInt32(octet)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        value = ~crc
    }

    package static func of(_ data: Data) -> UInt32 {
        var checksum = Checksum()
        checksum.add(data)
        return checksum.value
    }
}

extension Data {
    fileprivate init(_ opcode: FirmwareService.Opcode, _ numbers: UInt32...) {
        self = Data([opcode.rawValue])
        for number in numbers { Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) } }
    }

    fileprivate func number(at offset: Int) -> UInt32? {
        guard count >= offset + 4 else { return nil }
        return dropFirst(offset).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// Sends an image to the first device that takes one.
package final class FirmwareUploader: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    package enum Failure: Error, Equatable {
        case notSupported
        case disconnected
        case wrongChecksum(UInt32)
        case wrongLength(UInt32)
    }

    package private(set) var result: Result<Void, Error>?
    package private(set) var acknowledged: UInt32 = 0
    /// How often the system's queue was full, and how often it reported space again.
    package private(set) var stalls = 0
    package private(set) var wakeups = 0
    package private(set) var packetLength = 0

    private let image: Data
    private var sent = 0
    private var manager: CBCentralManager!
    private var device: CBPeripheral?
    private var control: CBCharacteristic?
    private var packet: CBCharacteristic?

    package init(image: Data) {
        self.image = image
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    private func finish(_ result: Result<Void, Error>) {
        guard self.result == nil else { return }
        self.result = result
        if let device = device { manager.cancelPeripheralConnection(device) }
    }

    package func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [FirmwareService.service]) }
    }

    package func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard device == nil, advertisementData[CBAdvertisementDataIsConnectable] as? Bool == true else { return }
        device = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    package func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([FirmwareService.service])
    }

    package func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        finish(.failure(error ?? Failure.disconnected))
    }

    package func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard let service = peripheral.services?.first else { return finish(.failure(error ?? Failure.notSupported)) }
        peripheral.discoverCharacteristics(nil, for: service)
    }

    package func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?)
    {
        for characteristic in service.characteristics ?? [] {
            switch characteristic.uuid {
            case FirmwareService.control: control = characteristic
            case FirmwareService.packet: packet = characteristic
            default: break
            }
        }
        guard let control = control, packet?.properties.contains(.writeWithoutResponse) == true else {
            return finish(.failure(Failure.notSupported))
        }
        peripheral.setNotifyValue(true, for: control)
    }

    package func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        if let error = error { return finish(.failure(error)) }
        packetLength = peripheral.maximumWriteValueLength(for: .withoutResponse)
        peripheral.writeValue(Data(.begin, UInt32(image.count)), for: characteristic, type: .withResponse)
    }

    package func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        if let error = error { return finish(.failure(error)) }
        if sent == 0 { sendPackets() }
    }

    package func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        wakeups += 1
        sendPackets()
    }

    private func sendPackets() {
        guard let device = device, let packet = packet, let control = control, result == nil else { return }
        while sent < image.count {
            guard device.canSendWriteWithoutResponse else {
                stalls += 1
                return
            }
            let chunk = image.subdata(in: sent..<min(sent + packetLength, image.count))
            device.writeValue(chunk, for: packet, type: .withoutResponse)
            sent += chunk.count
        }
        device.writeValue(Data(.finish), for: control, type: .withResponse)
    }

    package func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        guard let value = characteristic.value, let first = value.first,
            let opcode = FirmwareService.Opcode(rawValue: first)
        else { return }
        switch opcode {
        case .receipt:
            acknowledged = value.number(at: 1) ?? 0
        case .finish:
            let length = value.number(at: 1) ?? 0
            let checksum = value.number(at: 5) ?? 0
            if length != UInt32(image.count) { return finish(.failure(Failure.wrongLength(length))) }
            if checksum != Checksum.of(image) { return finish(.failure(Failure.wrongChecksum(checksum))) }
            finish(.success(()))
        case .begin, .abort:
            break
        }
    }
}

/// The device that takes the image.
package final class FirmwareDevice: NSObject, CBPeripheralManagerDelegate {
    package private(set) var received = Data()

    private var manager: CBPeripheralManager!
    private var checksum = Checksum()
    private var packets = 0
    private var unsent: [Data] = []
    private let control = CBMutableCharacteristic(
        type: FirmwareService.control,
        properties: [.write, .notify],
        value: nil,
        permissions: [.writeable]
    )
    private let packet = CBMutableCharacteristic(
        type: FirmwareService.packet,
        properties: [.writeWithoutResponse],
        value: nil,
        permissions: [.writeable]
    )

    package override init() {
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: FirmwareService.service, primary: true)
        service.characteristics = [control, packet]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [FirmwareService.service]])
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests {
            // The objects that were published are the ones that come back.
            if request.characteristic === packet {
                take(request.value ?? Data())
            } else if !obey(request.value ?? Data()) {
                return peripheral.respond(to: requests[0], withResult: .requestNotSupported)
            }
        }
        peripheral.respond(to: requests[0], withResult: .success)
        notify()
    }

    private func obey(_ command: Data) -> Bool {
        switch command.first.flatMap(FirmwareService.Opcode.init) {
        case .begin:
            received = Data()
            checksum = Checksum()
            packets = 0
        case .finish:
            unsent.append(Data(.finish, UInt32(received.count), checksum.value))
        case .receipt, .abort, nil:
            return false
        }
        return true
    }

    private func take(_ chunk: Data) {
        received.append(chunk)
        checksum.add(chunk)
        packets += 1
        if packets % FirmwareService.packetsPerReceipt == 0 { unsent.append(Data(.receipt, UInt32(received.count))) }
    }

    package func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { notify() }

    private func notify() {
        while let next = unsent.first, manager.updateValue(next, for: control, onSubscribedCentrals: nil) {
            unsent.removeFirst()
        }
    }
}
