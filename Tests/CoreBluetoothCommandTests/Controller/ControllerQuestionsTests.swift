// The questions of an interview one by one: their order where a controller does not say which commands it knows, what
// of each answer is kept, and whose buffers count where a controller has two pools or one.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("The questions to a controller")
struct ControllerQuestionsTests {
    /// What a controller is asked and what is known then; what it has no answer for it refuses.
    private static func interview(
        _ answers: [HCIOpcode: HCIPacket],
        roundTrips: Int = 0
    ) throws -> (report: ControllerReport, asked: [HCIOpcode]) {
        var interview = ControllerInterview(roundTrips: roundTrips)
        var asked: [HCIOpcode] = []
        var now = NIODeadline.uptimeNanoseconds(0)
        while let packet = interview.next(now: now) {
            let opcode = try HCICommandPacket(packet).opcode
            asked.append(opcode)
            now = now + .milliseconds(1)
            let refusal = CommandStatus(status: .unknownCommand, opcode: opcode).packet()
            let isTaken = interview.receive(answers[opcode] ?? refusal, now: now)
            #expect(isTaken)
        }
        return (interview.report, asked)
    }

    @Test("A controller that does not say what it knows is asked for everything, and refuses what it does not know")
    func order() throws {
        let (report, asked) = try Self.interview([:], roundTrips: 2)
        #expect(
            asked == [
                Reset.opcode, ReadLocalSupportedCommands.opcode, ReadLocalVersionInformation.opcode,
                LEReadLocalSupportedFeatures.opcode, LEReadSupportedStates.opcode, LEReadBufferSize.opcode,
                ReadBufferSize.opcode, LEReadMaximumDataLength.opcode, LEReadFilterAcceptListSize.opcode,
                LEReadResolvingListSize.opcode, LEReadNumberOfSupportedAdvertisingSets.opcode,
                LEReadMaximumAdvertisingDataLength.opcode, LEReadTransmitPower.opcode, ReadBDADDR.opcode,
                ReadBDADDR.opcode, ReadBDADDR.opcode,
            ]
        )
        #expect(report.commands == nil && report.version == nil && report.states == nil && report.buffers == nil)
        #expect(report.unanswered.isEmpty && report.roundTrips.count == 2)
    }

    @Test("Of each answer the number that it is asked for is kept")
    func numbers() throws {
        let (report, _) = try Self.interview([
            LEReadSupportedStates.opcode:
                CommandComplete.packet(LEReadSupportedStates.self, .init(states: .scannableAdvertising)),
            LEReadMaximumDataLength.opcode: CommandComplete.packet(
                LEReadMaximumDataLength.self,
                .init(transmitOctets: 251, transmitTime: 2_120)
            ),
            LEReadFilterAcceptListSize.opcode:
                CommandComplete.packet(LEReadFilterAcceptListSize.self, .init(size: 8)),
            LEReadResolvingListSize.opcode: CommandComplete.packet(LEReadResolvingListSize.self, .init(size: 9)),
            LEReadNumberOfSupportedAdvertisingSets.opcode:
                CommandComplete.packet(LEReadNumberOfSupportedAdvertisingSets.self, .init(count: 10)),
            LEReadMaximumAdvertisingDataLength.opcode:
                CommandComplete.packet(LEReadMaximumAdvertisingDataLength.self, .init(length: 1_650)),
            LEReadTransmitPower.opcode:
                CommandComplete.packet(LEReadTransmitPower.self, .init(minimum: -20, maximum: 10)),
        ])
        #expect(report.states == .scannableAdvertising && report.dataLength == 251)
        #expect(report.acceptListSize == 8 && report.resolvingListSize == 9)
        #expect(report.advertisingSets == 10 && report.advertisingDataLength == 1_650)
        #expect(report.transmitPower.map { [$0.minimum, $0.maximum] } == [-20, 10])
    }

    @Test("What an answer says beside an error is not kept")
    func failed() throws {
        let (report, _) = try Self.interview([
            LEReadFilterAcceptListSize.opcode: CommandComplete.packet(
                LEReadFilterAcceptListSize.self,
                .init(status: .hardwareFailure, size: 8)
            ),
            LEReadTransmitPower.opcode: CommandComplete.packet(
                LEReadTransmitPower.self,
                .init(status: .hardwareFailure, minimum: -20, maximum: 10)
            ),
        ])
        #expect(report.acceptListSize == nil && report.transmitPower == nil)
    }

    @Test(
        "The buffers are those of LE; where LE has none of its own, those of both radios (Vol 4, Part E, 7.8.2)",
        arguments: [
            (27, true, [4, 27]), (1, true, [4, 1]), (0, true, [6, 310]), (27, false, [4, 27]), (0, false, nil),
        ] as [(UInt16, Bool, [Int]?)]
    )
    func buffers(length: UInt16, hasBoth: Bool, expected: [Int]?) throws {
        var answers = [
            LEReadBufferSize.opcode: CommandComplete.packet(
                LEReadBufferSize.self,
                .init(aclDataPacketLength: length, aclDataPacketCount: 4)
            )
        ]
        if hasBoth {
            answers[ReadBufferSize.opcode] = CommandComplete.packet(
                ReadBufferSize.self,
                .init(
                    aclDataPacketLength: 310,
                    synchronousDataPacketLength: 60,
                    aclDataPacketCount: 6,
                    synchronousDataPacketCount: 2
                )
            )
        }
        let (report, _) = try Self.interview(answers)
        #expect(report.buffers.map { [$0.count, $0.length] } == expected)
    }
}
