// The program of the page "Serve an air on a socket", which is BluetoothAirService.docc/ServeAnAir.md.

import BluetoothAir
import BluetoothAirService
import BluetoothTransport
import Logging
import NIOCore

/// An air that other processes join; used on its loop.
final class ServedAir {
    private let server: AirServer

    private init(_ server: AirServer, _ report: @escaping (AirServerEvent) -> Void) {
        self.server = server
        server.observer = report
    }

    /// Starts serving at `address`; `eventLoop` is one of SwiftNIO's socket loops, and `report` is called there.
    static func start(
        at address: StreamAddress,
        on eventLoop: any EventLoop,
        report: @escaping @Sendable (AirServerEvent) -> Void
    ) -> EventLoopFuture<NIOLoopBound<ServedAir>> {
        eventLoop.flatSubmit {
            let air = Air(eventLoop: eventLoop, settings: .realistic, seed: 7)
            return AirServer.serve(air, at: address, logger: Logger(label: "air")).assumeIsolated()
                .map { NIOLoopBound(ServedAir($0, report), eventLoop: eventLoop) }
                .nonisolated()
        }
    }

    /// Ends the air: every client is disconnected, and the socket goes.
    func close() { self.server.close() }
}
