// The requests and answers of one link, as reads, writes and discoveries.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ServerTransactions")
struct ServerTransactionsTests {
    /// A conversation; PDUs of the client begin with `>`, those of the server with `<`. Each takes a microsecond.
    /// `link` begins another link with the server.
    private static func database(after lines: [String]) -> ObservedDatabase {
        var database = ObservedDatabase()
        var transactions = ServerTransactions()
        transactions.linkNumber = 1
        for (time, line) in lines.enumerated() {
            guard line != "link" else {
                transactions = ServerTransactions()
                transactions.linkNumber = 2
                continue
            }
            let pdu = hex(String(line.dropFirst()))
            transactions.receive(
                pdu,
                ATTOpcode(rawValue: pdu.getInteger(at: pdu.readerIndex) ?? 0),
                isFromPeripheral: line.first == "<",
                at: Int64(time),
                into: &database
            )
        }
        return database
    }

    /// The reads, writes and sent values.
    private static func events(_ lines: String...) -> [String] { self.events(lines) }

    private static func events(_ lines: [String]) -> [String] {
        Self.database(after: lines).events.map { event in
            switch event.kind {
            case .read(.success(let value)): "\(event.handle) read \(value.hex)"
            case .read(.failure(let error)): "\(event.handle) not read \(error.rawValue.hexDigits)"
            case .write(let value, .command): "\(event.handle) command \(value.hex) at \(event.time)"
            case .write(let value, .taken): "\(event.handle) taken \(value.hex) at \(event.answered ?? -1)"
            case .write(let value, .refused(let error)):
                "\(event.handle) refused \(value.hex) \(error.rawValue.hexDigits)"
            case .write(let value, .unanswered): "\(event.handle) unanswered \(value.hex)"
            case .sent(let value): "\(event.handle) sent \(value.hex) at \(event.time)"
            }
        }
    }

    @Test("records write commands, plain and signed, without an answer")
    func commands() {
        #expect(Self.events("> 52 03 00 AA BB") == ["3 command AA BB at 0"])
        let signature = String(repeating: "00", count: 12)
        #expect(Self.events("> D2 03 00 AA" + signature) == ["3 command AA at 0"])
    }

    @Test("records the answer of a write, and not a value that is sent meanwhile")
    func writes() {
        #expect(Self.events("> 12 03 00 AA", "< 1B 05 00 01", "< 13") == ["3 taken AA at 2", "5 sent 01 at 1"])
        #expect(Self.events("> 12 03 00 AA", "< 01 12 03 00 03") == ["3 refused AA 03"])
        #expect(Self.events("> 12 03 00 AA") == ["3 unanswered AA"])
    }

    @Test("joins consecutive prepared parts of one value, and answers all values together")
    func preparedParts() {
        let (first, last) = (["> 16 03 00 00 00 AA", "< 17 03 00 00 00 AA"], ["> 18 01", "< 19"])
        func events(_ part: String) -> [String] { Self.events(first + ["> 16 " + part, "< 17 " + part] + last) }
        #expect(events("03 00 01 00 BB") == ["3 taken AA BB at 5"])
        #expect(events("03 00 02 00 BB") == ["3 taken AA at 5"])
        #expect(events("05 00 01 00 BB") == ["3 taken AA at 5"])
        #expect(events("05 00 00 00 BB") == ["3 taken AA at 5", "5 taken BB at 5"])
    }

    @Test("records values that the server sends, not those of the client's own server")
    func sent() {
        #expect(Self.events("< 1B 05 00 01", "< 1D 05 00 02") == ["5 sent 01 at 0", "5 sent 02 at 1"])
        #expect(Self.events("< 23 03 00 01 00 AA 05 00 02 00 BB CC") == ["3 sent AA at 0", "5 sent BB CC at 0"])
        #expect(Self.events("> 1B 05 00 01", "< 0A 03 00", "> 0B 01", "< 12 03 00 01", "< 52 03 00 01") == [])
    }

