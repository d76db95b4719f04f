// The commands that a controller is asked, one after the other: Reset, what it is, what it can do, and then one
// harmless command many times, to measure its answers. No I/O and no clock: packets go in and out, with their times.
//
//     asking ── the answer ──▶ asking the next ── … ──▶ finished
//        └──── the time limit, reported by the owner ──▶ asking the next; at Reset: failed

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// Asks a controller for its abilities.
struct ControllerInterview {
    /// A command, and what its answer adds to the report.
    private struct Question {
        var name: String
        var opcode: HCIOpcode
        var packet: HCIPacket
        /// Whether it is sent even if the controller does not list it as supported.
        var isMandatory: Bool
        var take: (inout ControllerReport, ByteBuffer) -> Void
    }

    private enum State {
        case asking(Question, since: NIODeadline, isMeasured: Bool)
        case idle
    }

    /// Why the controller cannot be used: the status of a refused Reset.
    private(set) var refusal: HCIErrorCode?
    /// The report so far.
    private(set) var report = ControllerReport()
    private var questions: ArraySlice<Question>
    private var roundTripsLeft: Int
    private var times: [Double] = []
    private var state = State.idle

    /// - Parameter roundTrips: The number of times to send the harmless command.
    init(roundTrips: Int) {
        roundTripsLeft = roundTrips
        questions = Self.questions[...]
    }

    /// The next packet to send; `nil` at the end.
    mutating func next(now: NIODeadline) -> HCIPacket? {
        while let question = questions.popFirst() {
            let opcode = question.opcode
            guard question.isMandatory || report.commands.map({ Self.has($0, opcode) }) ?? true else { continue }
            state = .asking(question, since: now, isMeasured: false)
            return question.packet
        }
        guard roundTripsLeft > 0 else {
            report.roundTrips = Latency(milliseconds: times)
            return nil
        }
        roundTripsLeft -= 1
        let question = Self.question(ReadBDADDR()) { _, _ in }
        state = .asking(question, since: now, isMeasured: true)
        return question.packet
    }

    /// Takes a packet from the controller; returns whether it is the answer.
    mutating func receive(_ packet: HCIPacket, now: NIODeadline) -> Bool {
        guard case .asking(let question, let since, let isMeasured) = state, let event = try? HCIEvent(packet) else {
            return false
        }
        switch event {
        case .commandComplete(let event) where event.opcode == question.opcode:
            let status = event.returnParameters.getInteger(at: event.returnParameters.readerIndex, as: UInt8.self)
            if question.opcode == Reset.opcode, let status, status != 0 { refusal = HCIErrorCode(rawValue: status) }
            question.take(&report, event.returnParameters)
        case .commandStatus(let event) where event.opcode == question.opcode:
            if question.opcode == Reset.opcode, event.status != .success { refusal = event.status }
        default: return false
        }
        if isMeasured { times.append(Double((now - since).nanoseconds) / 1e6) }
        state = .idle
        return true
    }

    /// The controller has not answered in time; returns false if the interview cannot go on.
    mutating func timeOut() -> Bool {
        guard case .asking(let question, _, let isMeasured) = state else { return true }
        state = .idle
        guard question.opcode != Reset.opcode else { return false }
        if isMeasured { roundTripsLeft = 0 }
        report.unanswered.append(question.name)
        return true
    }

    // MARK: The questions

    static func has(_ commands: SupportedCommands, _ opcode: HCIOpcode) -> Bool {
        HCICommandTable.bit(of: opcode).map(commands.contains) ?? true
    }

    private static func question<Command: HCICommand>(
        _ command: Command,
        isMandatory: Bool = false,
        _ take: @escaping (inout ControllerReport, Command.ReturnParameters) -> Void
    ) -> Question {
        Question(name: Command.name, opcode: Command.opcode, packet: command.packet(), isMandatory: isMandatory) {
            report,
            bytes in
            var bytes = bytes
            guard let answer = try? Command.ReturnParameters(parsing: &bytes), answer.status == .success else { return }
            take(&report, answer)
        }
    }

    private static var questions: [Question] {
        [
            question(Reset(), isMandatory: true) { _, _ in },
            question(ReadLocalSupportedCommands(), isMandatory: true) { $0.commands = $1.commands },
            question(ReadLocalVersionInformation(), isMandatory: true) { $0.version = $1 },
            question(ReadLocalSupportedFeatures()) { $0.linkManagerFeatures = $1.features },
            question(LEReadLocalSupportedFeatures(), isMandatory: true) { $0.features = $1.features },
            question(LEReadSupportedStates()) { $0.states = $1.states },
            question(LEReadBufferSize(), isMandatory: true) {
                guard $1.aclDataPacketLength > 0 else { return }
                $0.buffers = (Int($1.aclDataPacketCount), Int($1.aclDataPacketLength), isShared: false)
            },
            // One pool for both radios (Vol 4, Part E, 7.8.2).
            question(ReadBufferSize()) {
                guard $0.buffers == nil else { return }
                $0.buffers = (Int($1.aclDataPacketCount), Int($1.aclDataPacketLength), isShared: true)
            },
            question(LEReadMaximumDataLength()) { $0.dataLength = Int($1.transmitOctets) },
            question(LEReadFilterAcceptListSize()) { $0.acceptListSize = Int($1.size) },
            question(LEReadResolvingListSize()) { $0.resolvingListSize = Int($1.size) },
            question(LEReadNumberOfSupportedAdvertisingSets()) { $0.advertisingSets = Int($1.count) },
            question(LEReadMaximumAdvertisingDataLength()) { $0.advertisingDataLength = Int($1.length) },
            question(LEReadTransmitPower()) {
                $0.transmitPower = ($1.minimum.dBm, $1.maximum.dBm)
            },
            question(ReadBDADDR(), isMandatory: true) { $0.address = $1.address },
        ]
    }
}
