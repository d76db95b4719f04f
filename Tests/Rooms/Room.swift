// A room of devices in one process and in virtual time, for the tests of what stands on Core Bluetooth: an air on an
// embedded event loop, and adapters on it. Who is in the room each test target adds.

package import BluetoothAir
package import CoreBluetooth
package import NIOCore
package import NIOEmbedded

/// A room with an air of its own.
package final class Room {
    /// The clock of everything in the room.
    package let loop = EmbeddedEventLoop()
    /// What lies between the devices.
    package let air: Air
    /// What decides chance in the room.
    package let seed: UInt64
    /// How many devices have come in.
    package private(set) var deviceCount = 0

    /// An empty room; equal seeds give equal runs.
    package init(model: AirSettings = .instant, seed: UInt64 = 1) {
        self.seed = seed
        self.air = Air(eventLoop: self.loop, settings: model, seed: seed)
    }

    /// A device's controller, with nobody on it.
    package func adapter(distance: Double? = nil, capture: String? = nil, mtu: Int = 517) -> BluetoothAdapter {
        self.deviceCount += 1
        // A name of its own decides the address: the same room has the same addresses in every run.
        return BluetoothAdapter(
            air: self.air,
            configuration: .init(
                identity: "device \(self.deviceCount)",
                distance: distance,
                captureFile: capture,
                preferredMTU: mtu
            )
        )
    }

    /// Lets time pass until something is true; false where it did not come true in time.
    @discardableResult
    package func run(_ limit: TimeAmount = .seconds(60), until condition: () -> Bool) -> Bool {
        let end = self.loop.now + limit
        self.loop.run()
        while !condition() {
            guard self.loop.now < end else { return false }
            self.loop.advanceTime(by: .milliseconds(5))
        }
        return true
    }

    /// Lets time pass.
    package func pass(_ time: TimeAmount) {
        self.loop.run()
        self.loop.advanceTime(by: time)
    }
}