    @Test(
        "takes a request for answered as far as its response reaches, or for its whole range if nothing is found",
        arguments: [
            ("> 08 01 00 0A 00 03 28", "< 09 07 02 00 02 03 00 01 2A", [.characteristics: [1...2]]),
            ("> 08 05 00 0A 00 03 28", "< 09 07 05 00 02 06 00 01 2A", [.characteristics: [5...5]]),
            ("> 08 05 00 0A 00 03 28", "< 09 07 02 00 02 03 00 01 2A", [:]),
            ("> 08 01 00 0A 00 03 28", "< 01 08 01 00 0A", [.characteristics: [1...10]]),
            ("> 08 01 00 0A 00 03 28", "< 01 08 01 00 0E", [:]), ("> 08 01 00 0A 00 02 28", "< 01 08 01 00 0A", [:]),
            ("> 08 01 00 0A 00 01 2A", "< 09 03 02 00 02", [:]), ("> 08 0A 00 01 00 03 28", "< 01 08 0A 00 0A", [:]),
            ("> 08 01 00 0A 00 03 28", "< 0B 01", [:]),
            ("> 04 04 00 06 00", "< 05 01 04 00 02 29", [.descriptors: [4...4]]),
            ("> 04 05 00 06 00", "< 05 01 04 00 02 29", [:]),
            ("> 04 04 00 06 00", "< 01 04 04 00 0A", [.descriptors: [4...6]]),
            ("> 04 04 00 06 00", "< 01 04 04 00 0E", [:]), ("> 04 06 00 04 00", "< 01 04 06 00 0A", [:]),
            ("> 04 04 00 04 00", "< 01 04 04 00 0A", [.descriptors: [4...4]]),
        ] as [(String, String, [ObservedDatabase.Question: [AttributeHandleRange]])]
    )
    func questions(request: String, answer: String, questions: [ObservedDatabase.Question: [AttributeHandleRange]]) {
        let database = Self.database(after: [request, answer])
        #expect(database.questions == questions && !database.wasListed)
    }

    @Test("lists services for a request for all, and finds one for a request for one")
    func services() {
        let listed = Self.database(after: ["> 10 01 00 FF FF 00 28", "< 11 06 01 00 03 00 0D 18"])
        #expect(listed.wasListed && listed.services[1]?.end == 3)
        let found = Self.database(after: ["> 06 01 00 FF FF 00 28 0D 18", "< 07 01 00 03 00"])
        #expect(!found.wasListed && found.services[1]?.uuid == 0x180D && found.services[1]?.isPrimary == true)
        // A list that ends before the requested range.
        #expect(!Self.database(after: ["> 10 05 00 FF FF 00 28", "< 11 06 01 00 03 00 0D 18"]).wasListed)
        #expect(Self.database(after: ["> 10 05 00 FF FF 00 28", "< 11 06 01 00 05 00 0D 18"]).wasListed)
        // A range whose end is before its beginning, and a type that is not a service's.
        #expect(Self.database(after: ["> 10 01 00 FF FF 00 28", "< 11 06 03 00 01 00 0D 18"]).services.isEmpty)
        #expect(Self.database(after: ["> 10 01 00 FF FF 03 28", "< 11 06 01 00 03 00 0D 18"]).services.isEmpty)
        #expect(Self.database(after: ["> 10 01 00 FF FF 00 28", "< 11 06 00 00 03 00 0D 18"]).services.isEmpty)
        let secondary = Self.database(after: ["> 10 01 00 FF FF 01 28", "< 11 06 03 00 03 00 0D 18"])
        #expect(secondary.services[3]?.isPrimary == false)
    }

