// The controller of a host: its setup, its commands and their answers, and its failure.
//
//     detached ── attach ──▶ starting ── `ControllerSetup` is done ──▶ ready
//        ▲                       └─────────────┬────────────────────────┘
//        │                                     ├── it fails, or its channel closes ──▶ failed, unsupported
//        └──────────── detach ─────────────────┘
//
// A controller can leave a command unanswered: it is then asked for its address, and has failed if it does not answer
// that either. It can reset itself, which is a failure. Malformed packets are ignored. If it sends requests faster than
// it accepts the replies, it gets none.

import BluetoothHCI
import BluetoothTypes
import Logging
import NIOCore

/// The controller that a host is attached to.
final class AttachedController {
    /// An action for the host.
    enum Action {
        /// Use the controller, which is ready; ``information`` describes it.
        case begin
        /// End everything that needs the controller.
        case end
        /// Report the new state to the user.
        case report(LEHostState)
    }

    /// The largest number of waiting replies to the controller's requests.
    private static let waitingRepliesLimit = 64
    /// The largest number of malformed packets of one controller that are logged.
    private static let unreadableLogLimit = 5

    /// The state of the controller.
    private(set) var state = LEHostState.detached
    /// Its properties, once it is set up.
    private(set) var information = ControllerInformation()
    /// The channel to it; `nil` without a controller.
    @exclusivity(unchecked) private(set) var channel: (any HCIChannel)?
    /// Carries out an action.
    var perform: (Action) -> Void = { _ in }

    @exclusivity(unchecked) private var commands = CommandQueue()
    private var setup: ControllerSetup?
    /// Whether it is being probed for an answer.
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

    /// The number of commands that wait for the controller.
    var waitingCommandCount: Int { self.commands.waitingCount }

    // MARK: Begin and end

    /// Starts using a controller.
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

    /// The setup has finished with these properties.
    func finish(_ setup: ControllerSetup, _ information: ControllerInformation) {
        self.setup = nil
        self.information = information
        self.state = .ready
        self.perform(.begin)
        self.perform(.report(.ready))
    }

    /// Whether a setup belongs to the current controller.
    func isSettingUp(_ setup: ControllerSetup) -> Bool { self.setup === setup }

    /// Detaches from the controller immediately.
    func detach() {
        guard let channel = self.channel else { return }
        self.channel = nil
        channel.close()
        self.lose(.detached)
    }

    /// Detaches from a controller that failed, with a one-line reason.
    func fail(_ reason: String) { self.letGo(.failed(reason), reason) }

    /// Detaches from a controller that cannot be used.
    func letGo(_ state: LEHostState, _ reason: String) {
        guard let channel = self.channel else { return }
        self.channel = nil
        channel.close()
        // The state reports to the user why a controller does not start.
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
        // Set first, so that the state is right when the ends of links are reported.
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
    /// - Parameter timeout: A separate time limit.
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

    /// Sends a reply to a request of the controller, unless too many replies wait.
    func reply(_ command: some HCICommand) {
        guard self.waitingCommandCount < Self.waitingRepliesLimit else { return }
        self.send(command)
    }

    /// Sends the next command if the controller accepts one.
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
            // It has reset itself, and lost its configuration.
            self.fail("the controller has reset itself")
        }
    }

    /// When a command is overdue.
    var deadline: NIODeadline? { self.commands.nextDeadline }

    /// Handles an overdue command.
    func advance(to now: NIODeadline) {
        guard let entry = self.commands.expired(at: now) else { return }
        // Reset is sent again, and its failure is logged elsewhere.
        if entry.opcode != Reset.opcode {
            // Sent before all others, so that a controller that has stopped is detected before more commands time out.
            self.probe()
            self.log.warning("the controller did not answer command \(entry.opcode)")
        }
        entry.completion(.unanswered)
    }

    /// Probes a controller that has not answered a command. Some controllers never answer some commands; one that does
    /// not answer the probe either has stopped.
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

    /// Handles events for commands and the controller itself; returns any other event.
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

    /// Logs a malformed packet. The number of lines is limited, since a broken controller may send many.
    func noteUnreadable(_ what: String, _ error: any Error) {
        self.unreadablePacketCount += 1
        guard self.unreadablePacketCount <= Self.unreadableLogLimit else { return }
        let last = self.unreadablePacketCount == Self.unreadableLogLimit ? "; further ones are not logged" : ""
        self.log.warning("ignored \(what): \(error)\(last)")
    }
}

extension CommandQueue.Entry {
    /// A command, and the completion for its return parameters.
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
    /// Why the command failed; `nil` if it succeeded.
    var failure: LEHostError? { if case .failure(let failure) = self { failure } else { nil } }

    /// The status of the command.
    var status: HCIErrorCode { self.failure?.status ?? .success }
}
