// `CBPeripheral.readRSSI()`: the one operation that does not wait in the queue of the GATT client, since it asks the
// controller and not the peer.

import BluetoothHost
import BluetoothTypes

/// Reads the strength of the link's signal.
final class SignalReading: PeripheralOperation {
    var result: Result<RSSI?, LEHostError> = .success(nil)

    init() { super.init(.peripheral) }

    override func start(on link: LinkID, for connection: PeripheralConnection) {
        connection.host.readRSSI(of: link) { [weak connection] result in
            guard let connection, connection.awaits(self) else { return }
            self.result = result
            self.complete(for: connection)
        }
    }

    private var signal: (rssi: NSNumber, error: LEHostError?) {
        switch self.result {
        case .success(let rssi): (rssi.number, nil)
        case .failure(let error): (RSSI?.none.number, error)
        }
    }

    override func apply(to peripheral: CBPeripheral) {
        if case .success(let rssi) = self.result { peripheral.rssiStorage = rssi.number }
    }

    override func inform(_ delegate: any CBPeripheralDelegate, of peripheral: CBPeripheral) {
        delegate.peripheral(
            peripheral,
            didReadRSSI: self.signal.rssi,
            error: self.signal.error.map(coreBluetoothError)
        )
    }

    override var call: String { "readRSSI()" }

    override var callback: String {
        self.signal.error.map { "didReadRSSI\(words($0))" } ?? "didReadRSSI: \(self.signal.rssi)"
    }
}
