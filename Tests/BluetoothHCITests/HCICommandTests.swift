import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothHCI

@Suite("HCI commands")
struct HCICommandTests {
    @Test("parses the octets of the specification and writes the same", arguments: CommandExample.all)
    func roundTrip(example: CommandExample) throws { try example.check() }

    @Test("every declared command is in the table and has an example")
    func completeness() throws {
        let declared = try SourceScan.types(
            conformingTo: ["HCICommand", "HCICommandForLink", "HCICommandWithoutParameters"]
        )
        let table = HCICommandTable.entries.map { String(describing: $0.command) }
        #expect(Set(table) == declared)
        #expect(Set(table).count == table.count)
        #expect(Set(CommandExample.all.map(\.name)) == declared)
        #expect(CommandExample.all.count == declared.count)
        #expect(Set(HCICommandTable.entries.map { $0.command.opcode }).count == table.count)
    }

    @Test("every command has its own bit in the bitmap of supported commands")
    func supportedCommandsBits() {
        let bits = HCICommandTable.entries.compactMap(\.bit)
        #expect(Set(bits).count == bits.count)
        #expect(bits.allSatisfy { (0..<64).contains($0.octet) && (0..<8).contains($0.bit) })
        let all = SupportedCommands(HCICommandTable.entries.map { $0.command })
        #expect(HCICommandTable.entries.allSatisfy { $0.bit == nil || all.contains($0.command) })
        let commands = SupportedCommands(HCICommandTable.entries.map(\.command).filter { $0.opcode != LERand.opcode })
        #expect(!commands.contains(LERand.self))
        #expect(commands.contains(LEEncrypt.self))
        #expect(!commands.contains(AirSetDistance.self), "a command without a place in the bitmap")
        #expect(commands.description == "\(bits.count - 1) commands")
    }

