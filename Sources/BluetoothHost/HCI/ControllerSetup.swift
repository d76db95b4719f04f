// The setup of a controller: it is reset, its properties are read, and it is configured for this host. Refused commands
// are tolerated, except those without which it cannot work: Reset and the event masks.

import BluetoothHCI
import BluetoothTypes
import Logging
import NIOCore

/// The steps of the setup, in order.
private enum SetupStep: CaseIterable {
    case reset
    case version
    case supportedCommands
    case linkManagerFeatures
    case address
    case features
    case leHostSupport
    case bufferSize
    case receiveBuffers
    case flowControl
    case acceptListSize
    case resolvingListSize
    case supportedStates
    case eventMask
    case eventMaskPage2
    case leEventMask
    case suggestedDataLength
    case randomAddress
    case extendedCommands

    /// Whether a controller with these properties needs the step.
    func applies(to controller: ControllerInformation, _ configuration: LEHostConfiguration) -> Bool {
        switch self {
        case .suggestedDataLength:
            controller.features.contains(.dataPacketLengthExtension)
                && controller.knows(LEWriteSuggestedDefaultDataLength.self)
        case .receiveBuffers:
            configuration.limitsReceivedData && controller.knows(HostBufferSize.self)
                && controller.knows(SetControllerToHostFlowControl.self)
                && controller.knows(HostNumberOfCompletedPackets.self)
        case .flowControl: controller.knowsHostBuffers
        case .acceptListSize: controller.knows(LEReadFilterAcceptListSize.self)
        case .supportedStates: controller.knows(LEReadSupportedStates.self)
        case .resolvingListSize:
            controller.features.contains(.privacy) && controller.knows(LEReadResolvingListSize.self)
                && controller.knows(LEAddDeviceToResolvingList.self)
                && controller.knows(LESetAddressResolutionEnable.self)
        // Some Broadcom chips list the command without supporting it, and have none of the events that need it.
        case .eventMaskPage2:
            EventMaskPage2.host(of: controller).rawValue != 0
                && controller.supportedCommands?.contains(SetEventMaskPage2.self) ?? false
        // A meaningless list of commands does not count, and neither does that of a chip without firmware.
        case .extendedCommands:
            configuration.usesExtendedAdvertising ?? true && controller.features.contains(.extendedAdvertising)
                && controller.version?.runsFromROM != true
                && controller.supportedCommands.map { ExtendedCommands.needed.allSatisfy($0.contains) } ?? false
        case .leHostSupport: controller.isDualMode && controller.knows(WriteLEHostSupport.self)
        case .reset, .version, .supportedCommands, .linkManagerFeatures, .address, .features, .bufferSize, .eventMask,
            .leEventMask, .randomAddress:
            true
        }
    }
}

/// The setup of a new controller.
final class ControllerSetup {
    private unowned let controller: AttachedController
    private let loop: HostLoop
    private let configuration: LEHostConfiguration
    private let log: Logger
    /// The properties so far.
    private var information = ControllerInformation()

    init(
        _ controller: AttachedController,
        _ loop: HostLoop,
        _ configuration: LEHostConfiguration,
        _ log: Logger
    ) {
        self.controller = controller
        self.loop = loop
        self.configuration = configuration
        self.log = log
    }

    /// Performs all steps.
    func run() { self.run(SetupStep.allCases[...]) }

