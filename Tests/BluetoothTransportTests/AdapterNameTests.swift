import Fixtures
import Testing

@testable import BluetoothTransport

@Suite("Adapter names")
struct AdapterNameTests {
    @Test(
        "A right name is read, and written the same way",
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
        ]
    )
    func right(text: String, name: AdapterName) throws {
        #expect(try AdapterName(parsing: text) == name)
        #expect(name.description == text)
        #expect(name.isOnAir == text.hasPrefix("air"))
    }

    @Test("The longer form of an air's path means the same")
    func longForm() throws {
        #expect(try AdapterName(parsing: "air:unix:/run/room") == AdapterName(parsing: "air:/run/room"))
    }

    @Test(
        "A wrong name gets one line with the cause and the right form",
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
        ]
    )
    func wrong(text: String, cause: String, mend: String) throws {
        let error = try #require(throws: TransportError.self) { try AdapterName(parsing: text) }
        #expect(error.code == .badName)
        #expect(error.message.contains(cause), "\(error)")
        #expect(error.message.contains(mend), "\(error)")
        #expect(!error.message.contains("\n"))
    }

    @Test("A place to listen at may leave the port open, one to connect to may not")
    func listening() throws {
        let address = try StreamAddress(parsing: "tcp:127.0.0.1:0", allowsAnyPort: true)
        #expect(address == .tcp(host: "127.0.0.1", port: 0))
        #expect(throws: TransportError.self) { try StreamAddress(parsing: "tcp:127.0.0.1:0") }
        #expect(try StreamAddress(parsing: "unix:/run/air") == .unix(path: "/run/air"))
        #expect(throws: TransportError.self) { try StreamAddress(parsing: "/run/air") }
    }

    /// Places and what is like them: hosts with and without brackets, ports at their limits, paths, lengths.
    private static let places: [String] = {
        let hosts = [
            "", "localhost", "127.0.0.1", "::1", "[::1]", "[::1", "::1]", "[]", "[a]", "a b", "a\tb", "\0", "a\0",
            "a:b",
            "[[::1]]",
        ]
        let ports = ["", "0", "1", "00080", "65535", "65536", "-1", "+80", "8o", "99999999999999999999", " 80", "٣"]
        let tcp = hosts.flatMap { host in ports.map { "tcp:\(host):\($0)" } + ["tcp:\(host)"] }
        let lengths = [105, 106, 107, 108, 109].map { String(repeating: "x", count: $0) }
        let wide = [53, 54].map { String(repeating: "é", count: $0) }
        let paths = ["", "/", "a", "a:b", "a\0b", "\0", "tcp:", "tcp:a", "unix:", "unix:a", "a@b"] + lengths + wide
        let devices = ["", "/dev/ttyACM0", "a@b", "a\0", "\0", "@"]
        let speeds = [
            "", "0", "1", "9600", "19999999", "20000000", "20000001", "-1", "+1", "1e6", "99999999999999999999",
        ]
        let serial = devices.flatMap { device in speeds.map { "serial:\(device)@\($0)" } + ["serial:\(device)"] }
        return tcp + paths + paths.map { "unix:\($0)" } + serial
    }()

    @Test("Every place behind every name, and the error of those that are none")
    func walk() {
        let numbers = ["", "0", "00", "1", "12", "65534", "65535", "65536", "-1", "+1", "x", " 1", "1 ", "٣"]
        var names = ["", "air", "Air", "h4", "hci", "HCI0", " hci0", "serial:a@1"] + numbers.map { "hci\($0)" }
        for place in Self.places { names += ["air:\(place)", "h4:\(place)", place] }
        for text in names {
            let name = Result { try AdapterName(parsing: text) }
            RunRecord.note("[\(text)] is \(name.map { "\($0) \($0.isOnAir)" })")
            switch name {
            case .success(let name): #expect((try? AdapterName(parsing: name.description)) == name, "\(text)")
            case .failure(let error): #expect((error as? TransportError)?.code == .badName)
            }
        }
        for place in Self.places {
            for allowsAnyPort in [false, true] {
                let address = Result { try StreamAddress(parsing: place, allowsAnyPort: allowsAnyPort) }
                RunRecord.note("\(allowsAnyPort) [\(place)] is \(address)")
            }
            RunRecord.note("[\(place)] \(StreamAddress.unix(path: place).lengthError?.message ?? "fits")")
        }
    }
}
