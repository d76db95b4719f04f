import Fixtures
import Testing

@testable import BluetoothTransport

@Suite("Adapter names")
struct AdapterNameTests {
    @Test(
        "parses a valid name, and writes it the same way",
        arguments: [
            ("air", AdapterName.userAir),
            ("air:/run/room", .air(.unix(path: "/run/room"))),
            ("air:room", .air(.unix(path: "room"))),
            ("air:tcp:localhost:7000", .air(.tcp(host: "localhost", port: 7000))),
            ("air:tcp:[::1]:7000", .air(.tcp(host: "::1", port: 7000))),
            ("air:unix:tcp:x", .air(.unix(path: "tcp:x"))),
            ("h4:unix:/tmp/hci", .h4(.unix(path: "/tmp/hci"))),
            ("h4:unix:a:b", .h4(.unix(path: "a:b"))),
            ("h4:tcp:127.0.0.1:9101", .h4(.tcp(host: "127.0.0.1", port: 9101))),
            ("h4:tcp:a.example:65535", .h4(.tcp(host: "a.example", port: 65535))),
            ("h4:serial:/dev/ttyACM0@1000000", .serial(path: "/dev/ttyACM0", bitsPerSecond: 1_000_000)),
            ("h4:serial:/dev/by@id/x@115200", .serial(path: "/dev/by@id/x", bitsPerSecond: 115_200)),
            ("h4:serial:a@1", .serial(path: "a", bitsPerSecond: 1)),
            ("h4:serial:a@20000000", .serial(path: "a", bitsPerSecond: 20_000_000)),
            ("hci0", .linux(index: 0)),
            ("hci12", .linux(index: 12)),
            ("bluez", .bluez(index: nil)),
            ("bluez:hci1", .bluez(index: 1)),
        ]
    )
    func right(text: String, name: AdapterName) throws {
        #expect(try AdapterName(parsing: text) == name)
        #expect(name.description == text)
    }

    @Test("the longer form of an air's path has the same meaning")
    func longForm() throws {
        #expect(try AdapterName(parsing: "air:unix:/run/room") == AdapterName(parsing: "air:/run/room"))
    }

    @Test(
        "rejects a malformed name, with one line on the cause and the correct form",
        arguments: [
            ("", "is empty", "air:PATH"),
            ("Air", "names no adapter", "use air"),
            ("bluetooth0", "names no adapter", "hci0"),
            ("air ", "names no adapter", "use air"),
            ("air:", "lacks the place", "air:PATH"),
            ("air:unix:", "lacks the path", "write it"),
            ("air:tcp:localhost", "lacks the port", "tcp:HOST:PORT"),
            ("air:tcp::7000", "lacks the host", "tcp:HOST:PORT"),
            ("air:tcp:localhost:0", "from 1 to 65535", "tcp:HOST:PORT"),
            ("air:tcp:localhost:65536", "from 1 to 65535", "tcp:HOST:PORT"),
            ("air:tcp:localhost:+80", "from 1 to 65535", "tcp:HOST:PORT"),
            ("air:tcp:localhost:", "from 1 to 65535", "tcp:HOST:PORT"),
            ("air:tcp:::1:7000", "has colons", "[::1]"),
            ("air:/" + String(repeating: "x", count: 107), "at most 107", "shorter"),
            ("air:a\0b", "zero octet", "no file"),
            ("h4:", "does not say what carries", "h4:unix:PATH"),
            ("h4:/tmp/x", "does not say what carries", "h4:unix:PATH"),
            ("h4:unix:", "lacks the path", "write it"),
            ("h4:tcp:host", "lacks the port", "tcp:HOST:PORT"),
            ("h4:serial:/dev/ttyACM0", "lacks the speed", "@1000000"),
            ("h4:serial:@9600", "lacks the device", "/dev/ttyACM0@"),
            ("h4:serial:a\0b@9600", "lacks the device", "/dev/ttyACM0@"),
            ("h4:serial:/dev/ttyACM0@fast", "not a number", "@1000000"),
            ("h4:serial:/dev/ttyACM0@0", "not a number", "@1000000"),
            ("h4:serial:/dev/ttyACM0@99999999999999999999", "not a number", "@1000000"),
            ("h4:serial:/dev/ttyACM0@20000001", "not a number", "@1000000"),
            ("hci", "names no Linux adapter", "hci0"),
            ("hci-1", "names no Linux adapter", "hci0"),
            ("hciX", "names no Linux adapter", "hci0"),
            ("hci65535", "names no Linux adapter", "hci0"),
            ("bluez:", "names no adapter", "bluez:hci0"),
            ("bluez:hci", "names no Linux adapter", "hci0"),
            ("bluez:hci65535", "names no Linux adapter", "hci0"),
        ]
    )
    func wrong(text: String, cause: String, mend: String) throws {
        let error = try #require(throws: TransportError.self) { try AdapterName(parsing: text) }
        #expect(error.code == .badName)
        #expect(error.message.contains(cause), "\(error)")
        #expect(error.message.contains(mend), "\(error)")
        #expect(!error.message.contains("\n"))
    }

    @Test("accepts port 0 only for listening")
    func listening() throws {
        let address = try StreamAddress(parsing: "tcp:127.0.0.1:0", allowsAnyPort: true)
        #expect(address == .tcp(host: "127.0.0.1", port: 0))
        #expect(throws: TransportError.self) { try StreamAddress(parsing: "tcp:127.0.0.1:0") }
        #expect(try StreamAddress(parsing: "unix:/run/air") == .unix(path: "/run/air"))
        #expect(throws: TransportError.self) { try StreamAddress(parsing: "/run/air") }
    }
}
