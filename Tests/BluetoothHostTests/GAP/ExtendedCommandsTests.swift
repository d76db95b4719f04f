// The choice between legacy and extended commands, by what a controller accepts and what it hears.

import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Extended commands")
struct ExtendedCommandsTests {
    private static let second = TimeAmount.seconds(1)

    private static func time(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(0) + .milliseconds(milliseconds)
    }

    private static func onTrial() -> ExtendedCommands {
        var commands = ExtendedCommands()
        commands.started(takesExtended: true, takesLegacy: true)
        return commands
    }

    /// Scans for the current turn, hears something, and ends the turn.
    private static func turn(
        _ commands: inout ExtendedCommands,
        from start: Int64,
        legacyReports: Int = 0
    ) -> ExtendedCommands.TurnEnd? {
        commands.scanBegan(by: commands.forScanning[0], now: self.time(start))
        for _ in 0..<legacyReports { commands.heard(by: .legacy) }
        commands.scanEnded(now: self.time(start + 400))
        commands.scanBegan(by: commands.forScanning[0], now: self.time(start + 500))
        #expect(commands.deadline == self.time(start + 1_100))
        #expect(commands.advance(to: self.time(start + 1_099)) == nil)
        return commands.advance(to: self.time(start + 1_100))
    }

    @Test("are chosen at the start by what the controller accepts")
    func start() {
        var commands = ExtendedCommands()
        for (takesExtended, takesLegacy, areUsed, areOnTrial) in [
            (false, false, false, false), (false, true, false, false), (true, false, true, false),
            (true, true, true, true),
        ] {
            commands.started(takesExtended: takesExtended, takesLegacy: takesLegacy)
            #expect(commands.areUsed == areUsed && commands.areOnTrial == areOnTrial && commands.deadline == nil)
        }
        #expect(!ExtendedCommands().areUsed)
    }

    @Test("have legacy ones in reserve, and use these for roles that cannot be judged yet")
    func reserve() {
        var commands = ExtendedCommands()
        #expect(commands.forScanning == [.legacy] && commands.forAdvertising == [.legacy])
        #expect(commands.forInitiating == [.legacy])
        commands.started(takesExtended: true, takesLegacy: false)
        let both: [CommandFamily] = [.extended, .legacy]
        #expect(commands.forScanning == both && commands.forAdvertising == both && commands.forInitiating == both)
        commands.started(takesExtended: true, takesLegacy: true)
        #expect(commands.forScanning == both && commands.forAdvertising == [.legacy, .extended])
        #expect(commands.forInitiating == [.legacy])
    }

    @Test("are used from the first extended report on, in any turn", arguments: [0, 1, 2])
    func heard(turns: Int) {
        var commands = Self.onTrial()
        for number in 0..<turns { #expect(Self.turn(&commands, from: Int64(number) * 2_000) == .next) }
        commands.scanBegan(by: commands.forScanning[0], now: Self.time(10_000))
        commands.heard(by: .extended)
        #expect(commands.areUsed && !commands.areOnTrial && commands.deadline == nil)
        #expect(commands.advance(to: Self.time(20_000)) == nil)
    }

    @Test("are given up after a silent turn following ten legacy reports, and not before", arguments: [9, 10])
    func deaf(reports: Int) {
        var commands = Self.onTrial()
        #expect(Self.turn(&commands, from: 0) == .next)
        #expect(Self.turn(&commands, from: 2_000, legacyReports: reports) == .next)
        #expect(commands.areOnTrial, "the device may have appeared in the legacy turn")
        #expect(Self.turn(&commands, from: 4_000) == (reports == 10 ? .deaf : .next))
        #expect(commands.areUsed == (reports == 9))
        guard reports == 9 else { return }
        #expect(Self.turn(&commands, from: 6_000, legacyReports: 1) == .next)
        #expect(Self.turn(&commands, from: 8_000) == .deaf)
    }

    @Test("alternate as long as no command reports anything")
    func silence() {
        var commands = Self.onTrial()
        for number in 0..<100 {
            #expect(commands.forScanning == (number % 2 == 0 ? [.extended, .legacy] : [.legacy, .extended]))
            #expect(Self.turn(&commands, from: Int64(number) * 2_000) == .next)
        }
        #expect(commands.areOnTrial)
    }

    @Test("are not given up because of a scan that had to be a legacy one")
    func refusedTurn() {
        var commands = Self.onTrial()
        for number in 0..<4 {
            let start = Int64(number) * 2_000
            #expect(commands.forScanning[0] == .extended)
            commands.scanBegan(by: .legacy, now: Self.time(start))
            for _ in 0..<20 { commands.heard(by: .legacy) }
            #expect(commands.advance(to: Self.time(start + 1_000)) == .next)
        }
        #expect(commands.areOnTrial)
    }
}
