// A central in a world that opens an L2CAP channel of the first peripheral it finds, by Core Bluetooth alone: what the
// channel carries is seen octet by octet.

import CoreBluetooth
import Foundation

@testable import CoreBluetoothCommand

/// Opens a channel, sends data, and receives while it reads.
@MainActor
final class ChannelClient: NSObject, @preconcurrency CBCentralManagerDelegate,
    @preconcurrency CBPeripheralDelegate,
    @preconcurrency StreamDelegate
{
    private(set) var received = Data()
    private(set) var isOpen = false
    /// Why the channel was refused.
    private(set) var error: (any Error)?
    var reads = true
    private let psm: CBL2CAPPSM
    /// Data that the channel has not taken yet.
    private(set) var unsent = Data()
    private var central: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var channel: CBL2CAPChannel?

    init(_ psm: CBL2CAPPSM) {
        self.psm = psm
        super.init()
        central = CBCentralManager(delegate: self, queue: nil)
    }

    func send(_ data: Data) {
        unsent += data
        move()
    }

    func move() {
        while !unsent.isEmpty, let output = channel?.outputStream, output.hasSpaceAvailable {
            let octets = [UInt8](unsent)
            let count = output.write(octets, maxLength: octets.count)
            guard count > 0 else { break }
            unsent = Data(unsent.dropFirst(count))
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while reads, let input = channel?.inputStream, input.hasBytesAvailable {
            let count = input.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { return }
            received += buffer[..<count]
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.openL2CAPChannel(psm)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.error = error
        self.channel = channel
        channel?.open(for: self)
        isOpen = channel != nil
    }

    func stream(_ stream: Stream, handle event: Stream.Event) { move() }
}
