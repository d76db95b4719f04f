import Fixtures
import Testing

@testable import BluetoothTypes

@Suite("PHY")
struct PHYTests {
    @Test("a set of PHYs has a bit for each")
    func sets() {
        #expect(PHYSet(.leCoded).rawValue == 4)
        #expect(PHYSet(PHY(rawValue: 0)).isEmpty)
        #expect(PHYSet(PHY(rawValue: 9)).isEmpty)
        let set: PHYSet = [.le1M, .leCoded]
        #expect(set.contains(PHY.leCoded))
        #expect(!set.contains(PHY.le2M))
        #expect(!set.contains(PHY(rawValue: 0)))
        #expect(set.phys == [.le1M, .leCoded])
        #expect(set.description == "1M+Coded")
        #expect(PHYSet().description == "none")
    }

    @Test("PHYs have names")
    func names() {
        #expect(
            [PHY.le1M, .le2M, .leCoded, PHY(rawValue: 7)].map(\.description) == ["1M", "2M", "Coded", "PHY(7)"]
        )
    }
}
