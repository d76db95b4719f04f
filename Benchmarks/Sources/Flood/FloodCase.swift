// The programs that are flooded, and the sources of the floods.

import Foundation

/// A program under a flood.
struct FloodCase {
    /// The source of a flood.
    enum Source {
        /// This program in a role.
        case role(String, [String])
        /// One of our programs, whose standard input repeats a line without end.
        case program(String, [String], input: String)
    }

    let name: String
    let program: String
    let arguments: [String]
    let source: Source
    /// Whether the source is started before the program.
    let isSourceFirst: Bool
    /// Whether the flood makes the program print.
    let hasOutput: Bool

    init(
        _ name: String,
        _ program: String,
        _ arguments: [String],
        sourceFirst: Bool = false,
        hasOutput: Bool = true,
        _ source: Source
    ) {
        self.name = name
        self.program = program
        self.arguments = arguments
        self.source = source
        self.isSourceFirst = sourceFirst
        self.hasOutput = hasOutput
    }

    /// The service and the characteristic of the flooding peripheral, and those of the described one.
    static let service = "3C7A0010-5C1B-4E0E-8B57-1B5F0E6A9D10"
    static let characteristic = "3C7A0011-5C1B-4E0E-8B57-1B5F0E6A9D10"

    /// The description for `advertise --gatt`.
    static let description = """
        { "name": "Described", "services": [ { "uuid": "\(service)", "characteristics": [
            { "uuid": "\(characteristic)", "properties": ["read", "write", "writeWithoutResponse", "notify"],
              "value": { "text": "Hello" } } ] } ] }
        """

    private static let ball = (
        service: "8E38140A-27BE-4090-8955-4FC4B5698D1E", question: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77",
        answer: "349A0D7B-6215-4E2C-A095-AF078D737445"
    )

    /// All cases; `GATT` stands for the file with ``description``, `AIR` for a socket.
    static let all: [FloodCase] = [
        FloodCase(
            "subscribe, notifications",
            "corebluetooth",
            ["subscribe", "Flood", characteristic],
            sourceFirst: true,
            .role("notify", [])
        ),
        FloodCase(
            "subscribe --json, notifications",
            "corebluetooth",
            ["subscribe", "Flood", characteristic, "--json"],
            sourceFirst: true,
            .role("notify", [])
        ),
        FloodCase(
            "advertise, writes without response",
            "corebluetooth",
            ["advertise", "--gatt", "GATT"],
            .role("write", [service, characteristic])
        ),
        FloodCase(
            "advertise, subscriptions",
            "corebluetooth",
            ["advertise", "--gatt", "GATT", "--verbose"],
            .role("subscribe", [service, characteristic])
        ),
        FloodCase(
            "eightball peripheral, questions",
            "eightball",
            ["peripheral", "--name", "Ball"],
            .role("ask", [ball.service, ball.question, ball.answer])
        ),
        FloodCase(
            "eightball peripheral, subscriptions",
            "eightball",
            ["peripheral", "--name", "Ball"],
            hasOutput: false,
            .role("subscribe", [ball.service, ball.answer])
        ),
        FloodCase(
            "blueear peripheral, messages",
            "blueear",
            ["peripheral"],
            .program("blueear", ["central", "--stay"], input: "question=How are you?")
        ),
        FloodCase(
            "blueear central, messages",
            "blueear",
            ["central", "--stay"],
            sourceFirst: true,
            .program("blueear", ["peripheral"], input: "answer=As always")
        ),
        FloodCase(
            "scan, advertisements",
            "corebluetooth",
            ["scan", "--duplicates"],
            .role("advertise", ["60"])
        ),
        FloodCase("capture, advertisements", "corebluetooth", ["capture"], .role("advertise", ["60"])),
        FloodCase(
            "capture of a program, notifications",
            "corebluetooth",
            ["capture", "--", "PROGRAM", "subscribe", "Flood", characteristic],
            sourceFirst: true,
            .role("notify", [])
        ),
        FloodCase(
            "air, hosts that come and go",
            "corebluetooth",
            ["air", "--listen", "unix:AIR"],
            .role("join", ["AIR"])
        ),
    ]
}
