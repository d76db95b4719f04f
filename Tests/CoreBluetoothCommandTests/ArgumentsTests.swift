import ArgumentParser
import BluetoothTransport
import CoreBluetooth
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Arguments of several commands")
struct ArgumentsTests {
    @Test("takes an adapter by its name, and the user's own air without one")
    func adapters() throws {
        #expect(try Arguments.adapter("") == .userAir)
        #expect(try Arguments.adapter("air") == .userAir)
        #expect(try Arguments.adapter("hci3") == .linux(index: 3))
        #expect(try Arguments.adapter("air:/run/a") == .air(.unix(path: "/run/a")))
        for name in ["hci", "hcix", "usb0", "air:", " "] {
            #expect(throws: (any Error).self, "\(name)") { _ = try Arguments.adapter(name) }
        }
    }

    @Test("listens at a path or a port, of which 0 is any free one")
    func addresses() throws {
        #expect(try Arguments.listeningAddress("unix:/run/a") == .unix(path: "/run/a"))
        #expect(try Arguments.listeningAddress("tcp:127.0.0.1:0") == .tcp(host: "127.0.0.1", port: 0))
        #expect(try Arguments.listeningAddress("tcp:127.0.0.1:9101") == .tcp(host: "127.0.0.1", port: 9101))
        for text in ["", "/run/a", "tcp:127.0.0.1", "unix:", "tcp:127.0.0.1:65536"] {
            #expect(throws: (any Error).self, "\(text)") { _ = try Arguments.listeningAddress(text) }
        }
    }

    @Test("takes a UUID of 4, 8 or 36 characters, or an assigned name in any case")
    func uuids() throws {
        for text in ["180D", "180d", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"] {
            let uuid = try Arguments.uuid(text)
            #expect(uuid.uuidString == text.uppercased())
        }
        for (name, text) in [("Heart Rate", "180D"), ("battery level", "2A19"), ("Temperature", "2A6E")] {
            #expect(try Arguments.uuid(name).uuidString == text)
        }
        for text in ["", "180", "180G", "Nothing of this name", "Heart", "6E400001-B5A3-F393-E0A9"] {
            #expect(throws: (any Error).self, "\(text)") { _ = try Arguments.uuid(text) }
        }
    }

    @Test(
        "asks for the assigned name that is nearest to a word that is none, and says how UUIDs are written without one",
        arguments: [
            ("Presure", "\"Presure\" is no UUID and no assigned name; did you mean \"Pressure\"?"),
            ("hart rate", "\"hart rate\" is no UUID and no assigned name; did you mean \"Heart Rate\"?"),
            (
                "Qqqqqqqq",
                "\"Qqqqqqqq\" is no UUID: write 4 hexadecimal digits such as 180D, 36 characters, or a name such as "
                    + "\"Heart Rate\"."
            ),
        ]
    )
    func nearestNames(text: String, line: String) throws {
        let error = try #require(throws: ValidationError.self) { try Arguments.uuid(text) }
        #expect(error.message == line)
    }
}
