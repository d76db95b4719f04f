// The service against which `corebluetooth benchmark` measures, and its peripheral's side. All numbers are
// little-endian.
//
//     sink     write without response; read: how many octets came since the last read (8 octets)
//     source   notify: what was ordered
//     order    write: how many notifications (4 octets), how long (2 octets)
//     echo     read: 20 octets
//     channel  read: the PSM of the L2CAP channel (2 octets), 0 for none; 1 where it serves both directions (1 octet)
//
// On the channel the central says how many octets follow (8 octets), sends them, and gets one octet when all have come.
// With the highest bit of the number, it gets so many octets instead.

import BluetoothHost
import CoreBluetooth
import Foundation

/// The UUIDs.
enum BenchmarkService {
    static var uuid: CBUUID { CBUUID(string: "C0B80000-3A5E-4B1F-9D2C-7E6F5A4B3C2D") }
    static var sink: CBUUID { CBUUID(string: "C0B80001-3A5E-4B1F-9D2C-7E6F5A4B3C2D") }
    static var source: CBUUID { CBUUID(string: "C0B80002-3A5E-4B1F-9D2C-7E6F5A4B3C2D") }
    static var order: CBUUID { CBUUID(string: "C0B80003-3A5E-4B1F-9D2C-7E6F5A4B3C2D") }
    static var echo: CBUUID { CBUUID(string: "C0B80004-3A5E-4B1F-9D2C-7E6F5A4B3C2D") }
    static var channel: CBUUID { CBUUID(string: "C0B80005-3A5E-4B1F-9D2C-7E6F5A4B3C2D") }
    /// The bit of the number on the channel with which the central asks for octets.
    static let sendsBit: UInt64 = 1 << 63
}

extension FixedWidthInteger {
    /// The octets, least significant first.
    var littleEndianData: Data { withUnsafeBytes(of: self.littleEndian) { Data($0) } }

    /// A number from octets, least significant first; missing octets count as zero.
    init(littleEndianData data: some Collection<UInt8>) {
        self = data.prefix(Self.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}

extension CBL2CAPChannel {
    /// Opens both streams on the main run loop.
    @MainActor
    func open(for delegate: any StreamDelegate) {
        for stream in [inputStream, outputStream] as [Stream?] {
            stream?.delegate = delegate
            stream?.schedule(in: .main, forMode: .common)
            stream?.open()
        }
    }

    /// Closes both streams.
    @MainActor
    func close() {
        inputStream?.close()
        outputStream?.close()
    }
}

/// The peripheral's side of the benchmark.
@MainActor
final class BenchmarkServer {
    let service: CBMutableService
    /// The channel's PSM, once it is published.
    var psm: CBL2CAPPSM = 0
    private let source: CBMutableCharacteristic
    private var received: UInt64 = 0
    private var ordered: UInt32 = 0
    private var value = Data()
    private var sinks: [ChannelSink] = []

    init() {
        source = CBMutableCharacteristic(
            type: BenchmarkService.source,
            properties: .notify,
            value: nil,
            permissions: []
        )
        service = CBMutableService(type: BenchmarkService.uuid, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: BenchmarkService.sink,
                properties: [.read, .writeWithoutResponse],
                value: nil,
                permissions: [.readable, .writeable]
            ),
            source,
            CBMutableCharacteristic(
                type: BenchmarkService.order,
                properties: .write,
                value: nil,
                permissions: .writeable
            ),
            CBMutableCharacteristic(
                type: BenchmarkService.echo,
                properties: .read,
                value: Data(repeating: 0x2A, count: 20),
                permissions: .readable
            ),
            CBMutableCharacteristic(
                type: BenchmarkService.channel,
                properties: .read,
                value: nil,
                permissions: .readable
            ),
        ]
    }

    /// Whether a characteristic is the benchmark's.
    func owns(_ characteristic: CBCharacteristic) -> Bool {
        service.characteristics?.contains { $0 === characteristic } ?? false
    }

    /// The value for a read.
    func value(of characteristic: CBCharacteristic) -> Data {
        guard characteristic.uuid == BenchmarkService.sink else { return psm.littleEndianData + [1] }
        defer { received = 0 }
        return received.littleEndianData
    }

    /// A write has come.
    func received(_ data: Data, on characteristic: CBCharacteristic, _ manager: CBPeripheralManager) {
        guard characteristic.uuid == BenchmarkService.order else {
            received += UInt64(data.count)
            return
        }
        ordered = UInt32(littleEndianData: data)
        value = Data(
            repeating: 0x2A,
            count: min(ATT.maximumValueLength, Int(UInt16(littleEndianData: data.dropFirst(4))))
        )
        sendNotifications(manager)
    }

    /// Sends as many of the ordered notifications as the transmit queue takes.
    func sendNotifications(_ manager: CBPeripheralManager) {
        while ordered > 0, manager.updateValue(value, for: source, onSubscribedCentrals: nil) { ordered -= 1 }
    }

    /// The central has unsubscribed.
    func unsubscribed() { ordered = 0 }

    /// A channel was opened.
    func opened(_ channel: CBL2CAPChannel) {
        sinks.removeAll(where: \.isDone)
        sinks.append(ChannelSink(channel))
    }
}

/// Takes what comes on one channel.
@MainActor
private final class ChannelSink: NSObject, @preconcurrency StreamDelegate {
    private let channel: CBL2CAPChannel
    private var orders = BenchmarkOrders()
    /// The number of octets still to be sent to the central.
    private var owed: UInt64 = 0
    private(set) var isDone = false
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    init(_ channel: CBL2CAPChannel) {
        self.channel = channel
        super.init()
        channel.open(for: self)
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasBytesAvailable: take()
        case .hasSpaceAvailable: send()
        case .endEncountered, .errorOccurred: end()
        default: break
        }
    }

    private func take() {
        while !isDone, let input = channel.inputStream, input.hasBytesAvailable {
            let count = input.read(&buffer, maxLength: orders.readLimit(buffer.count))
            guard count > 0 else { return }
            switch orders.receive(buffer[..<count]) {
            case .confirm: _ = channel.outputStream?.write([1], maxLength: 1)
            case .send(let octets):
                owed = octets
                send()
            case nil: break
            }
        }
    }

    private func send() {
        while owed > 0, let output = channel.outputStream, output.hasSpaceAvailable {
            let count = output.write(buffer, maxLength: Int(min(owed, UInt64(buffer.count))))
            guard count > 0 else { return }
            owed -= UInt64(count)
        }
    }

    private func end() {
        guard !isDone else { return }
        isDone = true
        channel.close()
    }
}
