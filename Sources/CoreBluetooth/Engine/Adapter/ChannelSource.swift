// Sources of an adapter's controller. A source opens a channel each time that one is needed: at the start, and after
// the last one has closed.

import BluetoothAir
import BluetoothAirService
import BluetoothBlueZ
package import BluetoothHCI
import BluetoothTransport
import NIOCore

/// Why no channel could be opened.
package struct ChannelFailure: Error {
    /// One line that names the cause and how to fix it.
    package var reason: String
    /// Whether another attempt would fail, too.
    package var isFinal: Bool
    /// What managers see meanwhile; `nil` for what follows from the rest.
    var managerState: CBManagerState?

    /// Creates a failure.
    package init(reason: String, isFinal: Bool) {
        self.reason = reason
        self.isFinal = isFinal
    }

    /// The failure behind an error of BlueZ's adapter.
    init(_ error: BlueZError) {
        self.init(reason: error.message, isFinal: error.kind == .unsupported)
        switch error.kind {
        case .unauthorized: self.managerState = .unauthorized
        case .poweredOff: self.managerState = .poweredOff
        case .unsupported, .absent: break
        }
    }

    /// The failure behind an error of the transport.
    init(_ error: any Error) {
        let error = error as? TransportError
        self.reason = error?.message ?? "the adapter cannot be opened"
        // A wrong name or a missing feature remains so; other failures may be temporary.
        self.isFinal = error?.code == .badName || error?.code == .unsupported
    }
}

/// Opens channels to a controller.
///
/// Lives on the adapter's event loop.
package protocol ChannelSource: AnyObject {
    /// Opens a channel; `completion` is called once, on the event loop.
    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void)

    /// Cancels a pending ``open(_:)``; the source is not used afterwards.
    func close()
}

/// A new virtual controller each time, on an air of this process.
final class AirSource: ChannelSource {
    private let air: Air
    private let location: AirLocation?

    init(air: Air, location: AirLocation?) {
        self.air = air
        self.location = location
    }

    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
        let controller = self.air.makeController()
        if let location { controller.location = location }
        completion(.success(controller))
    }

    func close() {}
}

/// The controller that an adapter's name denotes, behind a socket or on the user's air.
final class NamedSource: ChannelSource {
    private let source: ControllerSource

    init(_ source: ControllerSource) { self.source = source }

    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
        self.source.open().assumeIsolated().whenComplete { result in
            completion(result.mapError { ChannelFailure($0) })
        }
    }

    func close() { self.source.close() }
}

/// The adapter that BlueZ has.
final class BlueZChannelSource: ChannelSource {
    private let source: BlueZSource

    init(_ source: BlueZSource) { self.source = source }

    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
        self.source.open { completion($0.mapError { ChannelFailure($0) }) }
    }

    func close() { self.source.close() }
}

/// No controller, ever.
final class RefusedSource: ChannelSource {
    private let reason: String

    init(_ reason: String) { self.reason = reason }

    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
        completion(.failure(ChannelFailure(reason: self.reason, isFinal: true)))
    }

    func close() {}
}

/// Lets a recorder see what passes through the channels of another source.
final class CapturingSource: ChannelSource {
    private let source: any ChannelSource
    private let recorder: any PacketRecorder
    private let end: () -> Void

    /// Records the channels of a source; `end` is called when the source is closed.
    init(_ source: any ChannelSource, into recorder: any PacketRecorder, end: @escaping () -> Void = {}) {
        self.source = source
        self.recorder = recorder
        self.end = end
    }

    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
        self.source.open { result in
            completion(result.map { CapturingChannel($0, into: self.recorder) })
        }
    }

    func close() {
        self.source.close()
        self.end()
    }
}
