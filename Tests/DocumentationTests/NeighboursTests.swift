// docs/neighbours.md compares tasks with other tools; these tests compare its column "ours" with the sources.

import ArgumentParser
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The page about other tools")
struct NeighboursTests {
    private static let text =
        (try? String(contentsOf: WhereTests.root.appendingPathComponent("docs/neighbours.md"), encoding: .utf8)) ?? ""

    /// The cells of each row.
    private static let rows: [[String]] = text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
        line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }.filter { $0[0] != "task" }

    /// The numbers of what is left out, in order.
    private static let reasons = text.matches(of: #/(?m)^(\d+)\. /#).compactMap { Int($0.1) }

    @Test("has each task once, with a cell for each tool, and a reason for each that is left out")
    func form() {
        #expect(Self.rows.count > 50)
        for row in Self.rows { #expect(row.count == 7, "\(row)") }
        #expect(Set(Self.rows.map { $0[0] }).count == Self.rows.count)
        let numbers = Self.rows.compactMap { Int($0[1]) }
        #expect(numbers == Array(1...numbers.count) && numbers == Self.reasons)
    }

    @Test("names commands, options, session commands and symbols that exist")
    func ours() {
        for row in Self.rows where Int(row[1]) == nil {
            let names = row[1].matches(of: /`([^`]+)`/).map { String($0.1) }
            #expect(!names.isEmpty, "\(row)")
            for name in names {
                let problem = Self.problem(name)
                #expect(problem == nil, "\(row[0]): \(name): \(problem ?? "")")
            }
        }
    }

    @Test("would notice a command, an option or a symbol that is gone")
    func problems() {
        for name in [
            "corebluetooth look", "corebluetooth scan --look", "corebluetooth bonds look", "looksNowhere",
            "World.look(at:)",
        ] {
            #expect(Self.problem(name) != nil, "\(name)")
        }
    }

    /// What is wrong with a name.
    private static func problem(_ name: String) -> String? {
        let words = name.split(separator: " ").map(String.init)
        if words[0] == "corebluetooth" { return problem(Array(words.dropFirst()), CoreBluetoothTool.self) }
        if let command = SessionCommands.all.first(where: { SessionCommands.name($0) == words[0] }) {
            return missing(words, SessionCommands.help(command))
        }
        return WhereTests.declarations(of: name).isEmpty ? "is no session command and not declared" : nil
    }

    private static func problem(_ words: [String], _ command: any ParsableCommand.Type) -> String? {
        let subcommands = command.configuration.subcommands
        /// The parser's default for the name is that of the type.
        func name(_ command: any ParsableCommand.Type) -> String {
            command.configuration.commandName ?? String(describing: command).lowercased()
        }
        if let first = words.first, let next = subcommands.first(where: { name($0) == first }) {
            return problem(Array(words.dropFirst()), next)
        }
        let isGroup = command == CoreBluetoothTool.self || !subcommands.isEmpty && words.first?.hasPrefix("-") == false
        return isGroup ? "there is no such command" : missing(words, command.helpMessage())
    }

    private static func missing(_ words: [String], _ help: String) -> String? {
        let option = words.first { $0.hasPrefix("--") && !help.contains($0 + " ") && !help.contains($0 + "]") }
        return option.map { "has no \($0)" }
    }
}
