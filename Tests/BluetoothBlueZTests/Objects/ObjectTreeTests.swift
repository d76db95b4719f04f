import NIOCore
import Testing

@testable import BluetoothBlueZ

struct ObjectTreeTests {
    private let path = "/org/bluez/hci0/dev_1"

    @Test("keeps BlueZ's interfaces of BlueZ's objects alone")
    func keepsBlueZ() {
        let tree = ObjectTree([
            self.path: [BlueZ.device: device(), "org.example.Other": [:]], "/org/example": [BlueZ.device: device()],
        ])
        #expect(tree.objects.keys.sorted() == [self.path])
        #expect(tree.properties(self.path, "org.example.Other") == nil)
    }

    @Test("adds, changes, invalidates and removes")
    func changes() throws {
        var tree = ObjectTree()
        #expect(tree.added([.path(self.path), interfaces([BlueZ.device: device(["RSSI": .int16(-50)])])]) == self.path)
        let change = tree.changed(
            self.path,
            [.string(BlueZ.device), .properties(["Connected": .boolean(true)]), .strings(["RSSI"])]
        )
        #expect(change?.properties == ["Connected": .boolean(true)])
        #expect(tree.properties(self.path, BlueZ.device)?["Connected"] == .boolean(true))
        #expect(tree.properties(self.path, BlueZ.device)?["RSSI"] == nil)
        #expect(tree.removed([.path(self.path), .strings([BlueZ.device])]) == self.path)
        #expect(tree.objects.isEmpty)
    }

    @Test("ignores arguments of wrong types")
    func wrongTypes() {
        var tree = ObjectTree([self.path: [BlueZ.device: device()]])
        let before = tree.objects
        for arguments: [BusValue] in [
            [], [.string(self.path)], [.path(self.path)], [.uint32(1), .uint32(2)], [.path(self.path), .boolean(true)],
        ] {
            tree.added(arguments)
            tree.removed(arguments)
            _ = tree.changed(self.path, arguments)
        }
        #expect(tree.objects == before)
    }

    @Test(
        "leaves out huge values",
        arguments: [
            BusValue.string(String(repeating: "a", count: 5_000)), .bytes(ByteBuffer(repeating: 0, count: 5_000)),
            .strings(Array(repeating: "a", count: 5_000)),
            .properties(["a": .bytes(ByteBuffer(repeating: 0, count: 5_000))]),
        ]
    )
    func hugeValues(value: BusValue) {
        let tree = ObjectTree([self.path: [BlueZ.device: device(["Name": value])]])
        #expect(tree.properties(self.path, BlueZ.device)?.keys.sorted() == ["Address", "AddressType"])
    }

    @Test("takes no more objects than the limit")
    func objectLimit() {
        var tree = ObjectTree()
        for number in 0..<ObjectTree.objectLimit + 10 {
            tree.added([.path("/org/bluez/hci0/dev_\(number)"), interfaces([BlueZ.device: device()])])
        }
        #expect(tree.objects.count == ObjectTree.objectLimit)
    }

    @Test("keeps no values of attributes")
    func attributeValues() {
        let path = self.path + "/service0001/char0002"
        var tree = ObjectTree([path: [BlueZ.characteristic: ["Value": .bytes(ByteBuffer(string: "a"))]]])
        let value: ObjectTree.Properties = ["Value": .bytes(ByteBuffer(string: "b"))]
        let change = tree.changed(path, [.string(BlueZ.characteristic), .properties(value), .strings([])])
        #expect(change?.properties == value)
        #expect(tree.properties(path, BlueZ.characteristic)?.isEmpty == true)
    }
}
