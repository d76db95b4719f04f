// Adapters whose state outlives them, in a storage that belongs to the test.

import Testbed

@testable import CoreBluetooth

extension Testbed {
    /// An adapter with a virtual controller, which keeps its state in a storage.
    func adapter(_ identity: String, storage: any StateStorage) -> BluetoothAdapter {
        BluetoothAdapter(
            air: self.air,
            configuration: BluetoothAdapter.Configuration(identity: identity),
            storage: storage
        )
    }
}
