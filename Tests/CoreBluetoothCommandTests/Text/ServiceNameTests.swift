import CoreBluetooth
import Testing

@testable import CoreBluetoothCommand

@Suite("The name of a service")
struct ServiceNameTests {
    @Test(
        "is none of a characteristic, a descriptor or a declaration",
        arguments: [
            ("180D", "Heart Rate"), ("2A37", "2A37"), ("2C00", "2C00"), ("2902", "2902"), ("2800", "2800"),
        ]
    )
    func names(uuid: String, name: String) {
        #expect(UUIDText.name(ofService: CBUUID(string: uuid)) == name)
    }
}
