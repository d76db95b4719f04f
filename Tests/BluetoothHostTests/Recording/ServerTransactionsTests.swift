// What a recording learns from the requests and answers of one link: PDUs in, what was read and written out.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: requests and their answers")
struct ServerTransactionsTests {
    /// A conversation; PDUs of the client begin with `>`, those of the server with `<`. Each takes a microsecond.
    private static func database(after lines: [String]) -> ObservedDatabase {
        var database = ObservedDatabase()
        var transactions = ServerTransactions()
        transactions.linkNumber = 1
        for (time, line) in lines.enumerated() {
            transactions.receive(
                String(line.dropFirst()),
                isFromPeripheral: line.first == "<",
                at: Int64(time),
                into: &database
            )
        }
        return database
    }

    /// What happened to values.
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

    @Test("a write command and a signed one are written without an answer")
    func commands() {
        #expect(Self.events("> 52 03 00 AA BB") == ["3 command AA BB at 0"])
        let signature = String(repeating: "00", count: 12)
        #expect(Self.events("> D2 03 00 AA" + signature) == ["3 command AA at 0"])
    }

    @Test("a write is taken or refused, and what is sent meanwhile is no answer")
    func writes() {
        #expect(Self.events("> 12 03 00 AA", "< 1B 05 00 01", "< 13") == ["3 taken AA at 2", "5 sent 01 at 1"])
        #expect(Self.events("> 12 03 00 AA", "< 01 12 03 00 03") == ["3 refused AA 03"])
        #expect(Self.events("> 12 03 00 AA") == ["3 unanswered AA"])
    }

    @Test("prepared parts are joined where they follow each other in one value; a part of nothing is not written")
    func preparedParts() {
        let (first, last) = (["> 16 03 00 00 00 AA", "< 17 03 00 00 00 AA"], ["> 18 01", "< 19"])
        func events(_ part: String) -> [String] { Self.events(first + ["> 16 " + part, "< 17 " + part] + last) }
        #expect(events("03 00 01 00 BB") == ["3 taken AA BB at 5"])
        #expect(events("03 00 02 00 BB") == ["3 taken AA at 5"])
        #expect(events("05 00 01 00 BB") == ["3 taken AA at 5"])
        #expect(events("05 00 00 00 BB") == ["3 taken AA at 5", "5 taken BB at 5"])
    }

    @Test("what a server sends by itself, also several values at once; what the client's own server says is not its")
    func sent() {
        #expect(Self.events("< 1B 05 00 01", "< 1D 05 00 02") == ["5 sent 01 at 0", "5 sent 02 at 1"])
        #expect(Self.events("< 23 03 00 01 00 AA 05 00 02 00 BB CC") == ["3 sent AA at 0", "5 sent BB CC at 0"])
        #expect(Self.events("> 1B 05 00 01", "< 0A 03 00", "> 0B 01", "< 12 03 00 01", "< 52 03 00 01") == [])
    }

    @Test(
        "a question counts for what its answer covers, and for all of its range where nothing is found",
        arguments: [
            ("> 08 01 00 0A 00 03 28", "< 09 07 02 00 02 03 00 01 2A", [1...2]),
            ("> 08 01 00 0A 00 03 28", "< 01 08 01 00 0A", [1...10]),
            ("> 08 01 00 0A 00 03 28", "< 01 08 01 00 0E", nil),
            ("> 08 01 00 0A 00 02 28", "< 01 08 01 00 0A", nil),
            ("> 08 01 00 0A 00 01 2A", "< 09 03 02 00 02", nil),
            ("> 08 0A 00 01 00 03 28", "< 01 08 0A 00 0A", nil),
            ("> 08 01 00 0A 00 03 28", "< 0B 01", nil),
        ] as [(String, String, [AttributeHandleRange]?)]
    )
    func characteristicQuestions(request: String, answer: String, ranges: [AttributeHandleRange]?) {
        let database = Self.database(after: [request, answer])
        #expect(database.questions == (ranges.map { [.characteristics: $0] } ?? [:]) && !database.wasListed)
    }

    @Test(
        "the same for descriptors",
        arguments: [
            ("> 04 04 00 06 00", "< 05 01 04 00 02 29", [4...4]), ("> 04 04 00 06 00", "< 01 04 04 00 0A", [4...6]),
            ("> 04 04 00 06 00", "< 01 04 04 00 0E", nil), ("> 04 06 00 04 00", "< 01 04 06 00 0A", nil),
            ("> 04 04 00 04 00", "< 01 04 04 00 0A", [4...4]),
        ] as [(String, String, [AttributeHandleRange]?)]
    )
    func descriptorQuestions(request: String, answer: String, ranges: [AttributeHandleRange]?) {
        let database = Self.database(after: [request, answer])
        #expect(database.questions == (ranges.map { [.descriptors: $0] } ?? [:]))
    }

