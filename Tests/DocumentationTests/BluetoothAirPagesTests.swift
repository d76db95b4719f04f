// The program of the page of BluetoothAir at work.

import Testing

@Suite("Page of BluetoothAir")
struct BluetoothAirPagesTests {
    @Test("lets two hosts meet on an air")
    func twoHosts() {
        let reports = reportsAcrossTenMetres()
        #expect((9...10).contains(reports.count))
        #expect(Set(reports.map(\.address)).count == 1)
        #expect(reports.allSatisfy { $0.rssi == -65 })
    }
}
