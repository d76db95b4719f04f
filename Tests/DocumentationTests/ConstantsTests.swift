// A number that has a name stands where the name is declared, so that it can be changed in one place. The constants
// here are those whose number is seldom met by chance, as 64 is.

import Foundation
import Testing

@Suite("Numbers that have a name")
struct ConstantsTests {
    /// A constant.
    private struct Constant {
        var name: String
        var value: UInt64
        /// Where it is declared; `nil` if it is computed.
        var file: String?
        /// Why files have the same number in decimal digits.
        var exceptions: [String: String] = [:]
    }

    private static let constants = [
        Constant(
            name: "ATT.maximumValueLength",
            value: 512,
            file: "BluetoothHost/ATT/ATTLimits.swift",
            exceptions: [
                "ITCB/ITCB_SDK_internal.swift": "the SDK has Core Bluetooth alone",
                "BlueEar/Wire/MessagePieces.swift": "the SDK has Core Bluetooth alone",
                "BluetoothAir/Models/ControllerModel+Presets.swift": "a handle of a chip",
                "BluetoothBlueZ/L2CAP/ChannelBridge.swift": "a window of frames",
                "BluetoothBlueZ/L2CAP/KernelChannel.swift": "an SDU, if the kernel does not know the limit",
                "CoreBluetooth/Bridge/CentralMessages.swift": "what a discovery counts in a window",
                "CoreBluetooth/Engine/L2CAP/Channels.swift": "a window of frames",
                "CoreBluetooth/Storage/BondStore.swift": "a number of bonds",
            ]
        ),
        Constant(
            name: "ATT.maximumMTU",
            value: 517,
            exceptions: ["Lessons/Texts/MessagesLesson.swift": "what a lesson shows"]
        ),
        Constant(
            name: "L2CAP.minimumMTU",
            value: 23,
            file: "BluetoothHost/L2CAP/L2CAPFrame.swift",
            exceptions: [
                "BluetoothTypes/BluetoothUUID.swift": "a place in a text",
                "BluetoothHCI/Events/LEExtendedAdvertisingReport.swift": "a place in an event",
                "BluetoothHost/GAP/RadioArbiter.swift": "a bit of LE_States",
                "CoreBluetoothCommand/Controller/ControllerReport.swift": "a bit of LE_States",
                "Lessons/Texts/MessagesLesson.swift": "what a lesson shows",
            ]
        ),
        Constant(
            name: "DataPacketLimits.maximumOctets",
            value: 251,
            file: "BluetoothHCI/Commands/LE/DataLength.swift",
            exceptions: [
                "BluetoothAir/Models/ControllerModel+Presets.swift": "the buffers of chips",
                "BluetoothHCI/Commands/LE/ExtendedAdvertising.swift": "advertising data in one command",
            ]
        ),
        Constant(
            name: "DataPacketLimits.maximumTimeOn1M",
            value: 2_120,
            file: "BluetoothHCI/Commands/LE/DataLength.swift"
        ),
        Constant(
            name: "DataPacketLimits.maximumTime",
            value: 17_040,
            file: "BluetoothHCI/Commands/LE/DataLength.swift"
        ),
        Constant(
            name: "DataPacketLimits.minimumTime",
            value: 328,
            file: "BluetoothHCI/Commands/LE/DataLength.swift"
        ),
        Constant(
            name: "ConnectionParameters.latencies",
            value: 499,
            file: "BluetoothHCI/Parameters/ConnectionParameters.swift"
        ),
        Constant(
            name: "ResolvablePrivateAddressTimeout.recommended",
            value: 900,
            file: "BluetoothTypes/TimeUnits.swift"
        ),
        Constant(
            name: "RSSI.notAvailable",
            value: 127,
            file: "BluetoothTypes/SignalPower.swift",
            exceptions: [
                "ITCB/ITCB_SDK_internal.swift": "the SDK has Core Bluetooth alone",
                "BluetoothBlueZ/Objects/DeviceProperties.swift": "the range of BlueZ's RSSI",
                "CoreBluetoothCommand/Values/ValueType.swift": "the exponents of a number",
            ]
        ),
        Constant(
            name: "AdvertisingData.longestName",
            value: 248,
            file: "BluetoothTypes/AdvertisingData+Values.swift"
        ),
        Constant(
            name: "Deadline.longest",
            value: 86_400,
            file: "CommandLineTool/Deadline.swift",
            exceptions: [
                "CoreBluetooth/API/CBCentralManager.swift": "Core Bluetooth's own limit, for all apps",
                "CoreBluetoothProcessTime/HeldClock.swift": "the seconds of a day",
                "CoreBluetoothTesting/Sweep/SweepProgress.swift": "the seconds of a day",
            ]
        ),
        Constant(name: "StreamAddress.maximumPathLength", value: 107),
    ]

