import Testing

@testable import BluetoothBlueZ

struct BlueZBondsTests {
    @Test("lists paired devices of adapters alone")
    func list() throws {
        let adapter: ObjectTree.Properties = ["Address": .string("00:AA:01:00:00:00")]
        let paired = device(["Paired": .boolean(true), "Name": .string("Ball")])
        let tree = ObjectTree([
            "/org/bluez/hci1": [BlueZ.adapter: adapter],
            "/org/bluez/hci1/dev_1": [BlueZ.device: paired],
            "/org/bluez/hci1/dev_2": [BlueZ.device: device()],
            "/org/bluez/hci2/dev_1": [BlueZ.device: paired],
            "/org/bluez/hci1/dev_3": [BlueZ.device: ["Paired": .boolean(true)]],
        ])
        let bond = try #require(BlueZBonds.bonds(in: tree).first)
        #expect(BlueZBonds.bonds(in: tree).count == 1)
        #expect(bond.index == 1 && bond.name == "Ball" && bond.peer.description == "C0:11:22:33:44:55")
    }
}
