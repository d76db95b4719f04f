// The harness of the tests of Core Bluetooth and of the SDKs: adapters on the air of a world, in virtual time. The
// world is the one that the test kit gives to everybody; a testbed adds adapters without devices, to which a test gives
// controllers, storage and options that no app chooses.

package import BluetoothAir
package import CoreBluetooth
package import CoreBluetoothTesting
package import NIOCore
import Testing

/// Adapters on one air, in virtual time.
package final class Testbed {
    /// Owns the time and the air.
    package let world: World
    /// How many adapters were made without an identity of their own.
    package private(set) var adapterCount = 0

    /// A testbed at time zero, without adapters; equal seeds give equal runs.
    package init(settings: AirSettings = .instant, seed: UInt64 = 1) {
        self.world = World(seed: seed, settings: settings)
    }

    /// The event loop of everything on the testbed.
    package var loop: WorldLoop { self.world.loop }

    /// What lies between the adapters.
    package var air: Air { self.world.air }

    /// An adapter with a virtual controller.
    ///
    /// - Parameters:
    ///   - identity: Decides its address; without one it has the next number, so that equal testbeds have equal
    ///     addresses.
    ///   - storage: Keeps its state, for the next adapter of the same device.
    package func adapter(
        _ identity: String? = nil,
        distance: Double? = nil,
        mtu: Int = 517,
        storage: any StateStorage = MemoryStorage(),
        configure: (inout BluetoothAdapter.Configuration) -> Void = { _ in }
    ) -> BluetoothAdapter {
        if identity == nil { self.adapterCount += 1 }
        var configuration = BluetoothAdapter.Configuration(
            identity: identity ?? "device \(self.adapterCount)",
            distance: distance,
            preferredMTU: mtu
        )
        configure(&configuration)
        return BluetoothAdapter(air: self.air, configuration: configuration, storage: storage)
    }

    /// Lets time pass.
    package func run(_ time: TimeAmount = .milliseconds(500)) { self.loop.advanceTime(by: time) }

    /// Lets time pass until a condition is true. Fails the test and returns false if it does not become true within the
    /// limit, or the loop has stopped at its limit of tasks.
    @discardableResult
    package func run(
        until condition: () -> Bool,
        within limit: TimeAmount = .seconds(60),
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column
    ) -> Bool {
        let deadline = self.loop.now + limit
        self.loop.run()
        while !condition() {
            guard self.loop.now < deadline, self.loop.stoppedAt == nil else {
                Issue.record(
                    "the wait ran out: the condition did not become true",
                    sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
                )
                return false
            }
            self.loop.advanceTime(by: .milliseconds(5))
        }
        return true
    }
}
