// The program of the page "Find a device", which is BluetoothHost.docc/FindADevice.md.

import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import NIOCore

/// Scans until a device advertises a service.
final class DeviceFinder: LEHostDelegate {
    private let host: LEHost
    private let service: BluetoothUUID
    private let found: EventLoopPromise<AdvertisingReport>

    private init(_ service: BluetoothUUID, on eventLoop: any EventLoop) {
        self.host = LEHost(eventLoop: eventLoop)
        self.service = service
        self.found = eventLoop.makePromise()
        self.host.delegate = self
    }

    /// The first advertisement of `service` that the controller behind `address` receives.
    static func find(
        _ service: BluetoothUUID,
        with address: StreamAddress,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<AdvertisingReport> {
        eventLoop.flatSubmit {
            H4Channel.connect(to: address, on: eventLoop).assumeIsolated().flatMap { channel in
                let finder = DeviceFinder(service, on: eventLoop)
                finder.host.attach(to: channel)
                return finder.found.futureResult.assumeIsolated()
                    .always { _ in withExtendedLifetime(finder) { finder.host.detach() } }
                    .nonisolated()
            }
            .nonisolated()
        }
    }

    func host(_ host: LEHost, didChange state: LEHostState) {
        switch state {
        case .ready: host.startScanning(ScanParameters(filtersDuplicates: true))
        case .failed(let reason), .unsupported(let reason): self.found.fail(TransportError(.closed, reason))
        case .detached, .starting: break
        }
    }

    func host(_ host: LEHost, didReceiveAdvertisement report: AdvertisingReport) {
        guard AdvertisingData(parsing: report.data).serviceUUIDs.contains(self.service) else { return }
        self.found.succeed(report)
    }
}
