// Where an adapter's controller comes from. A source is asked each time that a channel is needed: at the start, and after
// the last one has closed.

import BluetoothAir
import BluetoothHCI
import NIOCore

/// Why no channel could be opened.
struct ChannelFailure: Error {
    /// One line that names the cause and what mends it.
    var reason: String
    /// Whether trying again is of no use.
    var isFinal: Bool
}

/// What opens channels to a controller.
///
/// Lives on the adapter's event loop.
protocol ChannelSource: AnyObject {
    /// Opens a channel; `completion` is called once, on the event loop.
    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void)

    /// Gives up what ``open(_:)`` may still be doing; nothing is asked any more.
    func close()
}

/// A new virtual controller each time, on an air of this process.
final class AirSource: ChannelSource {
    private let air: Air

    init(air: Air) { self.air = air }

    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
        completion(.success(self.air.makeController()))
    }

    func close() {}
}