    @Test("separates several values if all lengths but the last are known")
    func readMultiple() {
        #expect(
            Self.events("> 0A 03 00", "< 0B 01 02", "> 0E 03 00 05 00", "< 0F 03 04 05 06 07")
                == ["3 read 01 02", "3 read 03 04", "5 read 05 06 07"]
        )
        #expect(
            Self.events("> 0A 03 00", "< 0B 01", "> 0C 03 00 01 00", "< 0D 02", "> 0E 03 00 05 00", "< 0F 07 08 09")
                == ["3 read 01 02", "3 read 07 08", "5 read 09"]
        )
        #expect(
            Self.events("> 0A 03 00", "< 0B 01 01", "> 0E 03 00 05 00 07 00", "< 0F 07 08 09")
                == ["3 read 01 01", "3 read 07 08"]
        )
        // One that is truncated, and one after a value of unknown length.
        #expect(Self.events("> 0A 03 00", "< 0B 01 01", "> 0E 03 00 05 00", "< 0F 07") == ["3 read 01 01"])
        #expect(Self.events("> 0E 03 00 05 00", "< 0F 03 04 05") == [])
    }

    @Test("records several values with their lengths, except a truncated one")
    func readMultipleVariable() {
        #expect(
            Self.events("> 20 03 00 05 00", "< 21 02 00 01 02 01 00 03") == ["3 read 01 02", "5 read 03"]
        )
        #expect(Self.events("> 20 03 00 05 00", "< 21 02 00 01 02 04 00 03") == ["3 read 01 02"])
    }

    @Test("ignores prepared parts that were refused, or that neither begin nor continue a value")
    func partsLeftOut() {
        #expect(
            Self.events(
                "> 16 03 00 00 00 01",
                "< 01 16 03 00 09",
                "> 16 05 00 00 00 02",
                "< 17 05 00 00 00 02",
                "> 16 05 00 02 00 03",
                "< 17 05 00 02 00 03",
                "> 18 01",
                "< 01 18 05 00 07"
            ) == ["5 refused 02 07"]
        )
    }

    @Test(
        "records the MTU that the server offers, from 23 to 517",
        arguments: [("16 00", 23), ("17 00", 23), ("18 00", 24), ("05 02", 517), ("06 02", 517), ("FF FF", 517)]
    )
    func serverMTU(octets: String, mtu: Int) {
        #expect(Self.database(after: ["> 02 F7 00", "< 03 " + octets]).serverMTU == mtu)
        // The client's offer is not the server's.
        #expect(Self.database(after: ["> 02 " + octets, "> 03 " + octets]).serverMTU == nil)
    }

    @Test("joins a longer value from its parts, without a gap")
    func longValue() {
        #expect(Self.events("> 0A 03 00", "< 0B 01", "> 0C 03 00 01 00", "< 0D 02") == ["3 read 01 02"])
        #expect(Self.events("> 0A 03 00", "< 0B 01", "> 0C 03 00 02 00", "< 0D 02") == ["3 read 01"])
        // A part belongs to the last read of its attribute on its link, whatever was sent meanwhile.
        #expect(
            Self.events("> 0A 03 00", "< 0B 01", "< 1B 03 00 09", "> 0C 03 00 01 00", "< 0D 02")
                == ["3 read 01 02", "3 sent 09 at 2"]
        )
        #expect(
            Self.events("> 0A 03 00", "< 0B 01", "> 0A 03 00", "< 0B 05", "> 0C 03 00 01 00", "< 0D 02")
                == ["3 read 01", "3 read 05 02"]
        )
        #expect(Self.events("> 0A 03 00", "< 0B 01", "> 0C 05 00 01 00", "< 0D 02") == ["3 read 01"])
        #expect(Self.events("> 0A 03 00", "< 0B 01", "link", "> 0C 03 00 01 00", "< 0D 02") == ["3 read 01"])
        // A refused part does not affect the value; a refused beginning does.
        #expect(Self.events("> 0A 03 00", "< 0B 01", "> 0C 03 00 01 00", "< 01 0C 03 00 07") == ["3 read 01"])
        #expect(Self.events("> 0C 03 00 00 00", "< 01 0C 03 00 05") == ["3 not read 05"])
    }

    @Test("ignores a part beyond 512 octets (Vol 3, Part F, 3.2.9)", arguments: [(2, 512), (3, 510)])
    func longest(count: Int, total: Int) {
        func octets(_ count: Int) -> String { String(repeating: "01", count: count) }
        let events = Self.events(
            "> 0A 03 00",
            "< 0B " + octets(510),
            "> 0C 03 00 FE 01",
            "< 0D " + octets(count),
            "> 0C 03 00 00 02",
            "< 0D 01"
        )
        #expect(events.map(\.count) == ["3 read ".count + total * 3 - 1])
    }

    @Test("records an included service from its 16-bit UUID, or from its declaration")
    func includedService() throws {
        let short = Self.database(after: ["> 08 01 00 FF FF 02 28", "< 09 08 02 00 10 00 12 00 0F 18"])
        #expect(short.includes == [2: 0x10...0x12])
        #expect(short.services[0x10]?.uuid == BluetoothUUID(0x180F) && short.services[0x10]?.isPrimary == false)
        let long = Self.database(after: [
            "> 08 01 00 FF FF 02 28", "< 09 06 02 00 10 00 12 00",
            "> 0A 10 00", "< 0B 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F",
        ])
        #expect(long.services[0x10]?.uuid.description == "0F0E0D0C-0B0A-0908-0706-050403020100")
        #expect(long.services[0x10]?.end == 0x12 && long.events.isEmpty)
        // A service that was discovered separately is not replaced, and reading it counts as a read.
        let known = Self.database(after: [
            "> 10 01 00 FF FF 00 28", "< 11 06 10 00 12 00 0F 18",
            "> 08 01 00 FF FF 02 28", "< 09 08 02 00 10 00 12 00 0A 18",
            "> 0A 10 00", "< 0B 0F 18",
        ])
        #expect(known.services[0x10]?.uuid == BluetoothUUID(0x180F) && known.services[0x10]?.isPrimary == true)
        #expect(known.events.map(\.handle) == [0x10])
    }

    @Test(
        "records ranges of included services and values of declarations only if they are valid",
        arguments: [
            ("02", "09 08 02 00 10 00 12 00 0F 18", true), ("02", "09 08 02 00 10 00 10 00 0F 18", true),
            ("02", "09 08 02 00 12 00 10 00 0F 18", false), ("02", "09 08 02 00 00 00 10 00 0F 18", false),
            ("03", "09 07 02 00 02 01 00 01 2A", false), ("03", "09 07 02 00 02 02 00 01 2A", false),
            ("03", "09 07 02 00 02 03 00 01 2A", true),
        ]
    )
    func validDeclarations(type: String, answer: String, isKnown: Bool) {
        let database = Self.database(after: ["> 08 01 00 FF FF \(type) 28", "< " + answer])
        #expect((database.includes[2] != nil || database.declarations[2] != nil) == isKnown)
        #expect(database.services.isEmpty != (isKnown && type == "02"))
    }

    @Test("records one answer for a request, none after another request, and nothing from malformed PDUs")
    func answeredOnce() {
        #expect(Self.events("> 0A 03 00", "< 0B 01", "< 0B 02") == ["3 read 01"])
        #expect(Self.events("> 0A 03 00", "< 01 0A 03 00 02", "< 0B 02") == ["3 not read 02"])
        #expect(Self.events("> 0A 03 00", "> 0A 03", "< 0B 01") == [])
        #expect(Self.events("> 0A 03 00", "> 0A 05 00", "< 0B 01") == ["5 read 01"])
        // A range whose end is before its beginning, and an exchange of the MTU.
        #expect(Self.events("> 0A 03 00", "> 08 02 00 01 00 03 28", "< 0B 01") == [])
        #expect(Self.events("> 0A 03 00", "> 02 17 00", "< 0B 01") == [])
        #expect(Self.events("< 0B 01", "> 12", "< 13") == [])
    }

    @Test(
        "keeps 65,536 octets of prepared writes, and as many again after they were executed, refused or cancelled",
        arguments: [("> 18 01", "< 19", 128), ("> 18 01", "< 01 18 01 00 07", 128), ("> 18 00", "< 19", 0)]
    )
    func preparedLimit(request: String, answer: String, count: Int) {
        // 128 values of 512 octets, and one octet more.
        let value = String(repeating: "01", count: 512)
        var lines = (UInt16(1)...128).flatMap { handle -> [String] in
            let part = "\(handle.inHex) 00 00 \(value)"
            return ["> 16 \(part)", "< 17 \(part)"]
        }
        let last = ["> 16 81 00 00 00 02", "< 17 81 00 00 00 02"]
        lines += last + [request, answer]
        #expect(Self.database(after: lines).events.map(\.handle) == Array((1...128).prefix(count)))
        lines += last + ["> 18 01", "< 19", "> 18 01", "< 19"]
        let events = Self.database(after: lines).events
        #expect(events.count == count + 1 && events.last?.handle == 0x81)
    }
}
