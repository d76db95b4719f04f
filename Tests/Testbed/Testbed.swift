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
    ///   - identity: What decides its address; without one it has the next number, so that equal testbeds have equal
    ///     addresses.
    ///   - distance: How far it stands from the others, in metres; 1 unless given.
    ///   - capture: The path of a file for its HCI packets.
    ///   - mtu: The ATT MTU that it offers, 23 to 517 octets.
    ///   - permitsManufacturerData: Whether its apps may advertise manufacturer data.
    package func adapter(
        _ identity: String? = nil,
        distance: Double? = nil,
        capture: String? = nil,
        mtu: Int = 517,
        permitsManufacturerData: Bool = false
    ) -> BluetoothAdapter {
        if identity == nil { self.adapterCount += 1 }
        var configuration = BluetoothAdapter.Configuration(
            identity: identity ?? "device \(self.adapterCount)",
            distance: distance,
            captureFile: capture,
            preferredMTU: mtu
        )
        configuration.permitsManufacturerData = permitsManufacturerData
        return BluetoothAdapter(air: self.air, configuration: configuration)
    }

    /// Lets time pass.
    package func run(_ time: TimeAmount = .milliseconds(500)) { self.loop.advanceTime(by: time) }

    /// Lets time pass until a condition is true. The test fails, and false is returned, where it does not become true
    /// within the limit, or where the loop has stopped at its limit of tasks.
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
