// What a receiver's host has had of an advertising set: every order of what may happen, compared with the rule.

import Fixtures
import Testing

@testable import BluetoothAir

@Suite("Receivers of advertising")
struct ReceiversTests {
    /// What happens to a receiver.
    private enum Step: Int, CaseIterable {
        case passive
        case active
        case response
        case otherContent
        case otherScan
    }

    @Test("all that may happen, in every order, on record")
    func orders() {
        for number in 0..<3_125 {
            var rest = number
            var reported = ReportedAdvertising()
            var content: UInt32 = 1
            var scan: UInt32 = 2
            var line = ""
            for _ in 0..<5 {
                let step = Step(rawValue: rest % 5) ?? .passive
                rest /= 5
                switch step {
                case .passive, .active:
                    let isNeeded = reported.needsReport(content, for: .changes(scan), awaitsResponse: step == .active)
                    if isNeeded { reported.noteReport() }
                    line += isNeeded ? "1" : "0"
                case .response:
                    let isNeeded = reported.needsResponse(for: .changes(scan))
                    if isNeeded { reported.noteResponse() }
                    line += isNeeded ? "r" : "-"
                case .otherContent: content += 1
                case .otherScan: scan += 1
                }
                line += reported.isComplete(content, for: .changes(scan)) ? "c" : "."
            }
            RunRecord.note("\(number) \(line)")
        }
    }

    @Test("a passive scan needs a report once; an active one twice at most, once with its response")
    func rules() {
        var passive = ReportedAdvertising()
        #expect(!passive.isComplete(1, for: .changes(2)))
        #expect(passive.needsReport(1, for: .changes(2), awaitsResponse: false) == true)
        passive.noteReport()
        #expect(passive.isComplete(1, for: .changes(2)))
        #expect(passive.needsReport(1, for: .changes(2), awaitsResponse: false) == false)
        #expect(passive.needsReport(1, for: .everything, awaitsResponse: false) == true)

        var active = ReportedAdvertising()
        for count in 1...2 {
            #expect(active.needsReport(1, for: .changes(2), awaitsResponse: true) == true, "\(count)")
            active.noteReport()
            #expect(!active.isComplete(1, for: .changes(2)), "its response is missing")
        }
        #expect(active.needsReport(1, for: .changes(2), awaitsResponse: true) == false)
        #expect(active.needsResponse(for: .changes(2)) && active.needsResponse(for: .everything))
        active.noteResponse()
        #expect(!active.needsResponse(for: .changes(2)) && active.needsResponse(for: .everything))
        #expect(active.isComplete(1, for: .changes(2)))
        #expect(!active.isComplete(2, for: .changes(2)) && !active.isComplete(1, for: .changes(3)))
    }

    @Test("the numbers of scans begin behind those with a meaning, and after the last one again")
    func numbers() {
        for (number, next) in [(0, 2), (1, 2), (2, 3), (7, 8), (.max - 1, .max), (.max, 2)] as [(UInt32, UInt32)] {
            #expect(Hearing.number(after: number) == next)
        }
        #expect(!Hearing.notListening.omitsRepetitions && !Hearing.everything.omitsRepetitions)
        #expect(Hearing.changes(2).omitsRepetitions)
        #expect(Hearing.notListening != .everything)
    }
}
