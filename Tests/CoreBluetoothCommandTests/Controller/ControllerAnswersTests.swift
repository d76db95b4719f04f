// Answers of a controller that come twice or too late, and refusals: each question is answered once, and only a refused
// Reset ends the interview.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("The answers of a controller")
struct ControllerAnswersTests {
    private static func refusal(of opcode: HCIOpcode) -> HCIPacket {
        CommandStatus(status: .unknownCommand, opcode: opcode).packet()
    }

    @Test("An answer counts once, and behind it no time is up")
    func once() throws {
        var interview = ControllerInterview(roundTrips: 2)
        var now = NIODeadline.uptimeNanoseconds(0)
        while let packet = interview.next(now: now) {
            let answer = Self.refusal(of: try HCICommandPacket(packet).opcode)
            now = now + .milliseconds(1)
            let isTaken = interview.receive(answer, now: now)
            let isTakenAgain = interview.receive(answer, now: now)
            let goesOn = interview.timeOut()
            #expect(isTaken && !isTakenAgain && goesOn)
        }
        #expect(interview.report.unanswered.isEmpty && interview.report.roundTrips.count == 2)
    }

    @Test("An answer that comes when its time is up counts no more")
    func late() throws {
        var interview = ControllerInterview(roundTrips: 1)
        var now = NIODeadline.uptimeNanoseconds(0)
        while let packet = interview.next(now: now) {
            let opcode = try HCICommandPacket(packet).opcode
            now = now + .milliseconds(1)
            guard opcode == LEReadSupportedStates.opcode else {
                let isTaken = interview.receive(Self.refusal(of: opcode), now: now)
                #expect(isTaken)
                continue
            }
            let goesOn = interview.timeOut()
            let answer = CommandComplete.packet(LEReadSupportedStates.self, .init(states: .scannableAdvertising))
            let isTaken = interview.receive(answer, now: now)
            #expect(goesOn && !isTaken)
        }
        #expect(interview.report.states == nil && interview.report.roundTrips.count == 1)
        #expect(interview.report.unanswered == ["LE Read Supported States"])
    }

    @Test("The failure of another command than Reset is none of the controller, and neither is a Reset that succeeds")
    func failures() throws {
        var interview = ControllerInterview(roundTrips: 0)
        let now = NIODeadline.uptimeNanoseconds(0)
        while let packet = interview.next(now: now) {
            let opcode = try HCICommandPacket(packet).opcode
            let answer: HCIPacket
            switch opcode {
            case Reset.opcode: answer = CommandComplete.packet(Reset.self, .init())
            case LEReadLocalSupportedFeatures.opcode:
                answer = CommandComplete.packet(
                    LEReadLocalSupportedFeatures.self,
                    .init(status: .hardwareFailure, features: [.encryption])
                )
            default: answer = Self.refusal(of: opcode)
            }
            let isTaken = interview.receive(answer, now: now)
            #expect(isTaken)
        }
        #expect(interview.refusal == nil && interview.report.features == nil)
    }
}
