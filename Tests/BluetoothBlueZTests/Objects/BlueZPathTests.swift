import Testing

@testable import BluetoothBlueZ

struct BlueZPathTests {
    @Test(
        "finds handles in paths of attributes alone",
        arguments: [
            ("/d/service000a", 0x000A), ("/d/serviceFFFF", 0xFFFF), ("/d/service0000", nil), ("/d/service00a", nil),
            ("/d/service000g", nil), ("/d/service+00a", nil), ("/d/char000a", nil), ("/dservice000a", nil), ("/d", nil),
            ("/d/", nil), ("", nil), ("/d/service000a/x", nil), ("/d/service\u{FF10}00a", nil),
        ] as [(String, UInt16?)]
    )
    func handles(path: String, handle: UInt16?) {
        #expect(BlueZ.handle(path, below: "/d", "service") == handle)
    }

    @Test(
        "finds the number of an adapter",
        arguments: [
            ("/org/bluez/hci0", 0), ("/org/bluez/hci12", 12), ("/org/bluez/hci", nil), ("/org/bluez/hci+1", nil),
            ("/org/bluez/hci0/dev_1", nil), ("/org/bluez", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func adapters(path: String, index: Int?) { #expect(BlueZ.adapterIndex(path) == index) }
}
