import BluetoothTypes
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Handle table")
struct RemoteAttributesTests {
    @Test("a table does what a dictionary does")
    func dictionary() {
        var generator = SeededGenerator(seed: 3)
        var table = HandleTable<Int>()
        var model: [UInt16: Int] = [:]
        for step in 0..<3000 {
            let handle = UInt16.random(in: 1...200, using: &generator)
            switch Int.random(in: 0...5, using: &generator) {
            case 0:
                table[handle] = nil
                model[handle] = nil
            case 1:
                let range = handle...min(handle + UInt16.random(in: 0...9, using: &generator), .max)
                let removed = table.remove(in: range)
                #expect(removed == model.filter { range.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value))
                model = model.filter { !range.contains($0.key) }
            default:
                table[handle] = step
                model[handle] = step
            }
            #expect(table[handle] == model[handle])
        }
        #expect(Array(table.all) == model.sorted { $0.key < $1.key }.map(\.value))
        #expect(HandleTable<Int>()[1] == nil)
    }
}