    /// Performs one step after the other; refused optional commands are skipped.
    private func run(_ steps: ArraySlice<SetupStep>) {
        guard let step = steps.first else { return self.controller.finish(self, self.information) }
        let goOn: () -> Void = {
            // A failure may have closed the channel meanwhile.
            if self.controller.isSettingUp(self) { self.run(steps.dropFirst()) }
        }
        guard step.applies(to: self.information, self.configuration) else { return goOn() }
        switch step {
        case .reset: self.reset(ResetAttempts(), goOn)
        case .version:
            self.controller.send(ReadLocalVersionInformation()) { result in
                self.information.version = try? result.get()
                if self.information.version?.runsFromROM == true {
                    self.log.warning("the controller lacks its firmware and may receive nothing: \(self.firmwareHint)")
                }
                goOn()
            }
        case .supportedCommands:
            self.controller.send(ReadLocalSupportedCommands()) { result in
                self.information.supportedCommands = (try? result.get())?.commands
                goOn()
            }
        case .linkManagerFeatures:
            self.controller.send(ReadLocalSupportedFeatures()) { result in
                self.information.linkManagerFeatures = (try? result.get())?.features
                goOn()
            }
        case .address:
            self.controller.send(ReadBDADDR()) { result in
                if let answer = try? result.get() { self.information.address = answer.address }
                goOn()
            }
        case .features:
            self.controller.send(LEReadLocalSupportedFeatures()) { result in
                switch result {
                case .success(let answer): self.information.features = answer.features
                case .failure(.refused(.unknownCommand)) where self.information.hasLE == false:
                    let reason = "the controller has no Bluetooth LE: use another adapter"
                    return self.controller.letGo(.unsupported(reason), reason)
                case .failure(.refused(.unknownCommand)) where self.information.tellsNothing:
                    return self.controller.fail("the controller lacks its firmware: \(self.firmwareHint)")
                case .failure: break
                }
                goOn()
            }
        // A dual-mode chip may refuse LE commands before this one (Vol 4, Part E, 7.3.79).
        case .leHostSupport:
            self.controller.send(WriteLEHostSupport(isLESupported: true)) { _ in goOn() }
        case .bufferSize:
            self.controller.send(LEReadBufferSize()) { result in
                if let answer = try? result.get(), answer.aclDataPacketCount > 0, answer.aclDataPacketLength > 0 {
                    self.information.aclDataLength = Int(answer.aclDataPacketLength)
                    self.information.aclPacketCount = Int(answer.aclDataPacketCount)
                    return goOn()
                }
                // The buffers are shared with BR/EDR (Vol 4, Part E, 7.8.2).
                self.controller.send(ReadBufferSize()) { result in
                    if let answer = try? result.get(), answer.aclDataPacketCount > 0 {
                        self.information.aclDataLength = Int(answer.aclDataPacketLength)
                        self.information.aclPacketCount = Int(answer.aclDataPacketCount)
                    }
                    goOn()
                }
            }
        case .receiveBuffers:
            let length = max(self.information.aclDataLength, ACLReceiver.minimumPacketLength)
            self.controller.send(
                HostBufferSize(
                    aclDataPacketLength: UInt16(length),
                    aclDataPacketCount: UInt16(ACLReceiver.packetCount)
                )
            ) { result in
                if case .success = result { self.information.knowsHostBuffers = true }
                goOn()
            }
        case .flowControl:
            self.controller.send(SetControllerToHostFlowControl(mode: .acl)) { result in
                if case .success = result { self.information.limitsReceivedData = true }
                goOn()
            }
        case .acceptListSize:
            self.controller.send(LEReadFilterAcceptListSize()) { result in
                if let answer = try? result.get() { self.information.acceptListSize = Int(answer.size) }
                goOn()
            }
        case .resolvingListSize:
            self.controller.send(LEReadResolvingListSize()) { result in
                if let answer = try? result.get() { self.information.resolvingListSize = Int(answer.size) }
                goOn()
            }
        case .supportedStates:
            self.controller.send(LEReadSupportedStates()) { result in
                if let answer = try? result.get() { self.information.states = answer.states }
                goOn()
            }
        case .eventMask:
            self.controller.send(SetEventMask(mask: .host(of: self.information))) {
                if self.require("Set Event Mask", $0.failure) { goOn() }
            }
        case .eventMaskPage2:
            self.controller.send(SetEventMaskPage2(mask: .host(of: self.information))) { _ in goOn() }
        case .leEventMask:
            self.controller.send(LESetEventMask(mask: .host(of: self.information))) {
                if self.require("LE Set Event Mask", $0.failure) { goOn() }
            }
        case .suggestedDataLength:
            let length = LEWriteSuggestedDefaultDataLength(
                transmitOctets: DataPacketLimits.maximumOctets,
                transmitTime: DataPacketLimits.maximumTimeOn1M
            )
            self.controller.send(length) { _ in goOn() }
        case .randomAddress:
            // A device with privacy does not give its identity address to the controller, so that it cannot be used on
            // the air.
            guard let address = self.configuration.randomAddress(beside: self.information.publicAddress),
                self.configuration.privacy == nil
            else { return goOn() }
            self.controller.send(LESetRandomAddress(address: address)) { _ in goOn() }
        case .extendedCommands: self.tryExtendedCommands(goOn)
        }
    }

    /// Resets the controller, repeatedly until it answers.
    private func reset(_ attempts: ResetAttempts, _ goOn: @escaping () -> Void) {
        var attempts = attempts
        guard let timeout = attempts.next(now: self.loop.now) else {
            return self.controller.fail("the controller does not answer HCI Reset; check that it is connected")
        }
        self.controller.send(Reset(), timeout: timeout) { result in
            switch result {
            case .success:
                let now = self.loop.now
                let end = attempts.end(now: now)
                guard end > now else { return goOn() }
                self.loop.schedule(at: end) { _ in goOn() }
            case .failure(.unanswered), .failure(.malformedAnswer): self.reset(attempts, goOn)
            case .failure(.refused(.unknownCommand)):
                self.controller.fail("the controller lacks its firmware: \(self.firmwareHint)")
            case .failure(.refused(.connectionRejectedLimitedResources)):
                self.controller.fail(
                    "what serves the controller has no resources for another host; "
                        + "end a program that uses it, or raise its limit"
                )
            case .failure(.refused(let status)): self.controller.fail("the controller refuses HCI Reset: \(status)")
            case .failure: break
            }
        }
    }

    /// Tests which of the listed extended commands the controller accepts.
    private func tryExtendedCommands(_ goOn: @escaping () -> Void) {
        guard self.configuration.usesExtendedAdvertising == nil else {
            self.information.extendedCommands.started(takesExtended: true, takesLegacy: false)
            return goOn()
        }
        let parameters = ScanParameters(isActive: false)
        let own = self.configuration.ownAddressType(beside: self.information.publicAddress)
        let extended = LESetExtendedScanParameters(parameters, own, on: self.information.features)
        self.controller.send(extended) { result in
            guard result.failure == nil else {
                self.log.info("the controller refuses extended commands that it lists; legacy ones are used")
                return goOn()
            }
            self.controller.send(LESetScanParameters(parameters, own)) { result in
                self.information.extendedCommands.started(takesExtended: true, takesLegacy: result.failure == nil)
                goOn()
            }
        }
    }

    private var firmwareHint: String {
        "\(ControllerInformation.firmwareAdvice(for: self.information.version)); dmesg names the missing file"
    }

    /// Whether the controller has accepted an event mask; otherwise it would never report events, for no visible
    /// reason.
    private func require(_ command: String, _ failure: LEHostError?) -> Bool {
        guard case .refused(let status)? = failure else { return true }
        self.controller.fail("the controller refuses \(command), and reports nothing without it: \(status)")
        return false
    }
}
