import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("An interview with a controller")
struct ControllerInterviewTests {
    /// The report of an interview, and the commands that were asked, each of which is answered after 2 ms; commands
    /// without an answer are refused.
    private func interview(
        _ answers: [HCIOpcode: HCIPacket],
        roundTrips: Int = 0,
        silent: Set<HCIOpcode> = []
    ) throws -> (report: ControllerReport, asked: [HCIOpcode]) {
        var interview = ControllerInterview(roundTrips: roundTrips)
        var now = NIODeadline.uptimeNanoseconds(0)
        var asked: [HCIOpcode] = []
        while let packet = interview.next(now: now) {
            let opcode = try HCICommandPacket(packet).opcode
            asked.append(opcode)
            now = now + .milliseconds(2)
            let answer = answers[opcode] ?? CommandStatus(status: .unknownCommand, opcode: opcode).packet()
            guard !silent.contains(opcode) else {
                // An answer that comes when its time is up is ignored.
                let (goesOn, isTaken) = (interview.timeOut(), interview.receive(answer, now: now))
                #expect(goesOn && !isTaken)
                continue
            }
            let other = CommandStatus(status: .success, opcode: HCIOpcode(rawValue: 0)).packet()
            let isAnswer = interview.receive(other, now: now)
            let isTaken = interview.receive(answer, now: now)
            // There is one answer to each question, behind which no time is up.
            let (isTakenAgain, goesOn) = (interview.receive(answer, now: now), interview.timeOut())
            #expect(!isAnswer && isTaken && !isTakenAgain && goesOn)
        }
        return (interview.report, asked)
    }

    @Test("asks a controller for what it says that it knows, and reports what it has said")
    func answers() throws {
        var commands = SupportedCommands([Reset.self, LEReadFilterAcceptListSize.self])
        commands.insert(LEReadSupportedStates.self)
        let (report, asked) = try interview(
            [
                Reset.opcode: CommandComplete.packet(Reset.self, .init()),
                ReadLocalSupportedCommands.opcode:
                    CommandComplete.packet(ReadLocalSupportedCommands.self, .init(commands: commands)),
                ReadLocalVersionInformation.opcode: CommandComplete.packet(
                    ReadLocalVersionInformation.self,
                    .init(hciVersion: .v5_0, linkLayerVersion: .v5_4, company: 0x004C, linkLayerSubversion: 7)
                ),
                LEReadLocalSupportedFeatures.opcode: CommandComplete.packet(
                    LEReadLocalSupportedFeatures.self,
                    .init(features: [.encryption, .phyCoded, LEFeatures(rawValue: 1 << 60)])
                ),
                LEReadFilterAcceptListSize.opcode:
                    CommandComplete.packet(LEReadFilterAcceptListSize.self, .init(size: 9)),
                LEReadBufferSize.opcode: CommandComplete.packet(
                    LEReadBufferSize.self,
                    .init(aclDataPacketLength: 251, aclDataPacketCount: 12)
                ),
                ReadBDADDR.opcode: CommandComplete.packet(ReadBDADDR.self, .init(address: .none)),
            ],
            roundTrips: 3,
            silent: [LEReadSupportedStates.opcode]
        )
        #expect(asked.first == Reset.opcode)
        #expect(!asked.contains(LEReadResolvingListSize.opcode) && asked.contains(LEReadBufferSize.opcode))
        #expect(asked.suffix(3) == [ReadBDADDR.opcode, ReadBDADDR.opcode, ReadBDADDR.opcode])
        #expect(report.version?.linkLayerVersion == .v5_4 && report.version?.company == 0x004C)
        #expect(report.features == [.encryption, .phyCoded, LEFeatures(rawValue: 1 << 60)])
        #expect(report.commands == commands && report.buffers.map { [$0.count, $0.length] } == [12, 251])
        #expect(report.acceptListSize == 9 && report.resolvingListSize == nil && report.address == DeviceAddress.none)
        #expect(report.unanswered == ["LE Read Supported States"] && report.states == nil)
        #expect(report.roundTrips.count == 3 && report.roundTrips.maximum == 2)
    }

