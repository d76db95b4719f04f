import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The attribute of a command")
@MainActor
struct AttributeOptionsTests {
    private let tool: ConnectedTool

    init() throws {
        func characteristic(_ uuid: String, _ octet: UInt8) -> ScriptedPeripheral.Characteristic {
            .init(uuid, properties: .read, value: Data([octet]))
        }
        let described = ScriptedPeripheral.Characteristic(
            "FFF3",
            properties: [.read, .notify],
            value: Data([5]),
            descriptors: [
                .writableDescription("Kitchen"), .presentationFormat(0x04, unit: 0x2700),
                .presentationFormat(0x06, unit: 0x2700), .init("FFD1", value: Data([0x66, 0x08]), isWritable: true),
                .init("FFD2", value: Data([1])),
            ]
        )
        let services: [ScriptedPeripheral.Service] = [
            .init("180F", characteristics: [characteristic("2A19", 1), characteristic("FFF1", 2)]),
            .init("FFF0", characteristics: [characteristic("2A19", 3), characteristic("2A19", 4), described]),
        ]
        tool = try ConnectedTool(ScriptedPeripheral(name: "Thermo", services: services))
    }

    private func failure(_ line: String) throws -> String {
        let failure = #expect(throws: (any Error).self, "\(line)") { try tool.perform(line) }
        return tool.connection.central.words(for: try #require(failure), device: "Thermo")
    }

    @Test("is refused if several have the UUID, with the handles of all; one of these selects it")
    func handles() throws {
        let line = try failure("read 2A19")
        let pattern =
            #/the device has 3 characteristics 2A19: (0x\w{4}) in 180F Battery, (0x\w{4}) in FFF0, (0x\w{4}) in FFF0; .*/#
        let match = try #require(line.wholeMatch(of: pattern), "\(line)")
        #expect(try tool.perform("read \(match.1) --hex") == ["01"])
        #expect(try tool.perform("read \(match.2) --hex") == ["03"])
        #expect(try tool.perform("read \(match.3) --hex") == ["04"])
        #expect(try tool.perform("read \(match.3) --hex --service FFF0") == ["04"])
        #expect(try failure("read \(match.3) --service 180F").hasPrefix("the device has no characteristic 0x"))
        // The service has one.
        #expect(try tool.perform("read 2A19 --service 180F --hex") == ["01"])
        #expect(try failure("read 2A19 --service FFF0").hasPrefix("the device has 2 characteristics 2A19: "))
        #expect(try tool.perform("read FFF1 --hex") == ["02"])
        #expect(try failure("read 0xFFFF").hasPrefix("the device has no characteristic 0xFFFF; "))
    }

    @Test("has the handle in JSON that selects it")
    func objects() throws {
        let objects = try tool.objects("discover --values").map { try jsonObject($0) }
        let batteries = objects.filter {
            $0["characteristic"] as? String == "2A19" && $0["event"] as? String != "value"
        }
        #expect(batteries.count == 3)
        for battery in batteries {
            let handle = try #require(battery["handle"] as? Int)
            let number = HexadecimalText.number(UInt16(handle))
            #expect(try tool.perform("read \(number) --hex") == [battery["hex"] as? String])
        }
    }

    // MARK: Descriptors

    @Test("may be a descriptor, read and written in the forms of values")
    func descriptors() throws {
        #expect(try tool.perform("read FFF3 --descriptor 2901") == ["\"Kitchen\""])
        #expect(try tool.perform("read FFF3 --descriptor 2901 --text") == ["Kitchen"])
        #expect(try tool.perform("read FFF3 --descriptor \"Client Characteristic Configuration\"") == ["0"])
        #expect(try tool.perform("read FFF3 --descriptor 2902 --hex") == ["0000"])
        #expect(try tool.perform("read FFF3 --descriptor FFD1") == ["66 08"])
        #expect(try tool.perform("read FFF3 --descriptor FFD1 --as int16") == ["2150"])
        #expect(try tool.perform("write FFF3 Cellar --text --descriptor 2901") == [])
        #expect(try tool.perform("read FFF3 --descriptor 2901 --text") == ["Cellar"])
        #expect(try tool.perform("write FFF3 --as int8 --descriptor FFD1 -- -5") == [])
        #expect(try tool.perform("read FFF3 --descriptor FFD1 --hex") == ["FB"])
        // The value is another attribute.
        #expect(try tool.perform("read FFF3 --hex") == ["05"])
    }

    @Test("that is a descriptor is refused with the reason, and with those that there are")
    func refusedDescriptors() throws {
        let none = try failure("read FFF3 --descriptor 2905")
        #expect(none.hasPrefix("FFF3 has no descriptor 2905; it has "))
        for uuid in ["2901", "2902", "2904", "FFD1", "FFD2"] { #expect(none.contains(uuid)) }
        #expect(try failure("read FFF1 --descriptor 2901") == "FFF1 has no descriptor 2901; it has none")
        #expect(
            try failure("write FFF3 0100 --descriptor 2902")
                == "Client Characteristic Configuration is written by subscribe"
        )
        #expect(try failure("write FFF3 02 --descriptor FFD2").hasPrefix("writing FFD2 failed: "))
        let line = try failure("read FFF3 --descriptor 2904")
        let pattern = #/the device has 2 descriptors 2904: (0x\w{4}), (0x\w{4}); name one by its handle/#
        let match = try #require(line.wholeMatch(of: pattern), "\(line)")
        #expect(try tool.perform("read FFF3 --descriptor \(match.2) --hex") == ["06000027010000"])
    }

    @Test("that is a descriptor has an object of its own in JSON")
    func descriptorObjects() throws {
        let schema = try JSONSchema("output.schema.json")
        for (line, words) in [
            ("read FFF3 --descriptor FFD1 --as int16", #""descriptor":"FFD1","handle":"#),
            ("read FFF3 --descriptor FFD1 --as int16", #""hex":"6608","value":2150"#),
            ("write FFF3 4869 --descriptor 2901", #""descriptor":"2901","handle":"#),
        ] {
            let object = try #require(try tool.objects(line).first)
            #expect(schema.problem(try jsonObject(object)) == nil, "\(object)")
            #expect(object.contains(words), "\(object)")
        }
    }
}
