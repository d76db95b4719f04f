// The program of the page of BluetoothHost at work, on a socket.

import BluetoothAir
import BluetoothAirService
import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import Fixtures
import Logging
import NIOCore
import NIOPosix
import Testing

@Suite("Pages of BluetoothHost")
struct BluetoothHostPagesTests {
    /// An air on a socket, with a device that advertises.
    private final class Served: LEHostDelegate {
        private let server: AirServer
        private let advertiser: LEHost
        private let report: AdvertisingParameters

        init(_ air: Air, _ server: AirServer, _ report: AdvertisingParameters) {
            self.server = server
            self.report = report
            self.advertiser = LEHost(
                eventLoop: air.eventLoop,
                configuration: LEHostConfiguration(address: BluetoothHostPagesTests.address)
            )
            self.advertiser.delegate = self
            self.advertiser.attach(to: air.makeController())
        }

        func host(_ host: LEHost, didChange state: LEHostState) {
            if case .ready = state { host.startAdvertising(self.report) { _ in } }
        }

        func end() {
            self.advertiser.detach()
            self.server.close()
        }
    }

    private static let address = DeviceAddress(0xC011_2233_4455, kind: .random)

    @Test("finds a device")
    func findsADevice() async throws {
        let folder = try TemporaryFolder()
        let address = StreamAddress.unix(path: folder("air"))
        var data = AdvertisingData()
        data.appendServiceUUIDs([0x180D])
        let request = AdvertisingParameters(data: data.bytes)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let served = try await loop.flatSubmit {
            let air = Air(eventLoop: loop, settings: .instant, seed: 1)
            return AirServer.serve(air, at: address, logger: Logger(label: "test")).assumeIsolated()
                .map { NIOLoopBound(Served(air, $0, request), eventLoop: loop) }
                .nonisolated()
        }.get()
        let report = try await DeviceFinder.find(0x180D, with: address, on: loop).get()
        #expect(report.address == Self.address)
        #expect(report.isConnectable)
        #expect(report.rssi != nil)
        try await loop.submit { served.value.end() }.get()
        await #expect(throws: TransportError.self) {
            try await DeviceFinder.find(0x180D, with: address, on: loop).get()
        }
    }
}
