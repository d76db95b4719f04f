// Arguments that several commands have: adapters, places to listen, and UUIDs.

import BluetoothTransport
import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("Arguments of several commands")
struct ArgumentsTests {
    @Test("An adapter has a name; none is the user's own air")
    func adapters() throws {
        #expect(try Arguments.adapter("") == .userAir)
        #expect(try Arguments.adapter("air") == .userAir)
        #expect(try Arguments.adapter("hci3") == .linux(index: 3))
        #expect(try Arguments.adapter("air:/run/a") == .air(.unix(path: "/run/a")))
        for name in ["hci", "hcix", "usb0", "air:", " "] {
            #expect(throws: (any Error).self, "\(name)") { _ = try Arguments.adapter(name) }
        }
    }

    @Test("Where no adapter is named it is that of the environment, where that names one")
    func environment() async throws {
        for (variable, name) in [
            (nil, "air"), ("", "air"), ("air", "air"), ("hci3", "hci3"), ("air:/run/a", "air:/run/a"), ("usb0", "none"),
        ] as [(String?, String)] {
            let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
                [variable = variable as String?] in
                unsetenv("COREBLUETOOTH_ADAPTER")
                if let variable { setenv("COREBLUETOOTH_ADAPTER", variable, 1) }
                for given in [nil, "hci1"] as [String?] {
                    do {
                        let adapter = try Arguments.adapter(given)
                        Console.print("\(adapter)")
                    } catch {
                        Console.print("none")
                    }
                }
                exit(0)
            }
            let lines = try #require(result).lines
            #expect(lines == [name, "hci1"], "\(variable ?? "-")")
        }
    }

    @Test("A place to listen is a path or a port, of which 0 is any free one")
    func addresses() throws {
        #expect(try Arguments.listeningAddress("unix:/run/a") == .unix(path: "/run/a"))
        #expect(try Arguments.listeningAddress("tcp:127.0.0.1:0") == .tcp(host: "127.0.0.1", port: 0))
        #expect(try Arguments.listeningAddress("tcp:127.0.0.1:9101") == .tcp(host: "127.0.0.1", port: 9101))
        for text in ["", "/run/a", "tcp:127.0.0.1", "unix:", "tcp:127.0.0.1:65536"] {
            #expect(throws: (any Error).self, "\(text)") { _ = try Arguments.listeningAddress(text) }
        }
    }

    @Test("A UUID has 4, 8 or 36 characters, or is an assigned name")
    func uuids() throws {
        for text in ["180D", "180d", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"] {
            let uuid = try Arguments.uuid(text)
            #expect(uuid.uuidString == text.uppercased())
        }
        for (name, text) in [("Heart Rate", "180D"), ("Battery Level", "2A19"), ("Temperature", "2A6E")] {
            #expect(try Arguments.uuid(name).uuidString == text)
        }
        for text in ["", "180", "180G", "Nothing of this name", "6E400001-B5A3-F393-E0A9"] {
            #expect(throws: (any Error).self, "\(text)") { _ = try Arguments.uuid(text) }
        }
    }
}
