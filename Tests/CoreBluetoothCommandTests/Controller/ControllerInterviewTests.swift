// What a controller is asked, and what is made of its answers.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth controller")
struct ControllerInterviewTests {
    /// Answers the commands of an interview, each after 2 ms; those that are not in the table are refused.
    private func run(
        _ interview: inout ControllerInterview,
        _ answers: [HCIOpcode: HCIPacket],
        silent: Set<HCIOpcode> = []
    ) throws -> [HCIOpcode] {
        var now = NIODeadline.uptimeNanoseconds(0)
        var asked: [HCIOpcode] = []
        while let packet = interview.next(now: now) {
            let opcode = try HCICommandPacket(packet).opcode
            asked.append(opcode)
            now = now + .milliseconds(2)
            guard !silent.contains(opcode) else {
                let goesOn = interview.timeOut()
                #expect(goesOn)
                continue
            }
            // What is no answer is not taken for one.
            let other = CommandStatus(status: .success, opcode: HCIOpcode(rawValue: 0)).packet()
            let isAnswer = interview.receive(other, now: now)
            #expect(!isAnswer)
            let refusal = CommandStatus(status: .unknownCommand, opcode: opcode).packet()
            let isTaken = interview.receive(answers[opcode] ?? refusal, now: now)
            #expect(isTaken)
        }
        return asked
    }

    @Test("A controller is asked for what it says that it knows, and reported with what it has said")
    func answers() throws {
        var commands = SupportedCommands([Reset.self, LEReadFilterAcceptListSize.self])
        commands.insert(LEReadSupportedStates.self)
        var interview = ControllerInterview(roundTrips: 3)
        let asked = try run(
            &interview,
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
            silent: [LEReadSupportedStates.opcode]
        )
        #expect(asked.first == Reset.opcode)
        #expect(!asked.contains(LEReadResolvingListSize.opcode))
        #expect(asked.suffix(3) == [ReadBDADDR.opcode, ReadBDADDR.opcode, ReadBDADDR.opcode])
        let fields = interview.report.fields(listsCommands: true)
        #expect(
            fields.map { "\($0.name): \($0.value)" } == [
                "version: Bluetooth 5.4, revision 0x0007", "HCI: Bluetooth 5.0, revision 0x0000",
                "manufacturer: Apple", "address: none of its own", "PHYs: 1M, Coded",
                "LE features: 3: LE Encryption, LE Coded PHY, bit 60",
                "commands: 3: Reset, LE Read Filter Accept List Size, LE Read Supported States",
                "buffers: 12 of 251 octets", "accept list: 9 devices", "not answered: LE Read Supported States",
                "round trip: median 2.00 ms, 99 % within 2.00 ms, at most 2.00 ms (3 times Read BD_ADDR)",
            ]
        )
        let details = interview.report.details(adapter: "hci0")
        #expect(details.contains { $0.key == "acceptListSize" && $0.value.text == "9" })
        #expect(details.contains { $0.key == "resolvingListSize" && $0.value.text == "null" })
        #expect(details.contains { $0.key == "roundTrip" && $0.value.text.hasPrefix("{\"count\":3,\"median\":2.0") })
    }

    @Test("A controller that says to know nothing is asked for what each has to know, in this order")
    func mandatory() throws {
        var interview = ControllerInterview(roundTrips: 1)
        let commands = CommandComplete.packet(ReadLocalSupportedCommands.self, .init(commands: SupportedCommands([])))
        let asked = try run(
            &interview,
            [
                Reset.opcode: CommandComplete.packet(Reset.self, .init()), ReadLocalSupportedCommands.opcode: commands,
                // What is said beside an error is not taken.
                LEReadLocalSupportedFeatures.opcode: CommandComplete.packet(
                    LEReadLocalSupportedFeatures.self,
                    .init(status: .hardwareFailure, features: [.encryption])
                ),
            ]
        )
        #expect(
            asked == [
                Reset.opcode, ReadLocalSupportedCommands.opcode, ReadLocalVersionInformation.opcode,
                LEReadLocalSupportedFeatures.opcode, LEReadBufferSize.opcode, ReadBDADDR.opcode, ReadBDADDR.opcode,
            ]
        )
        #expect(interview.report.features == nil && interview.report.roundTrips.count == 1)
    }

    @Test("A controller that does not answer Reset, or refuses it, is not to be had")
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
        // One that stops to answer is not asked for ever.
        var stalled = ControllerInterview(roundTrips: 1000)
        let asked = try run(&stalled, [:], silent: [ReadBDADDR.opcode])
        #expect(asked.count < 30)
        #expect(stalled.report.unanswered == ["Read BD_ADDR", "Read BD_ADDR"])
    }

    @Test("A command without a place in the list may be known; one with a place is, where the list has it")
    func listed() {
        let none = SupportedCommands([])
        #expect(ControllerInterview.has(none, ReadLocalSupportedCommands.opcode))
        #expect(ControllerInterview.has(none, HCIOpcode(rawValue: 0)))
        #expect(!ControllerInterview.has(none, Reset.opcode))
        #expect(ControllerInterview.has(SupportedCommands([Reset.self]), Reset.opcode))
        #expect(!ControllerInterview.has(SupportedCommands([ReadBDADDR.self]), Reset.opcode))
    }

    @Test("Every feature that the specification names has a name here, and fields stand below each other")
    func names() {
        #expect(LEFeatures(rawValue: (1 << 48) - 1).names.count == 48)
        #expect(!LEFeatures(rawValue: (1 << 48) - 1).names.contains { $0.hasPrefix("bit ") })
        #expect(LEFeatures.channelSoundingHostSupport.names == ["Channel Sounding (host support)"])
        #expect(LEFeatures.phyCoded.names == ["LE Coded PHY"])
        #expect(LEFeatures.connectionSubrating.names == ["Connection Subrating"])
        #expect(
            FieldText.text([("a", "one two three"), ("bcd", "x")], columns: 16) == "a    one two\n     three\nbcd  x"
        )
        #expect(FieldText.text([("a", "one two three")], columns: nil) == "a  one two three")
    }
}
