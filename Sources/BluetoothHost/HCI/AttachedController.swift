// The controller of a host: taking it into use, commands and their answers, and what happens when it fails.
//
//     detached ── attach ──▶ starting ── `ControllerSetup` is done ──▶ ready
//        ▲                       └─────────────┬────────────────────────┘
//        │                                     ├── it fails, or its channel closes ──▶ failed, unsupported
//        └──────────── detach ─────────────────┘
//
// What a controller can do: leave a command without an answer, which is asked for its address then and has failed where
// it does not even answer that; reset itself; send what cannot be read, which is ignored; ask faster than it takes
// answers, and then gets none.

import BluetoothHCI
import BluetoothTypes
import Logging
import NIOCore

/// The controller that a host is attached to.
final class AttachedController {
    /// What the host has to do.
    enum Action {
        /// Use the controller as ``information`` says; it is ready then.
        case begin
        /// End everything that needs the controller.
        case end
        /// Tell the user of the new state.
        case report(LEHostState)
    }

    /// The number of answers to what a controller asks that may wait.
    private static let waitingRepliesLimit = 64
    /// The number of unreadable packets of one controller that are logged.
    private static let unreadableLogLimit = 5

    /// Where the host stands with it.
    private(set) var state = LEHostState.detached
    /// What it has said of itself, once it is set up.
    private(set) var information = ControllerInformation()
    /// The way to it; `nil` without a controller.
    @exclusivity(unchecked) private(set) var channel: (any HCIChannel)?
    /// Carries out what is to be done.
    var perform: (Action) -> Void = { _ in }

    @exclusivity(unchecked) private var commands = CommandQueue()
    private var setup: ControllerSetup?
    /// Whether it is being asked if it is still there.
    private var isProbing = false
    private var unreadablePacketCount = 0
    private let loop: HostLoop
    private let configuration: LEHostConfiguration
    private let log: Logger

    init(_ loop: HostLoop, _ configuration: LEHostConfiguration, _ log: Logger) {
        self.loop = loop
        self.configuration = configuration
        self.log = log
    }

    /// Whether it is set up and has not failed.
    var isReady: Bool { self.state == .ready }

    /// The number of commands that wait until the controller takes another one.
    var waitingCommandCount: Int { self.commands.waitingCount }

    // MARK: Begin and end

    /// Takes a controller into use.
    func attach(to channel: any HCIChannel) {
        precondition(channel.eventLoop === self.loop.eventLoop, "a host and its channel share one event loop")
        self.detach()
        self.channel = channel
        channel.start(receiver: self.loop.entry)
        self.state = .starting
        self.perform(.report(.starting))
        let setup = ControllerSetup(self, self.loop, self.configuration, self.log)
        self.setup = setup
        setup.run()
        self.loop.scheduleTurn()
    }

    /// What the setup has found out.
    func finish(_ setup: ControllerSetup, _ information: ControllerInformation) {
        self.setup = nil
        self.information = information
        self.state = .ready
        self.perform(.begin)
        self.perform(.report(.ready))
    }

    /// Whether a setup is that of the present controller.
    func isSettingUp(_ setup: ControllerSetup) -> Bool { self.setup === setup }

    /// Lets the controller go at once, whatever it is doing.
    func detach() {
        guard let channel = self.channel else { return }
        self.channel = nil
        channel.close()
        self.lose(.detached)
    }

    /// Lets a controller go that failed, with one line that says why.
    func fail(_ reason: String) { self.letGo(.failed(reason), reason) }

    /// Lets a controller go that cannot be used.
    func letGo(_ state: LEHostState, _ reason: String) {
        guard let channel = self.channel else { return }
        self.channel = nil
        channel.close()
        // A controller that does not start is reported by the state, which has the reason, to the user of the host.
        if case .starting = self.state {
            self.log.debug("the controller did not start: \(reason)")
        } else {
            self.log.error("the controller failed: \(reason)")
        }
        self.lose(state)
    }

    /// The channel is closed.
    func closed(_ channel: any HCIChannel, reason: String) {
        guard channel === self.channel else { return }
        self.channel = nil
        self.log.error("the controller is gone: \(reason)")
        self.lose(.failed(reason))
    }

    private func lose(_ state: LEHostState) {
        // When the end of a link is reported, the state already says that the controller is gone.
        self.state = state
        self.setup = nil
        for entry in self.commands.abandon() { entry.completion(.abandoned) }
        self.perform(.end)
        self.isProbing = false
        self.unreadablePacketCount = 0
        self.information = ControllerInformation()
        self.perform(.report(state))
        self.loop.scheduleTurn()
    }

    // MARK: Commands

    /// Queues a command; the completion comes in a later turn.
    /// - Parameter timeout: A time limit of its own.
    func send<Command: HCICommand>(
        _ command: Command,
        timeout: TimeAmount? = nil,
        completion: @escaping (Result<Command.ReturnParameters, LEHostError>) -> Void
    ) {
        guard self.channel != nil else {
            return self.loop.afterwards { completion(.failure(.controllerLost)) }
        }
        self.commands.append(CommandQueue.Entry(command, timeout: timeout, completion))
        self.loop.scheduleTurn()
    }

