// Which command lines `blueear` takes.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

@Suite("Options of blueear")
struct OptionLimitsTests {
    @Test(
        "Messages of different keys, names and secrets are taken",
        arguments: [
            ["peripheral", "--name", "Anna"], ["central", "--stay"], ["central", "--read"],
            ["central", "--message", "a=1", "--message", "b=1"],
            ["central", "--restore", "home"], ["central", "--timeout", "86400"], ["lock", "--secret", "sesame"],
            ["key", "--secret", "sesame", "--restore", "home"],
        ]
    )
    func taken(arguments: [String]) {
        #expect(throws: Never.self) { try Messenger.parseAsRoot(arguments) }
    }

    @Test(
        "What is empty or there twice is refused, and so are options that exclude each other",
        arguments: [
            (["peripheral", "--name", ""], "The name is empty."),
            (["central", "--stay", "--read"], "--read reads once: it does not go with --stay."),
            (["central", "--message", "a"], "\"a\" is not KEY=VALUE."),
            (["central", "--message", "a=1", "--message", "a=2"], "The key \"a\" is there twice."),
            (["central", "--restore", ""], "The identifier to restore is empty."),
            (["central", "--timeout", "0"], "The timeout must be more than 0"),
            (["lock", "--secret", ""], "The secret is empty."), (["key", "--secret", ""], "The secret is empty."),
        ] as [([String], String)]
    )
    func refused(arguments: [String], reason: String) {
        #expect {
            try Messenger.parseAsRoot(arguments)
        } throws: { error in
            RunRecord.note("\(arguments) \(Messenger.message(for: error))")
            return Messenger.message(for: error).contains(reason)
        }
    }

    @Test("A message that is longer than any may be is refused, with its length")
    func longMessage() throws {
        let fits = try MessageOptions.parse(["--message", "a=" + String(repeating: "x", count: 1_000)])
        #expect(try fits.message()?["a"]?.count == 1_000)
        let long = try MessageOptions.parse(["--message", "a=" + String(repeating: "x", count: 20_000_000)])
        #expect(throws: Failure.self) { try long.message() }
        #expect(try MessageOptions.parse([]).message() == nil)
    }


}
