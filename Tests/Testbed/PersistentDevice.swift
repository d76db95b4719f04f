// A device whose processes come and go, and whose bonds and identities stay, for tests of the SDKs.

package import CoreBluetooth

/// A device whose state outlives its processes.
package final class PersistentDevice {
    private let testbed: Testbed
    private let configuration: BluetoothAdapter.Configuration
    private let storage = MemoryStorage()
    /// The adapter of the present process.
    package private(set) var adapter: BluetoothAdapter

    package init(
        _ identity: String,
        in testbed: Testbed,
        configure: (inout BluetoothAdapter.Configuration) -> Void = { _ in }
    ) {
        var configuration = BluetoothAdapter.Configuration(identity: identity)
        configure(&configuration)
        self.testbed = testbed
        self.configuration = configuration
        self.adapter = BluetoothAdapter(air: testbed.air, configuration: configuration, storage: self.storage)
    }

    /// Ends the process as `kill -9` does, without a word to any peer, and starts the next one.
    package func restart() {
        self.adapter.kill()
        self.testbed.loop.run()
        self.adapter = BluetoothAdapter(
            air: self.testbed.air,
            configuration: self.configuration,
            storage: self.storage
        )
    }

    /// The number of devices it is paired with.
    package var bondCount: Int { self.bonds.count }

    /// Removes its bonds, as another program does; links stay.
    package func removeBonds() { for name in self.bonds { self.storage.remove(name) } }

    private var bonds: [String] { self.storage.names.filter { $0.hasPrefix("bond-") } }
}
