// The application's answers: each is taken once, for the request that is open, and only as what was asked for.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: answers of the application")
struct GATTServerAnswersTests: GATTServerSuite {
    /// The name of a request of the one link.
    private static func id(_ sequence: UInt64) -> UInt64 { 1 << 32 | sequence }

    /// Answers to other requests than the write 1, and an answer to a read of that name, do nothing.
    private static func expectNoAnswerTaken(
        _ trial: inout ServerTrial,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        trial.answer(Self.id(0))
        trial.answer(Self.id(2))
        trial.answer(Self.id(2), error: .unlikelyError)
        trial.answer(Self.id(1), value: "01")
        let done = trial.take()
        #expect(done == [], sourceLocation: sourceLocation)
    }

    @Test("The answer to a Write Request is taken once, by its name, and not as that to a read")
    func write() throws {
        var trial = try ServerTrial()
        trial.receive("12 13 00 AA")
        #expect(trial.take() == ["write 1"])
        Self.expectNoAnswerTaken(&trial)
        trial.answer(Self.id(1))
        #expect(trial.take() == ["13"])
        trial.answer(Self.id(1))
        trial.answer(Self.id(1), error: .unlikelyError)
        #expect(trial.take() == [])
    }

    @Test("The answer to an Execute Write Request is taken once, by its name, and not as that to a read")
    func execute() throws {
        var trial = try ServerTrial()
        trial.receive("16 24 00 00 00 AA")
        #expect(trial.take() == ["17 24 00 00 00 AA"])
        trial.receive("18 01")
        #expect(trial.take() == ["write 1"])
        Self.expectNoAnswerTaken(&trial)
        trial.answer(Self.id(1), error: .valueNotAllowed)
        #expect(trial.take() == ["01 18 24 00 13"])
        trial.answer(Self.id(1))
        #expect(trial.take() == [])
    }

    @Test("The answer to a read is taken once, by its name, and not as that to a write")
    func read() throws {
        var trial = try ServerTrial()
        for (number, request, answer) in [
            (1, "0A 13 00", "0B 01"), (2, "0C 13 00 01 00", "0D 01"), (3, "08 13 00 13 00 02 A0", "09 03 13 00 01"),
            (4, "0E 10 00 13 00", "0F 01 02 03 01"), (5, "20 10 00 13 00", "21 03 00 01 02 03 01 00 01"),
        ] as [(UInt64, String, String)] {
            trial.receive(request)
            #expect(trial.take() == ["read \(number)"])
            trial.answer(Self.id(number - 1), value: "07")
            trial.answer(Self.id(number + 1), value: "07")
            trial.answer(Self.id(number))
            trial.answer(Self.id(number), error: .unlikelyError)
            #expect(trial.take() == [])
            trial.answer(Self.id(number), value: "01")
            #expect(trial.take() == [answer])
            trial.answer(Self.id(number), value: "01")
            #expect(trial.take() == [])
        }
    }

    @Test("Two values of the application in one request have names of their own")
    func several() throws {
        var trial = try ServerTrial()
        trial.receive("0E 13 00 13 00")
        #expect(trial.take() == ["read 1"])
        trial.answer(Self.id(1), value: "01")
        #expect(trial.take() == ["read 2"])
        trial.answer(Self.id(1), value: "02")
        #expect(trial.take() == [])
        trial.answer(Self.id(2), value: "03")
        #expect(trial.take() == ["0F 01 03"])
    }

    @Test(
        "A request while the application is asked to write ends the bearer, and its answer is too late",
        arguments: ["12 13 00 AA", "18 01"]
    )
    func requestWhilePending(first: String) throws {
        try self.run(
            """
            > 16 13 00 00 00 AA
            < 17 13 00 00 00 AA
            > \(first)
            ? write 0013 @0 AA
            > 52 15 00 01
            ? command 0015 01
            > 02 64 00
            ? failed requestWhilePending
            ok
            > 52 15 00 01
            close
            """
        )
    }

    @Test("Signed commands and confirmations may come while the application is asked")
    func commandsWhilePending() throws {
        try self.run(
            """
            > 12 13 00 AA
            ? write 0013 @0 AA
            > 1E
            > D2 15 00 01 00*12
            > 7F 01
            ok
            < 13
            """
        )
    }
}

extension ServerTrial {
    /// What the server has sent and asked since the last time.
    fileprivate mutating func take() -> [String] {
        self.take { action -> String? in
            switch action {
            case .send(let pdu, _): hex(pdu)
            case .read(let request): "read \(request.id.rawValue - (1 << 32))"
            case .write(let request): "write \((request.id?.rawValue ?? 0) - (1 << 32))"
            default: "other"
            }
        }
    }
}
