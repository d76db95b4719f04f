// Two devices of one process on a private air without air time, connected and ready.

import BluetoothAir
import CoreBluetooth

final class Pair {
    let air = PrivateAir(settings: .instant, seed: 1)
    let peripheral: Peripheral
    let central: Central
    private let adapters: [BluetoothAdapter]

    init(mtu: Int, valueLength: Int, furtherServices: Int = 0) {
        let air = self.air
        self.adapters = ["peripheral", "central"].map {
            air.makeAdapter(configuration: .init(deviceName: $0, preferredMTU: mtu))
        }
        self.peripheral = Peripheral(valueLength: valueLength, furtherServices: furtherServices)
        self.peripheral.start(on: self.adapters[0])
        self.central = Central()
        self.central.start(on: self.adapters[1])
    }
}
