// From an adapter's name to an adapter.

import BluetoothHCI
import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import NIOCore
import NIOPosix

/// What a name asks for.
enum AdapterChoice {
    /// One line says why there will be none.
    case refused(String)
}

extension BluetoothAdapter {
    /// The adapter that was chosen, on an event loop of its own.
    convenience init(_ choice: AdapterChoice, configuration: Configuration) {
        let thread = EventLoopThread()
        self.init(
            eventLoop: thread.eventLoop,
            configuration: configuration.hostConfiguration(address: nil),
            callbacks: .onQueues,
            identities: IdentityStore(),
            keepsIdentities: true,
            captureFile: configuration.captureFile,
            foundation: thread
        ) {
            switch choice {
            case .refused(let reason): RefusedSource(reason)
            }
        }
    }
}

extension AdapterChoice {
    init(_ name: String) throws(BluetoothAdapterError) {
        throw BluetoothAdapterError("\(name) cannot be opened yet")
    }
}

/// A source for an adapter that cannot be.
final class RefusedSource: ChannelSource {
    private let reason: String

    init(_ reason: String) { self.reason = reason }

    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
        completion(.failure(ChannelFailure(reason: self.reason, isFinal: true)))
    }

    func close() {}
}
