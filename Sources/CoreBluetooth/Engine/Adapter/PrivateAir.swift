// An air inside the process, with its own thread: for a program with both roles, or with several devices, that needs
// neither an installation nor a socket.

public import BluetoothAir
import BluetoothTypes
import NIOConcurrencyHelpers
import NIOCore

/// An air of this process with its own event loop.
///
/// ```swift
/// let air = PrivateAir()
/// let ball = air.makeAdapter().run { CBPeripheralManager(delegate: ballDelegate, queue: nil) }
/// let central = air.makeAdapter().run { CBCentralManager(delegate: centralDelegate, queue: nil) }
/// ```
public final class PrivateAir: Sendable {
    private let thread = EventLoopThread()
    private let air: NIOLoopBoundBox<Air?>
    private let generator: NIOLockedValueBox<SeededGenerator>

    /// An empty air.
    ///
    /// Equal seeds give equal addresses.
    public init(settings: AirSettings = .instant, seed: UInt64 = 1) {
        let eventLoop = self.thread.eventLoop
        let air = NIOLoopBoundBox<Air?>.makeEmptyBox(valueType: Air.self, eventLoop: eventLoop)
        self.air = air
        self.generator = NIOLockedValueBox(SeededGenerator(seed: seed))
        eventLoop.execute { air.value = Air(eventLoop: eventLoop, settings: settings, seed: seed) }
    }

    deinit {
        let air = self.air
        self.thread.eventLoop.execute { air.value = nil }
    }

    /// A new device on this air; its managers call their delegates on their queues.
    public func makeAdapter(configuration: BluetoothAdapter.Configuration = .init()) -> BluetoothAdapter {
        self.makeAdapter(configuration: configuration, storage: MemoryStorage())
    }

    /// A new device on this air, with a given storage for its state.
    package func makeAdapter(
        configuration: BluetoothAdapter.Configuration = .init(),
        storage: any StateStorage
    ) -> BluetoothAdapter {
        let address =
            configuration.identity == nil
            ? self.generator.withLockedValue { DeviceAddress.randomStatic(using: &$0) } : configuration.addressOnAir
        let air = self.air
        return BluetoothAdapter(
            eventLoop: self.thread.eventLoop,
            configuration: configuration,
            callbacks: .onQueues,
            identities: IdentityStore(),
            storageChoice: .storage(storage),
            retained: self
        ) {
            guard let air = air.value else { return AdapterComponents(refused: "the air is gone") }
            return AdapterComponents(air: air, configuration, address: address)
        }
    }
}
