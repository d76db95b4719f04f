import CoreBluetooth
import Testing

@Suite("CBUUID")
struct CBUUIDTests {
    @Test("3.1 parses texts of 4, 8 and 36 characters")
    func strings() {
        #expect(CBUUID(string: "180d").data == Data([0x18, 0x0D]))
        #expect(CBUUID(string: "0000180D").data == Data([0x00, 0x00, 0x18, 0x0D]))
        let long = CBUUID(string: "8e38140a-27be-4090-8955-4fc4b5698d1e")
        #expect(long.data.count == 16)
        #expect(long.data.prefix(4) == Data([0x8E, 0x38, 0x14, 0x0A]))
        #expect(long.uuidString == "8E38140A-27BE-4090-8955-4FC4B5698D1E")
    }

    @Test("B20: accepts 0x or 0X in front", arguments: ["0x", "0X"])
    func prefix(prefix: String) {
        for digits in ["180D", "0000180D", "8E38140A-27BE-4090-8955-4FC4B5698D1E"] {
            #expect(CBUUID(string: prefix + digits).uuidString == digits)
        }
    }

    @Test(
        "3.1 3.2 keeps 2, 4 or 16 octets, in upper case",
        arguments: ["01EF", "01EF0203", "01EF0203-0405-0607-0809-0A0B0C0D0E0F"]
    )
    func octets(text: String) {
        let uuid = CBUUID(string: text.lowercased())
        #expect(uuid.uuidString == text && CBUUID(data: uuid.data).data == uuid.data)
        let foundation = UUID(uuidString: text)
        #expect(foundation.map { CBUUID(nsuuid: $0) == uuid } != false)
    }

    @Test("3.3 compares short and long forms as equal")
    func forms() {
        let forms = [
            CBUUID(string: "180D"), CBUUID(string: "0000180D"), CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB"),
        ]
        for left in forms {
            for right in forms {
                #expect(left == right)
                #expect(left.hash == right.hash)
                #expect(left.hashValue == right.hashValue)
            }
        }
        #expect(CBUUID(string: "180D") != CBUUID(string: "180F"))
        #expect(!CBUUID(string: "180D").isEqual("180D"))
    }

    @Test("3.4 describes an assigned number by its name")
    func names() {
        #expect(CBUUID(string: "180F").description == "Battery")
        #expect(CBUUID(string: "180D").description == "Heart Rate")
        #expect(CBUUID(string: "0000180A-0000-1000-8000-00805F9B34FB").description == "Device Information")
        #expect(CBUUID(string: "FFF0").description == "FFF0")
    }

    @Test("3.5 copies as equal and serves as a key of a dictionary")
    func keys() throws {
        let uuid = CBUUID(string: "2A19")
        #expect(try #require(uuid.copy() as? CBUUID) == uuid)
        let table: [CBUUID: Int] = [uuid: 1]
        #expect(table[CBUUID(string: "00002A19-0000-1000-8000-00805F9B34FB")] == 1)
    }

    @Test("client-code 9: makes an empty CBUUID()")
    func empty() {
        #expect(CBUUID().data == Data(count: 16))
    }
}
