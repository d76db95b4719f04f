// What the program of the page of BluetoothAir does.

import Testing

@Suite("Page of BluetoothAir")
struct BluetoothAirPagesTests {
    @Test("Two hosts of your own on an air")
    func twoHosts() {
        let reports = reportsAcrossTenMetres()
        #expect((9...10).contains(reports.count))
        #expect(Set(reports.map(\.address)).count == 1)
        #expect(reports.allSatisfy { $0.rssi == -65 })
    }
}
