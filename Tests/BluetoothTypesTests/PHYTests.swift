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

    @Test("names")
    func names() {
        #expect(
            [PHY.le1M, .le2M, .leCoded, PHY(rawValue: 7)].map(\.description) == ["1M", "2M", "Coded", "PHY(7)"]
        )
    }

    @Test("every set and every number")
    func walk() {
        for number in UInt8.min...UInt8.max {
            let (set, phy) = (PHYSet(rawValue: number), PHY(rawValue: number))
            let contained = (UInt8(0)...9).map { set.contains(PHY(rawValue: $0)) }
            RunRecord.note("\(number) \(phy) \(PHYSet(phy).rawValue) \(set) \(set.phys) \(contained)")
            #expect(set.phys.allSatisfy(set.contains) && set.phys.count <= 3)
        }
    }
}