    @Test(
        "parses every command with as many octets of zeros, ones and increasing numbers as it may have",
        arguments: CommandExample.all
    )
    func lengths(example: CommandExample) {
        for count in [0...12, 24...36, 62...68, 250...255].joined() {
            example.decodesWithoutTrap(ByteBuffer(repeating: 0x00, count: count))
            example.decodesWithoutTrap(ByteBuffer(repeating: 0x01, count: count))
            example.decodesWithoutTrap(ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0) }))
        }
    }

    @Test("random octets never trap a decoder", arguments: CommandExample.all)
    func randomOctets(example: CommandExample) {
        var generator = SeededGenerator(seed: UInt64(example.opcode))
        for _ in 0..<120 {
            let count = Int.random(in: 0...80, using: &generator)
            // Small octets reach further into lists and codes.
            let limit: UInt8 = Bool.random(using: &generator) ? 3 : 255
            example.decodesWithoutTrap(
                ByteBuffer(bytes: (0..<count).map { _ in UInt8.random(in: 0...limit, using: &generator) })
            )
        }
    }

    @Test("a reserved code is malformed or kept")
    func unknownValues() throws {
        var bytes = ByteBuffer(hex: "02")
        #expect(throws: MalformedBytes(.invalid, "Advertising_Enable")) { try LESetAdvertisingEnable(parsing: &bytes) }
        bytes = ByteBuffer(hex: "01 09")
        #expect(try LESetScanEnable(parsing: &bytes).filterDuplicates.rawValue == 9)
        bytes = ByteBuffer(hex: "20" + String(repeating: "00", count: 32))
        #expect(throws: MalformedBytes(.invalid, "Advertising_Data")) { try LESetAdvertisingData(parsing: &bytes) }
        bytes = ByteBuffer(hex: "00 00 08 00 00 00 00 00")
        #expect(throws: MalformedBytes(.invalid, "Scanning_PHYs")) { try LESetExtendedScanParameters(parsing: &bytes) }
        bytes = ByteBuffer(hex: "04 00 00 00 00 00 00")
        #expect(throws: MalformedBytes.self) { try LEAddDeviceToResolvingList(parsing: &bytes) }
    }

    @Test("rejects a list that is too long")
    func longestList() throws {
        for (count, isValid) in [(0, true), (1, true), (63, true), (64, false), (255, false)] {
            var bytes = ByteBuffer(bytes: [0x01, UInt8(count)])
            for number in 0..<count { bytes.writeBytes([UInt8(truncatingIfNeeded: number), 0, 0, 0]) }
            guard isValid else {
                #expect(throws: MalformedBytes(.invalid, "Num_Sets")) {
                    try LESetExtendedAdvertisingEnable(parsing: &bytes)
                }
                continue
            }
            #expect(try LESetExtendedAdvertisingEnable(parsing: &bytes).sets.count == count)
        }
    }

    @Test("rejects data longer than its field (Vol 4, Part E, 7.8)")
    func longestData() throws {
        func decodes<Command: HCICommand>(_: Command.Type, _ head: [UInt8], _ count: Int) -> Bool {
            var bytes = ByteBuffer(bytes: head + [UInt8(count)])
            bytes.writeRepeatingByte(0xAB, count: max(count, 31))
            return (try? Command(parsing: &bytes)) != nil
        }
        #expect(decodes(LESetAdvertisingData.self, [], 31) && !decodes(LESetAdvertisingData.self, [], 32))
        #expect(decodes(LESetScanResponseData.self, [], 31) && !decodes(LESetScanResponseData.self, [], 32))
        let set: [UInt8] = [0x01, 0x03, 0x01]
        #expect(decodes(LESetExtendedAdvertisingData.self, set, 251))
        #expect(!decodes(LESetExtendedAdvertisingData.self, set, 252))
        #expect(decodes(LESetExtendedScanResponseData.self, set, 251))
        #expect(!decodes(LESetExtendedScanResponseData.self, set, 252))
    }

    @Test("reads only the value for \"none\" as `nil`")
    func absentValues() throws {
        var bytes = ByteBuffer(hex: "00 23 01 7F")
        #expect(try ReadRSSI.ReturnParameters(parsing: &bytes).rssi == nil)
        bytes = ByteBuffer(hex: "00 23 01 14")
        #expect(try ReadRSSI.ReturnParameters(parsing: &bytes).rssi == RSSI(dBm: 20))
        bytes = ByteBuffer(hex: "00 7F")
        #expect(try LEReadAdvertisingChannelTxPower.ReturnParameters(parsing: &bytes).level == nil)
        bytes = ByteBuffer(hex: "00 14")
        #expect(try LEReadAdvertisingChannelTxPower.ReturnParameters(parsing: &bytes).level != nil)
        // Enhanced Connection Complete [v2]: no advertising set and no periodic train, then the last of each.
        let head = "00 40 00 01 00 06 05 04 03 02 01 00 00 00 00 00 00 00 00 00 00 00 00 18 00 00 00 2A 00 00"
        bytes = ByteBuffer(hex: head + "FF FF FF")
        let event = try LEEnhancedConnectionCompleteV2(parsing: &bytes)
        #expect(event.advertisingHandle == nil && event.syncHandle == nil)
        bytes = ByteBuffer(hex: head + "EF FE FF")
        let other = try LEEnhancedConnectionCompleteV2(parsing: &bytes)
        #expect(other.advertisingHandle?.rawValue == 0xEF && other.syncHandle == 0xFFFE)
    }

    @Test("rejects a truncated command packet, or one of another kind")
    func malformedPackets() {
        for hex in ["01", "01 03", "01 03 0C", "01 0C 20 02 01", "04 03 0C 00", ""] {
            #expect(throws: MalformedBytes.self) { try HCICommandPacket(HCIPacket(h4: ByteBuffer(hex: hex))) }
        }
        #expect(throws: MalformedBytes(.invalid, "Opcode")) {
            try HCICommandPacket(Reset().packet()).parsed(as: LERand.self)
        }
    }

    @Test("describes a packet in one line")
    func descriptions() {
        #expect(Reset().description == "Reset")
        #expect(
            LESetScanEnable(isEnabled: true, filterDuplicates: .on).description
                == "LE Set Scan Enable LE_Scan_Enable=true Filter_Duplicates=0x01"
        )
        #expect(
            LECreateConnection(
                scanInterval: ScanInterval(.milliseconds(60)),
                scanWindow: ScanInterval(.milliseconds(30)),
                peer: DeviceAddress(0xC011_2233_4455, kind: .random),
                parameters: ConnectionParameters(
                    minimumInterval: ConnectionInterval(rawValue: 6),
                    maximumInterval: ConnectionInterval(rawValue: 12),
                    supervisionTimeout: SupervisionTimeout(.seconds(5))
                )
            ).description
                == "LE Create Connection LE_Scan_Interval=60 ms LE_Scan_Window=30 ms Initiator_Filter_Policy=0x00 "
                + "Peer_Address=C0:11:22:33:44:55 Own_Address_Type=0x00 Connection_Interval_Min=7.5 ms "
                + "Connection_Interval_Max=15 ms Max_Latency=0 Supervision_Timeout=5000 ms Min_CE_Length=0 ms "
                + "Max_CE_Length=0 ms"
        )
        #expect(
            HCIPacket(h4: ByteBuffer(hex: "01 34 12 02 AB CD")).description == "Command 0x1234 ABCD"
        )
        #expect(
            HCIPacket(h4: ByteBuffer(hex: "01 0A 20 01 07")).description == "LE Set Advertising Enable malformed 07"
        )
        #expect(HCIPacket(h4: ByteBuffer(hex: "01 0A")).description == "malformed command 010A")
    }
}

/// The declarations in the sources, so that no new one can be missing in a table.
enum SourceScan {
    static func types(conformingTo protocols: Set<String>) throws -> Set<String> {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/BluetoothHCI")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        let declaration = /^(?:public|package) struct (\w+)(?:<[^>]*>)?: ([\w, ]+) \{/.anchorsMatchLineEndings()
        var types: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: declaration) {
                let conformances = match.2.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                if !protocols.isDisjoint(with: conformances) { types.insert(String(match.1)) }
            }
        }
        return types
    }
}
