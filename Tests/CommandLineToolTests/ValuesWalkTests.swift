// The values that programs print, on record: progress in all units, log lines, JSON, harmless text, suggestions, arguments of
// traces, and advice.

import ArgumentParser
import BluetoothTypes
import CoreBluetooth
import Fixtures
import Foundation
import Logging
import Testing

@testable import CommandLineTool

@Suite("A walk through what programs print")
struct ValuesWalkTests {
    @Test("Progress in each unit, with any numbers, at any time, in any number of columns")
    func progress() {
        let units: [ProgressText.Unit] = [.octets, .items("services"), .seconds, .items("日本語")]
        for unit in units {
            for total in [nil, 0, 1, 9, 10_239, 10_240, 10_241, 1_000_000] as [Int?] {
                for done in [0, 1, 2, 9, 1024, 10_239, 10_240, 10_241, 999_999, 1_000_000, 2_000_000] {
                    for seconds in [0, 0.04, 0.999, 1, 3.5, 9.99, 100] {
                        var text = ProgressText("reading", unit, total: total)
                        text.done = done
                        RunRecord.note(text.row(after: seconds, columns: 100))
                        for columns in [0, 1, 2, 20, 36, 48] {
                            RunRecord.note(text.row(after: seconds, columns: columns))
                        }
                    }
                }
            }
        }
    }

    @Test("A message at each level, from the program and from others, in each form")
    func log() {
        let now = Date(timeIntervalSince1970: 1_700_000_000.125)
        for format in [LogFormat.person, .timed, .journal] {
            for level in Logger.Level.allCases {
                for message in [[], ["one"], ["one", "two", ""]] {
                    for source in [Ending.program, "bluetooth.air"] {
                        let lines = format.lines(message, level, from: source, now: now)
                        #expect(lines.count == message.count)
                        RunRecord.note("\(lines)".replacing(Ending.program, with: "PROGRAM"))
                    }
                }
            }
        }
        for stream in [nil, "", "1", "1:2", "1:2:3", "x:y", ":"] as [String?] {
            let isJournal = LogFormat.isJournal(stream)
            #expect(!isJournal)
        }
    }

    @Test("Each character is shown, or stands as U+FFFD; in JSON it is escaped, or stands for itself")
    func characters() {
        for range in [0...0x2FF, 0x5F0...0x61F, 0x1FF0...0x20FF, 0xFEF0...0xFFFF, 0xE0000...0xE00FF]
            as [ClosedRange<UInt32>]
        {
            let text = String(String.UnicodeScalarView(range.compactMap(UnicodeScalar.init)))
            RunRecord.note(PrintableText.text(text))
            RunRecord.note(PrintableText.quoted(text))
            RunRecord.note(JSONValue.string(text).text)
        }
        for number in [0, -0.0, 0.1, 1e21, -1.5e-7, .infinity, .nan] { RunRecord.note(JSONValue.number(number).text) }
    }

    @Test("Words that are like a command or not, with letters left out, put in, replaced and exchanged")
    func suggestions() {
        let names = [
            "adapters", "scan", "inspect", "connect", "read", "write", "subscribe", "pair", "bonds", "air", "trace",
        ]
        let letters = Array("abcdeinprst-")
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<3000 {
            var word = Array(names.randomElement(using: &generator) ?? "")
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let place = Int.random(in: 0...word.count, using: &generator)
                let letter = letters.randomElement(using: &generator) ?? "a"
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: word.insert(letter, at: place)
                case 1 where place < word.count: word.remove(at: place)
                case 2 where place < word.count: word[place] = letter
                case 3 where place + 1 < word.count: word.swapAt(place, place + 1)
                default: break
                }
            }
            let text = Bool.random(using: &generator) ? String(word) : String(word).uppercased()
            RunRecord.note("\(text) \(CommandSuggestion.question(for: text, among: names) ?? "-")")
        }
        #expect(CommandSuggestion.nearest(to: "scan", among: []) == nil)
    }

    @Test("Arguments of a trace in any order become those of the parser")
    func traceArguments() throws {
        let words = [
            "--trace", "--trace=", "--trace=a.svg", "a.svg", "a.mmd", "a.jsonl", "a.png", "--trace=x", "svg", "-",
        ]
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<1500 {
            let arguments = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                words.randomElement(using: &generator) ?? ""
            }
            let taken = TraceOptions.arguments(arguments)
            var outcome = ""
            do {
                let options = try TraceOptions.parse(taken)
                outcome = "\(options.trace) \(options.traceFile ?? "-")"
            } catch {
                outcome = TraceOptions.message(for: error)
            }
            RunRecord.note("\(arguments) \(taken) \(outcome)")
        }
    }

    @Test("The options of the radio are taken within their limits")
    func radioOptions() {
        for (option, values) in [
            ("--distance", ["-1", "0", "0.0001", "1", "10000", "10000.01", "nan", "x"]),
            ("--position", ["", "1", "1,2", "-1,2.5", "1,2,3", "x,y"]), ("--identity", ["", "a", "a b"]),
            ("--trace-file", ["a.svg", "a.png", ""]),
        ] {
            for value in values {
                for more in [[], ["--privacy"], ["--distance", "2"], ["--position", "3,4"]] {
                    var outcome = ""
                    do {
                        outcome = "\(try RadioOptions.parse([option, value] + more))"
                    } catch {
                        outcome = RadioOptions.message(for: error)
                    }
                    RunRecord.note("\(option) \(value) \(more): \(outcome)")
                }
            }
        }
        for requirement in PairingRequirement.allCases { RunRecord.note("\(requirement) \(requirement.capabilities)") }
    }

    @Test("Advice for each error, device, identity and failure", arguments: [false, true])
    func advice(canAsk: Bool) {
        let errors: [any Error] =
            (0...0x15).compactMap(CBATTError.Code.init(rawValue:)).map { CBATTError($0) }
            + (0...20).compactMap(CBError.Code.init(rawValue:)).map { CBError($0) } + [CancellationError()]
        for error in errors {
            for device in [nil, "", "Lamp", "my lamp", "it's", "a\u{1B}", "Lämp", "a-b_c.d", "a/b"] as [String?] {
                for identity in [nil, "phone", "my phone"] as [String?] {
                    for failure in [nil, "it was refused"] as [String?] {
                        let text = SecurityAdvice.text(
                            for: error,
                            device: device,
                            identity: identity,
                            failure: failure,
                            canAsk: canAsk
                        )
                        RunRecord.note("\(error) \(text ?? "-")")
                    }
                }
            }
        }
    }

    @Test("A device is meant by its whole name, or by one that an advertisement had to shorten")
    func names() {
        let names = [
            "", "A", "Anna", "A name of", "A name of more than", "A name of more than twenty-nine octets", "Crystal",
            "Crystal 🔮",
        ]
        for name in names {
            for asked in names { RunRecord.note("\(name) \(asked) \(DeviceName.matches(name, asked))") }
        }
    }
}
