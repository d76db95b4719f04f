import Fixtures
import Testing

@testable import CoreBluetooth

@Suite("Tables sorted by their keys")
struct SortedTableSimulationTests {
    @Test("does what a dictionary does", arguments: simulationSeeds(5))
    func run(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var table = HandleTable<Int>()
        var model: [UInt16: Int] = [:]
        for step in 0..<1_000 {
            let handle = UInt16(1 + choices.below(60))
            switch choices.below(6) {
            case 0:
                table[handle] = nil
                model[handle] = nil
            case 1:
                let range = handle...handle + UInt16(choices.below(6))
                let removed = table.remove(in: range)
                #expect(removed == model.filter { range.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value))
                model = model.filter { !range.contains($0.key) }
            case 2:
                table[handle, default: 0] += 1
                model[handle, default: 0] += 1
            default:
                table[handle] = step
                model[handle] = step
            }
            var found: Int?
            table.withObject(of: handle) { found = $0 }
            #expect(table[handle] == model[handle] && found == model[handle])
            #expect(Array(table.keys) == model.keys.sorted())
        }
        #expect(Array(table.all) == model.sorted { $0.key < $1.key }.map(\.value))
    }
}
