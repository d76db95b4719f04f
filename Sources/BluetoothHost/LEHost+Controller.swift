// The host and its controller: taking it into use, commands and their answers, and what happens when it fails.

public import BluetoothHCI
import BluetoothTypes
import NIOCore

extension LEHost {
    /// Takes a controller into use: resets it, reads what it can do, and becomes `ready`.
    public func attach(to channel: any HCIChannel) {
        self.assertOnEventLoop()
        precondition(channel.eventLoop === self.eventLoop, "a host and its channel share one event loop")
        self.detach()
        self.channel = channel
        channel.start(receiver: self.entry)
        self.updateReportNeed()
        self.setState(.starting)
        self.run(setup: SetupStep.allCases[...])
        self.scheduleTurn()
    }

    /// Detaches from the controller at once, whatever it is doing; links are not terminated.
    public func detach() {
        self.assertOnEventLoop()
        guard let channel = self.channel else { return }
        self.channel = nil
        channel.close()
        self.loseController(.detached)
    }

    /// Lets a controller go that failed, with one line that says why.
    func fail(_ reason: String) { self.letGo(.failed(reason), reason) }

    private func letGo(_ state: LEHostState, _ reason: String) {
        guard let channel = self.channel else { return }
        self.channel = nil
        channel.close()
        // A controller that does not start is reported by the state, which has the reason, to the user of the host.
        if case .starting = self.state {
            self.log.debug("the controller did not start: \(reason)")
        } else {
            self.log.error("the controller failed: \(reason)")
        }
        self.loseController(state)
    }

    /// Ends everything that needs the controller, then reports the new state.
    func loseController(_ state: LEHostState) {
        // When the end of a link is reported, the state already says that the controller is gone.
        self.state = state
        for entry in self.commands.abandon() { entry.completion(.abandoned) }
        for link in self.openLinks { self.close(link, reason: .connectionTimeout) }
        self.transmitter.reset()
        self.receiver.reset()
        self.arbiter.reset()
        self.earlyData = EarlyData()
        self.advertiser.reset()
        self.scanner.reset()
        self.extendedCommands = ExtendedCommands()
        self.advertisingReassembler.reset()
        self.initiator.reset()
        self.privateAddress.reset()
        self.resolvingList.reset()
        self.attemptDeadline = nil
        self.connectionParameters = [:]
        self.cancelDeadline = nil
        self.rotationDeadline = nil
        self.isProbing = false
        self.unreadablePacketCount = 0
        self.endAdvertisingStarts(.controllerLost)
        self.controller = ControllerInformation()
        self.finishShutdown()
        self.reportState(state)
        self.scheduleTurn()
    }

    func setState(_ state: LEHostState) {
        self.state = state
        self.reportState(state)
    }

