// The recipe's behaviour on Linux.

#if canImport(CoreBluetoothTesting)
import CoreBluetooth
import CoreBluetoothTesting
import Publishers
import Testing

@Suite struct PublishersTests {
    @Test func followsTheManager() throws {
        let world = World(seed: 1)
        let central = world.addDevice("phone").run { CBCentralManager(delegate: nil, queue: nil) }
        var status: BluetoothStatus? = BluetoothStatus(central)
        #expect(status?.text == "not ready")
        try world.run(until: status?.text == "ready")
        central.scanForPeripherals(withServices: nil)
        try world.run(until: status?.text == "scanning")
        weak var released = status
        status = nil
        #expect(released == nil)
    }
}
#endif