    @Test("services are listed by who asks for all, and found by who asks for one")
    func services() {
        let listed = Self.database(after: ["> 10 01 00 FF FF 00 28", "< 11 06 01 00 03 00 0D 18"])
        #expect(listed.wasListed && listed.services[1]?.end == 3)
        let found = Self.database(after: ["> 06 01 00 FF FF 00 28 0D 18", "< 07 01 00 03 00"])
        #expect(!found.wasListed && found.services[1]?.uuid == 0x180D && found.services[1]?.isPrimary == true)
        // A range whose end is in front of its beginning, and a type that is no service's.
        #expect(Self.database(after: ["> 10 01 00 FF FF 00 28", "< 11 06 03 00 01 00 0D 18"]).services.isEmpty)
        #expect(Self.database(after: ["> 10 01 00 FF FF 03 28", "< 11 06 01 00 03 00 0D 18"]).services.isEmpty)
        #expect(Self.database(after: ["> 10 01 00 FF FF 00 28", "< 11 06 00 00 03 00 0D 18"]).services.isEmpty)
        let secondary = Self.database(after: ["> 10 01 00 FF FF 01 28", "< 11 06 03 00 03 00 0D 18"])
        #expect(secondary.services[3]?.isPrimary == false)
    }

    @Test("several values are separated where all but the last one's length is known")
    func readMultiple() {
        #expect(
            Self.events("> 0A 03 00", "< 0B 01 02", "> 0E 03 00 05 00", "< 0F 03 04 05 06 07")
                == ["3 read 01 02", "3 read 03 04", "5 read 05 06 07"]
        )
        // Without a length nothing is known of the second one.
        #expect(Self.events("> 0E 03 00 05 00", "< 0F 03 04 05") == [])
    }

    @Test("several values with their lengths; the last one is left out where the PDU has cut it")
    func readMultipleVariable() {
        #expect(
            Self.events("> 20 03 00 05 00", "< 21 02 00 01 02 01 00 03") == ["3 read 01 02", "5 read 03"]
        )
        #expect(Self.events("> 20 03 00 05 00", "< 21 02 00 01 02 04 00 03") == ["3 read 01 02"])
    }

    @Test("prepared writes are joined to values when they are executed, and answered together")
    func preparedWrites() {
        #expect(
            Self.events(
                "> 16 03 00 00 00 01 02",
                "< 17 03 00 00 00 01 02",
                "> 16 03 00 02 00 03",
                "< 17 03 00 02 00 03",
                "> 16 05 00 00 00 04",
                "< 17 05 00 00 00 04",
                "> 18 01",
                "< 19"
            ) == ["3 taken 01 02 03 at 7", "5 taken 04 at 7"]
        )
    }

    @Test("a prepared write that was refused is no part of a value, nor one that does not begin a value or continue it")
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

    @Test("cancelled prepared writes are forgotten")
    func cancelled() {
        #expect(
            Self.events("> 16 03 00 00 00 01", "< 17 03 00 00 00 01", "> 18 00", "< 19", "> 18 01", "< 19") == []
        )
    }

    @Test("65,536 octets of prepared writes are kept, and nothing beyond")
    func preparedLimit() throws {
        // 128 values of 512 octets, and one octet more.
        var lines: [String] = []
        for handle in UInt16(1)...128 {
            let value = String(repeating: "01", count: 512)
            let part = "\(ByteBuffer(integer: handle, endianness: .little).hex) 00 00 \(value)"
            lines += ["> 16 \(part)", "< 17 \(part)"]
        }
        lines += ["> 16 81 00 00 00 02", "< 17 81 00 00 00 02", "> 18 01", "< 19"]
        let events = Self.database(after: lines).events
        #expect(events.map(\.handle) == Array(1...128))
    }

    @Test(
        "the server's MTU is what it offers, within what an attribute needs",
        arguments: [("16 00", 23), ("17 00", 23), ("18 00", 24), ("05 02", 517), ("06 02", 517), ("FF FF", 517)]
    )
    func serverMTU(octets: String, mtu: Int) {
        #expect(Self.database(after: ["> 02 F7 00", "< 03 " + octets]).serverMTU == mtu)
        // What the client offers is not the server's.
        #expect(Self.database(after: ["> 02 " + octets, "> 03 " + octets]).serverMTU == nil)
    }

    @Test("a longer value is joined from its parts, on one link and without a gap")
    func longValue() {
        #expect(Self.events("> 0A 03 00", "< 0B 01", "> 0C 03 00 01 00", "< 0D 02") == ["3 read 01 02"])
        #expect(Self.events("> 0A 03 00", "< 0B 01", "> 0C 03 00 02 00", "< 0D 02") == ["3 read 01"])
        // A refused part says nothing of the value; a refused beginning does.
        #expect(Self.events("> 0A 03 00", "< 0B 01", "> 0C 03 00 01 00", "< 01 0C 03 00 07") == ["3 read 01"])
        #expect(Self.events("> 0C 03 00 00 00", "< 01 0C 03 00 05") == ["3 not read 05"])
    }

    @Test("an included service is known by its UUID of 16 bits, or by its declaration, which is then no value")
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
        // A service that was found by itself stays what it is, and reading it is reading.
        let known = Self.database(after: [
            "> 10 01 00 FF FF 00 28", "< 11 06 10 00 12 00 0F 18",
            "> 08 01 00 FF FF 02 28", "< 09 08 02 00 10 00 12 00 0A 18",
            "> 0A 10 00", "< 0B 0F 18",
        ])
        #expect(known.services[0x10]?.uuid == BluetoothUUID(0x180F) && known.services[0x10]?.isPrimary == true)
        #expect(known.events.map(\.handle) == [0x10])
    }

    @Test("malformed PDUs, and answers that nobody has asked for, say nothing")
    func malformed() {
        #expect(Self.events("< 0B 01", "> 0A 03", "< 0B 01", "> 12", "< 13") == [])
    }
}