    /// Queues a command; the completion gets the reason why it failed.
    func send<Command: HCICommand>(_ command: Command, then completion: @escaping (LEHostError?) -> Void) {
        self.send(command) { completion($0.failure) }
    }

    /// Queues a command whose result changes nothing here.
    func send(_ command: some HCICommand) {
        self.send(command) { _ in }
    }

    /// Sends an answer to something that the controller asks, unless it asks faster than it takes answers.
    func reply(_ command: some HCICommand) {
        guard self.waitingCommandCount < Self.waitingRepliesLimit else { return }
        self.send(command)
    }

    /// Lets the next command leave, if the controller takes one.
    func transmit() {
        guard let packet = self.commands.next(now: self.loop.now, timeout: self.configuration.commandTimeout) else {
            return
        }
        self.channel?.send(packet)
    }

    private func answered(_ opcode: HCIOpcode, credits: UInt8, outcome: CommandOutcome) {
        if let entry = self.commands.answered(opcode, credits: credits) {
            entry.completion(outcome)
        } else if opcode == Reset.opcode, case .ready = self.state {
            // It has reset itself, and lost all that it was configured with.
            self.fail("the controller has reset itself")
        }
    }

    /// When a command is overdue.
    var deadline: NIODeadline? { self.commands.nextDeadline }

    /// Gives up a command that is overdue.
    func advance(to now: NIODeadline) {
        guard let entry = self.commands.expired(at: now) else { return }
        // Reset is sent again, and has a line of its own in the end.
        if entry.opcode != Reset.opcode {
            // Sent before all others, so that a controller that has stopped is found out before more commands wait.
            self.probe()
            self.log.warning("the controller did not answer command \(entry.opcode)")
        }
        entry.completion(.unanswered)
    }

    /// Asks a controller that has not answered a command whether it is still there. Some controllers never answer some
    /// commands; one that does not even answer with its address has stopped.
    private func probe() {
        guard !self.isProbing, self.channel != nil else { return }
        self.isProbing = true
        let entry = CommandQueue.Entry(ReadBDADDR()) { [unowned self] result in
            self.isProbing = false
            guard case .failure(.unanswered) = result else { return }
            self.fail("the controller has stopped answering: unplug it and plug it in again, or restart what serves it")
        }
        self.commands.prepend(entry)
        self.loop.scheduleTurn()
    }

    // MARK: Events

    /// Takes an event; returns one that concerns more than commands and the controller itself.
    func receive(_ packet: HCIPacket) -> HCIEvent? {
        let event: HCIEvent
        do {
            event = try HCIEvent(packet)
        } catch {
            self.noteUnreadable("a malformed HCI event", error)
            return nil
        }
        switch event {
        case .commandComplete(let event):
            self.answered(
                event.opcode,
                credits: event.numberOfCommandPackets,
                outcome: .complete(event.returnParameters)
            )
        case .commandStatus(let event):
            self.answered(event.opcode, credits: event.numberOfCommandPackets, outcome: .status(event.status))
        case .hardwareError(let event):
            self.fail("the controller reported hardware error \(event.hardwareCode)")
        default: return event
        }
        return nil
    }

    /// Logs that a packet could not be read. The number of these lines is limited: a broken controller sends many.
    func noteUnreadable(_ what: String, _ error: any Error) {
        self.unreadablePacketCount += 1
        guard self.unreadablePacketCount <= Self.unreadableLogLimit else { return }
        let last = self.unreadablePacketCount == Self.unreadableLogLimit ? "; further ones are not logged" : ""
        self.log.warning("ignored \(what): \(error)\(last)")
    }
}

extension CommandQueue.Entry {
    /// A command and who waits for its return parameters.
    fileprivate init<Command: HCICommand>(
        _ command: Command,
        timeout: TimeAmount? = nil,
        _ completion: @escaping (Result<Command.ReturnParameters, LEHostError>) -> Void
    ) {
        self.init(opcode: Command.opcode, packet: command.packet(), timeout: timeout) { outcome in
            completion(outcome.result(of: Command.self))
        }
    }
}

extension CommandOutcome {
    fileprivate func result<Command: HCICommand>(
        of: Command.Type
    ) -> Result<Command.ReturnParameters, LEHostError> {
        var bytes: ByteBuffer
        switch self {
        case .complete(let parameters): bytes = parameters
        // A command that ends with Command Complete may still be refused with Command Status.
        case .status(let status): bytes = ByteBuffer(integer: status.rawValue)
        case .unanswered: return .failure(.unanswered)
        case .abandoned: return .failure(.controllerLost)
        }
        do {
            let parameters = try Command.ReturnParameters(parsing: &bytes)
            return parameters.status == .success ? .success(parameters) : .failure(.refused(parameters.status))
        } catch {
            return .failure(.malformedAnswer)
        }
    }
}

extension Result where Success: HCIReturnParameters, Failure == LEHostError {
    /// Why the command failed; `nil` where it succeeded.
    var failure: LEHostError? { if case .failure(let failure) = self { failure } else { nil } }

    /// The status that the command ended with.
    var status: HCIErrorCode { self.failure?.status ?? .success }
}