    @Test("ends at a controller that does not answer Reset, refuses it, or stops to answer")
    func dead() throws {
        var silent = ControllerInterview(roundTrips: 3)
        _ = silent.next(now: .uptimeNanoseconds(0))
        let goesOn = silent.timeOut()
        #expect(!goesOn)
        var refused = ControllerInterview(roundTrips: 3)
        _ = refused.next(now: .uptimeNanoseconds(0))
        let status = HCIErrorCode.connectionRejectedLimitedResources
        let packet = CommandComplete.packet(Reset.self, .init(status: status))
        let isTaken = refused.receive(packet, now: .uptimeNanoseconds(1))
        #expect(isTaken)
        #expect(refused.refusal == status)
        var cold = ControllerInterview(roundTrips: 3)
        _ = cold.next(now: .uptimeNanoseconds(0))
        let answer = CommandStatus(status: .unknownCommand, opcode: Reset.opcode).packet()
        let isAnswer = cold.receive(answer, now: .uptimeNanoseconds(1))
        #expect(isAnswer && cold.refusal == .unknownCommand, "a chip in its bootloader knows no Reset")
        let (report, asked) = try interview([:], roundTrips: 1000, silent: [ReadBDADDR.opcode])
        #expect(asked.count < 30)
        #expect(report.unanswered == ["Read BD_ADDR", "Read BD_ADDR"])
    }

    @Test("takes a command as known if the list has its place, or no place for it")
    func listed() {
        let none = SupportedCommands([])
        #expect(ControllerInterview.has(none, ReadLocalSupportedCommands.opcode))
        #expect(ControllerInterview.has(none, HCIOpcode(rawValue: 0)))
        #expect(!ControllerInterview.has(none, Reset.opcode))
        #expect(ControllerInterview.has(SupportedCommands([Reset.self]), Reset.opcode))
        #expect(!ControllerInterview.has(SupportedCommands([ReadBDADDR.self]), Reset.opcode))
    }

    @Test("asks a controller that does not say what it knows for everything")
    func order() throws {
        let (report, asked) = try interview([:], roundTrips: 2)
        #expect(
            asked == [
                Reset.opcode, ReadLocalSupportedCommands.opcode, ReadLocalVersionInformation.opcode,
                ReadLocalSupportedFeatures.opcode, LEReadLocalSupportedFeatures.opcode, LEReadSupportedStates.opcode,
                LEReadBufferSize.opcode,
                ReadBufferSize.opcode, LEReadMaximumDataLength.opcode, LEReadFilterAcceptListSize.opcode,
                LEReadResolvingListSize.opcode, LEReadNumberOfSupportedAdvertisingSets.opcode,
                LEReadMaximumAdvertisingDataLength.opcode, LEReadTransmitPower.opcode, ReadBDADDR.opcode,
                ReadBDADDR.opcode, ReadBDADDR.opcode,
            ]
        )
        #expect(report.commands == nil && report.version == nil && report.states == nil && report.buffers == nil)
        #expect(report.unanswered.isEmpty && report.roundTrips.count == 2)
    }

    @Test("keeps of each answer the number that it was asked for")
    func numbers() throws {
        let (report, _) = try interview([
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

    @Test("keeps nothing that an answer says beside an error")
    func failed() throws {
        let (report, _) = try interview([
            LEReadLocalSupportedFeatures.opcode: CommandComplete.packet(
                LEReadLocalSupportedFeatures.self,
                .init(status: .hardwareFailure, features: [.encryption])
            ),
            LEReadFilterAcceptListSize.opcode: CommandComplete.packet(
                LEReadFilterAcceptListSize.self,
                .init(status: .hardwareFailure, size: 8)
            ),
            LEReadTransmitPower.opcode: CommandComplete.packet(
                LEReadTransmitPower.self,
                .init(status: .hardwareFailure, minimum: -20, maximum: 10)
            ),
        ])
        #expect(report.features == nil && report.acceptListSize == nil && report.transmitPower == nil)
    }

    @Test(
        "has the buffers of LE, or those of both radios if LE has none (Vol 4, Part E, 7.8.2)",
        arguments: [
            (27, true, [4, 27, 0]), (1, true, [4, 1, 0]), (0, true, [6, 310, 1]), (27, false, [4, 27, 0]),
            (0, false, nil),
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
        let (report, _) = try interview(answers)
        #expect(report.buffers.map { [$0.count, $0.length, $0.isShared ? 1 : 0] } == expected)
    }
}