    private func reportState(_ state: LEHostState) {
        self.afterwards { [unowned self] in self.delegate?.host(self, didChange: state) }
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
            self.afterwards { completion(.failure(.controllerLost)) }
            return
        }
        self.commands.append(Self.entry(command, timeout, completion))
        self.scheduleTurn()
    }

    private static func entry<Command: HCICommand>(
        _ command: Command,
        _ timeout: TimeAmount? = nil,
        _ completion: @escaping (Result<Command.ReturnParameters, LEHostError>) -> Void
    ) -> CommandQueue.Entry {
        CommandQueue.Entry(opcode: Command.opcode, packet: command.packet(), timeout: timeout) { outcome in
            completion(Self.result(of: outcome, as: Command.self))
        }
    }

    /// Queues a command whose result changes nothing here.
    func send(_ command: some HCICommand) {
        self.send(command) { _ in }
    }

    private static func result<Command: HCICommand>(
        of outcome: CommandOutcome,
        as: Command.Type
    ) -> Result<Command.ReturnParameters, LEHostError> {
        var bytes: ByteBuffer
        switch outcome {
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

    func answered(_ opcode: HCIOpcode, credits: UInt8, outcome: CommandOutcome) {
        if let entry = self.commands.answered(opcode, credits: credits) {
            entry.completion(outcome)
        } else if opcode == Reset.opcode, case .ready = self.state {
            // It has reset itself, and lost all that it was configured with.
            self.fail("the controller has reset itself")
        }
    }

    /// Asks a controller that has not answered a command whether it is still there. Some controllers never answer some
    /// commands; one that does not even answer with its address has stopped.
    func probe() {
        guard !self.isProbing, self.channel != nil else { return }
        self.isProbing = true
        let entry = Self.entry(ReadBDADDR()) { [unowned self] result in
            self.isProbing = false
            guard case .failure(.unanswered) = result else { return }
            self.fail("the controller has stopped answering: unplug it and plug it in again, or restart what serves it")
        }
        self.commands.prepend(entry)
        self.scheduleTurn()
    }

    /// Sends an answer to something that the controller asks, unless it asks faster than it takes answers.
    func reply(_ command: some HCICommand) {
        guard self.commands.waitingCount < Self.waitingRepliesLimit else { return }
        self.send(command)
    }

    private static var waitingRepliesLimit: Int { 64 }

    /// Logs that a packet could not be read. The number of these lines is limited: a broken controller sends many.
    func noteUnreadable(_ what: String, _ error: any Error) {
        self.unreadablePacketCount += 1
        let limit = 5
        guard self.unreadablePacketCount <= limit else { return }
        let last = self.unreadablePacketCount == limit ? "; further ones are not logged" : ""
        self.log.warning("ignored \(what): \(error)\(last)")
    }

    // MARK: Start

    /// Asks the controller one thing after the other; what it refuses is done without.
    private func run(setup steps: ArraySlice<SetupStep>) {
        guard let step = steps.first else {
            self.finishSetup()
            return
        }
        let goOn: () -> Void = { [unowned self] in
            // A failure has closed the channel meanwhile.
            if case .starting = self.state { self.run(setup: steps.dropFirst()) }
        }
        guard step.applies(to: self.controller, configuration: self.configuration) else { return goOn() }
        switch step {
        case .reset: self.reset(ResetAttempts(), goOn)
        case .version:
            self.send(ReadLocalVersionInformation()) { [unowned self] result in
                self.controller.version = try? result.get()
                if self.controller.version?.runsFromROM == true {
                    self.log.warning("the controller lacks its firmware and may receive nothing: \(self.firmwareHint)")
                }
                goOn()
            }
        case .supportedCommands:
            self.send(ReadLocalSupportedCommands()) { [unowned self] result in
                self.controller.supportedCommands = (try? result.get())?.commands
                goOn()
            }
        case .linkManagerFeatures:
            self.send(ReadLocalSupportedFeatures()) { [unowned self] result in
                self.controller.linkManagerFeatures = (try? result.get())?.features
                goOn()
            }
        case .address:
            self.send(ReadBDADDR()) { [unowned self] result in
                if let answer = try? result.get() { self.controller.address = answer.address }
                goOn()
            }
        case .features:
            self.send(LEReadLocalSupportedFeatures()) { [unowned self] result in
                switch result {
                case .success(let answer): self.controller.features = answer.features
                case .failure(.refused(.unknownCommand)) where !self.controller.mayHaveLE:
                    let reason = "the controller has no Bluetooth LE: use another adapter"
                    return self.letGo(.unsupported(reason), reason)
                case .failure(.refused(.unknownCommand)) where self.controller.isSilent:
                    return self.fail("the controller lacks its firmware: \(self.firmwareHint)")
                case .failure: break
                }
                goOn()
            }
        // A chip for both radios may refuse what concerns LE before (Vol 4, Part E, 7.3.79).
        case .leHostSupport:
            self.send(WriteLEHostSupport(isLESupported: true)) { _ in goOn() }
        case .bufferSize:
            self.send(LEReadBufferSize()) { [unowned self] result in
                if let answer = try? result.get(), answer.aclDataPacketCount > 0, answer.aclDataPacketLength > 0 {
                    self.controller.aclDataLength = Int(answer.aclDataPacketLength)
                    self.controller.aclPacketCount = Int(answer.aclDataPacketCount)
                    return goOn()
                }
                // The buffers are shared with BR/EDR (Vol 4, Part E, 7.8.2).
                self.send(ReadBufferSize()) { [unowned self] result in
                    if let answer = try? result.get(), answer.aclDataPacketCount > 0 {
                        self.controller.aclDataLength = Int(answer.aclDataPacketLength)
                        self.controller.aclPacketCount = Int(answer.aclDataPacketCount)
                    }
                    goOn()
                }
            }
        case .receiveBuffers:
            let length = max(self.controller.aclDataLength, ACLReceiver.minimumPacketLength)
            self.send(
                HostBufferSize(
                    aclDataPacketLength: UInt16(length),
                    aclDataPacketCount: UInt16(ACLReceiver.packetCount)
                )
            ) { [unowned self] result in
                if case .success = result { self.controller.knowsHostBuffers = true }
                goOn()
            }
        case .flowControl:
            self.send(SetControllerToHostFlowControl(mode: .acl)) { [unowned self] result in
                if case .success = result { self.receiver.enable() }
                goOn()
            }
        case .acceptListSize:
            self.send(LEReadFilterAcceptListSize()) { [unowned self] result in
                if let answer = try? result.get() { self.controller.acceptListSize = Int(answer.size) }
                goOn()
            }
        case .resolvingListSize:
            self.send(LEReadResolvingListSize()) { [unowned self] result in
                if let answer = try? result.get() { self.controller.resolvingListSize = Int(answer.size) }
                goOn()
            }
        case .supportedStates:
            self.send(LEReadSupportedStates()) { [unowned self] result in
                if let answer = try? result.get() { self.arbiter.setStates(answer.states) }
                goOn()
            }
        case .eventMask:
            self.send(SetEventMask(mask: .host(of: self.controller))) { [unowned self] in
                if self.reports("Set Event Mask", $0.failure) { goOn() }
            }
        case .eventMaskPage2:
            self.send(SetEventMaskPage2(mask: .host(of: self.controller))) { _ in goOn() }
        case .leEventMask:
            self.send(LESetEventMask(mask: .host(of: self.controller))) { [unowned self] in
                if self.reports("LE Set Event Mask", $0.failure) { goOn() }
            }
        case .suggestedDataLength:
            self.send(
                LEWriteSuggestedDefaultDataLength(
                    transmitOctets: DataPacketLimits.maximumOctets,
                    transmitTime: DataPacketLimits.maximumTimeOn1M
                )
            ) { _ in goOn() }
        case .randomAddress:
            // A device that hides itself gives its identity to no controller, so that none can use it.
            guard let address = self.randomAddress, !self.isPrivate else { return goOn() }
            self.send(LESetRandomAddress(address: address)) { _ in goOn() }
        case .extendedCommands: self.tryExtendedCommands(goOn)
        }
    }

    /// Resets the controller, again and again while nothing answers.
    private func reset(_ attempts: ResetAttempts, _ goOn: @escaping () -> Void) {
        var attempts = attempts
        guard let timeout = attempts.next(now: self.eventLoop.now) else {
            return self.fail("the controller does not answer HCI Reset; check that it is connected")
        }
        self.send(Reset(), timeout: timeout) { [unowned self] result in
            switch result {
            case .success:
                let now = self.eventLoop.now
                let end = attempts.end(now: now)
                guard end > now else { return goOn() }
                let channel = self.channel
                self.schedule(at: end) { host in if host.channel === channel { goOn() } }
            case .failure(.unanswered), .failure(.malformedAnswer): self.reset(attempts, goOn)
            case .failure(.refused(.unknownCommand)):
                self.fail("the controller lacks its firmware: \(self.firmwareHint)")
            case .failure(.refused(.connectionRejectedLimitedResources)):
                self.fail(
                    "what serves the controller has no resources for another host; "
                        + "end a program that uses it, or raise its limit"
                )
            case .failure(.refused(let status)): self.fail("the controller refuses HCI Reset: \(status)")
            case .failure: break
            }
        }
    }

    private var firmwareHint: String {
        "\(Self.firmwareAdvice(for: self.controller.version)); dmesg names the missing file"
    }

    /// What a person does about a chip without its firmware, which has said this of itself if it has said anything.
    package static func firmwareAdvice(for version: ReadLocalVersionInformation.ReturnParameters?) -> String {
        let files = version?.firmwareFiles.map { " with \($0)" } ?? ""
        return "install the firmware package of your system, such as linux-firmware\(files), "
            + "then unplug it and plug it in again"
    }

    /// Whether the controller will report events: one that refuses to would be silent, and nobody would know why.
    private func reports(_ command: String, _ failure: LEHostError?) -> Bool {
        guard case .refused(let status)? = failure else { return true }
        self.fail("the controller refuses \(command), and reports nothing without it: \(status)")
        return false
    }

    private func finishSetup() {
        self.transmitter.configure(
            dataLength: self.controller.aclDataLength,
            packetCount: self.controller.aclPacketCount
        )
        self.initiator.acceptListSize = self.controller.acceptListSize
        self.resolvingList.capacity = self.controller.resolvingListSize
        self.resolvingList.knowsPrivacyMode = self.controller.knows(LESetPrivacyMode.self)
        self.updateResolvingList()
        self.updatePairing()
        self.setState(.ready)
    }
}
