// Advertisers whose packets hold nothing, and that cannot be connected to: what their scan responses say is heard.

import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("4.3 Packets without data")
struct EmptyAdvertisersTests {
    private func report(
        _ data: ByteBuffer,
        isScannable: Bool = true,
        isScanResponse: Bool = false
    ) -> AdvertisingReport {
        AdvertisingReport(
            address: DeviceAddress(0xC000_0000_0001, kind: .random),
            isConnectable: false,
            isScannable: isScannable,
            isScanResponse: isScanResponse,
            data: data,
            rssi: -50
        )
    }

    /// The names of what is reported to a scan of everything.
    private func names(_ reports: [AdvertisingReport]) -> [String?] {
        var scanning = DiscoveryReports(identities: IdentityStore(randomness: .seeded(1)))
        let scan = Scan(session: 1, number: 1, filter: ScanFilter())
        var names: [String?] = []
        for (index, report) in reports.enumerated() {
            scanning.receive(report, for: [scan], now: .uptimeNanoseconds(UInt64(index)), timestamp: 0) {
                _,
                discovery in
                names.append(discovery.peer.name)
                #expect(!discovery.advertisement.isConnectable)
            }
        }
        return names
    }

    @Test("4.3 the scan response of a device whose packet is empty and that cannot be connected to is taken")
    func scanResponse() {
        var data = AdvertisingData()
        data.appendLocalName("Crystal")
        let response = self.report(data.bytes, isScannable: false, isScanResponse: true)
        let empty = self.report(ByteBuffer())
        #expect(self.names([empty, response]) == ["Crystal"])
        #expect(self.names([empty, response, empty, response]) == ["Crystal"])
        // Without its packet it says nothing.
        #expect(self.names([response]) == [])
    }

    @Test("4.3 a device whose packet is empty and has no scan response is reported once")
    func nothing() {
        let beacon = self.report(ByteBuffer(), isScannable: false)
        #expect(self.names([beacon, beacon]) == [nil])
        // A response that was lost is waited for until the next packet.
        let empty = self.report(ByteBuffer())
        #expect(self.names([empty]) == [])
        #expect(self.names([empty, empty, empty]) == [nil])
    }
}
