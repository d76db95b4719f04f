import CommandLineTool
import CoreBluetooth
import Foundation
@preconcurrency import ITCB
import SessionTestbed
import Testing

@testable import eightball

@Suite("Errors of eightball peripheral")
struct EightBallErrorsTests {
    @Test("reports errors of the ball and of answers")
    func ballErrors() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) { @MainActor in
            let run = SessionRun()
            try run.world.addDevice("ball").run {
                let session = PeripheralSession(name: "Anna", output: OutputFormat(isJSON: false, isVerbose: true))
                let sdk = try #require(ITCB_SDK.createInstance(isCentral: false))
                let reasons: [(any Error)?] = [
                    nil, ITCB_RejectionReason.deviceOffline, CBATTError(.invalidPdu), CBError(.connectionTimeout),
                ]
                for reason in reasons {
                    for error in [ITCB_Errors.coreBluetooth(reason), .sendFailed(reason), .unknown(reason)] {
                        session.errorOccurred(error, sdk: sdk)
                    }
                }
            }
            exit(0)
        }
        let lines = try #require(result).errorLines
        #expect(lines.count == 12)
        #expect(lines[0].hasSuffix("ball waits for Bluetooth") && lines[3].hasSuffix("the ball went offline"))
        #expect(lines[4].hasSuffix("an answer was lost: the central went offline"))
    }
}