    /// The decimal numbers of each source file.
    private static let numbers: [String: Set<UInt64>] = {
        let folder = WhereTests.root.appendingPathComponent("Sources")
        var result: [String: Set<UInt64>] = [:]
        let names = FileManager.default.enumerator(atPath: folder.path)
        while let name = names?.nextObject() as? String {
            // What is made from other files is left out.
            guard name.hasSuffix(".swift"), !name.contains(".docc/"),
                let text = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            else { continue }
            result[name] = decimalNumbers(in: text)
        }
        return result
    }()

    @Test("stand in no other file, unless they mean something else there", arguments: constants.indices)
    func places(index: Int) {
        let constant = Self.constants[index]
        let files = Self.numbers.filter { $0.value.contains(constant.value) }.map(\.key)
        for file in files where file != constant.file && constant.exceptions[file] == nil {
            Issue.record("Sources/\(file) has the number of \(constant.name), \(constant.value): use the constant")
        }
        if let file = constant.file {
            #expect(files.contains(file), "\(constant.name) is not declared in \(file) as \(constant.value)")
        }
        for file in constant.exceptions.keys where !files.contains(file) {
            Issue.record("Sources/\(file) needs no exception for \(constant.name) any more")
        }
    }

    @Test(
        "are read in decimal digits, and not in comments, strings, fractions, names and numbers of bits",
        arguments: [
            ("a = 512", [512]), ("min(86_400, x)", [86_400]), ("-20...512", [20, 512]), ("f(512.5)", []),
            ("0.512", []), ("a512", []), ("0x200 + 0b11", []), ("1 << 23", [1]), ("1 >> 23 | 7", [1, 7]),
            ("\"512\" // 512\n3", [3]), ("\"\\\"512\" + 4", [4]), ("\"\"\"\n512\n\"\"\"\n5", [5]), ("/// 512\n6", [6]),
            ("1e3", []), ("list[512]", [512]), ("#\"a \"512\"\"# + 8", [8]),
        ] as [(String, Set<UInt64>)]
    )
    func reader(text: String, numbers: Set<UInt64>) {
        #expect(decimalNumbers(in: text) == numbers)
    }
}

/// The decimal whole numbers in the code of a Swift file, without numbers of bits by which something is shifted.
private func decimalNumbers(in source: String) -> Set<UInt64> {
    var numbers: Set<UInt64> = []
    var rest = Substring(source)
    var before: [Character] = []
    func isPartOfName(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }
    while let first = rest.first {
        if first == "/", rest.hasPrefix("//") {
            rest = rest.drop { $0 != "\n" }
        } else if first == "\"" || first == "#",
            let string = rest.prefixMatch(of: /#"(?s:.*?)"#|"""(?s:.*?)"""|"(?:\\.|[^"\\\n])*"/)
        {
            rest = rest[string.range.upperBound...]
            before = ["\""]
        } else if isPartOfName(first) {
            let word = rest.prefix(while: isPartOfName)
            rest = rest.dropFirst(word.count)
            let isAfterPoint = before.last == "." && before.dropLast().last != "."
            let isBeforePoint = rest.first == "." && rest.dropFirst().first?.isNumber == true
            let isShift = before.suffix(2) == ["<", "<"] || before.suffix(2) == [">", ">"]
            if !isAfterPoint, !isBeforePoint, !isShift, let number = UInt64(word.filter { $0 != "_" }) {
                numbers.insert(number)
            }
            before = ["a"]
        } else {
            if !first.isWhitespace { before = before.suffix(1) + [first] }
            rest = rest.dropFirst()
        }
    }
    return numbers
}
