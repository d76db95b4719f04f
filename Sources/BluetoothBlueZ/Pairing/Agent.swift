// Our agent at BlueZ (org.bluez.Agent1): it hands on what BlueZ asks a user while it pairs, and knows which pairings
// are in progress. BlueZ asks it for the pairings that this program begins; for all others it asks the default agent,
// which is ours only if no other program has registered one.
//
//     idle ── question, or Pair ──▶ in progress ── Paired, refusal, Cancel, or the link ends ──▶ idle

import BluetoothHost
import BluetoothTypes
import NIOCore

/// The user of an ``Agent``.
protocol AgentOwner: AnyObject {
    /// The device at a path; `nil` if this program has nothing to do with it.
    func agent(_ agent: Agent, deviceAt path: String) -> DeviceProperties?
    /// The user is asked. A question that is over ignores its answer.
    func agent(
        _ agent: Agent,
        asks question: PairingQuestion,
        about device: DeviceAddress,
        answer: @escaping (PairingAnswer) -> Void
    )
    /// A pairing has ended, with an error or without.
    func agent(_ agent: Agent, endedPairingWith device: DeviceAddress, _ error: PairingError?)
}

/// Our agent.
final class Agent {
    private struct Progress {
        var device: DeviceAddress
        /// Whether a pairing without a code is a failure.
        var needsCode = false
        /// Whether the user was asked or shown a code.
        var hasCode = false
        /// The call that waits for the user.
        var question: BusCall?
    }

    static let path = "/org/corebluetooth/agent"
    static let interface = "org.bluez.Agent1"
    static let manager = "org.bluez.AgentManager1"
    /// The time that a user has, and that the device takes.
    static let pairingTimeout = TimeAmount.seconds(90)

    private let calls: BlueZCalls
    weak var owner: (any AgentOwner)?
    private var pairings: [String: Progress] = [:]
    /// The paths of the devices that have paired by a code since the adapter was opened: BlueZ does not say it.
    private(set) var authenticated: Set<String> = []

    init(_ calls: BlueZCalls) { self.calls = calls }

    /// Registers the agent; BlueZ removes it at the end of the connection.
    func register(_ capability: IOCapability) {
        let arguments: [BusValue] = [.path(Self.path), .string(capability.blueZWord)]
        self.calls.call(BlueZ.root, Self.manager, "RegisterAgent", arguments) { result in
            guard case .failure(let failure) = result else { return }
            BlueZAdapter.log.warning("BlueZ has not registered an agent for pairing: \(failure.text.onOneLine)")
        }
    }

    // MARK: Pairings

    /// Pairs with a device; the owner gets the result.
    func pair(_ path: String, _ device: DeviceAddress, needsCode: Bool) {
        guard self.pairings[path] == nil else { return }
        self.pairings[path] = Progress(device: device, needsCode: needsCode)
        self.calls.call(path, BlueZ.device, "Pair", timeout: Self.pairingTimeout) { [weak self] result in
            switch result {
            case .success: self?.ended(path, nil)
            case .failure(let failure): self?.ended(path, failure.pairingError)
            }
        }
    }

    /// The pairing with a device has ended, if there was one.
    func ended(_ path: String, _ error: PairingError?) {
        guard let pairing = self.pairings.removeValue(forKey: path) else { return }
        pairing.question?.reject("Canceled")
        var error = error
        if error == nil {
            if pairing.hasCode { self.authenticated.insert(path) }
            if pairing.needsCode, !self.authenticated.contains(path) { error = .failed(.authenticationRequirements) }
        }
        self.owner?.agent(self, endedPairingWith: pairing.device, error)
    }

    /// The keys of a device were removed.
    func forget(_ path: String) { self.authenticated.remove(path) }

    /// The adapter is gone.
    func close() { for path in self.pairings.keys.sorted() { self.ended(path, .linkEnded) } }

    // MARK: Calls of BlueZ

    /// Takes a call of BlueZ; false if it is not for the agent.
    func received(_ call: BusCall, _ message: BusMessage) -> Bool {
        guard message.path == Self.path, message.interface == Self.interface else { return false }
        switch message.member {
        case "Release": call.reply()
        case "Cancel":
            call.reply()
            // BlueZ does not say which one; it asks one question at a time.
            for (path, pairing) in self.pairings where pairing.question != nil { self.ended(path, .cancelled) }
        case "RequestConfirmation", "RequestPasskey", "DisplayPasskey", "RequestAuthorization":
            guard let path = message.arguments.first?.path, let device = self.owner?.agent(self, deviceAt: path),
                let question = message.question(of: device)
            else {
                call.reject("Rejected")
                break
            }
            self.ask(question, about: device.address, path, call, message)
        // Bluetooth Classic: PIN codes, and profiles of devices.
        default: call.reject("Rejected")
        }
        return true
    }

    private func ask(
        _ question: PairingQuestion,
        about device: DeviceAddress,
        _ path: String,
        _ call: BusCall,
        _ message: BusMessage
    ) {
        if self.pairings[path] == nil { self.pairings[path] = Progress(device: device) }
        if case .consent = question {} else { self.pairings[path]?.hasCode = true }
        if case .displayPasskey = question {
            call.reply()
            // BlueZ displays it again for each key that is pressed at the device.
            guard message.arguments.last?.uint16 == 0 else { return }
        } else {
            self.pairings[path]?.question?.reject("Canceled")
            self.pairings[path]?.question = call
        }
        self.owner?.agent(self, asks: question, about: device) { [weak self] answer in
            guard let self, self.pairings[path]?.question === call else { return }
            self.pairings[path]?.question = nil
            switch answer {
            case .consent(true), .numbersMatch(true): call.reply()
            case .passkey(let passkey?): call.reply([.uint32(passkey.value)])
            case .consent(false), .numbersMatch(false), .passkey(nil): call.reject("Rejected")
            }
        }
    }
}

extension BusCall {
    fileprivate func reject(_ name: String) { self.fail("org.bluez.Error." + name, "the user has not agreed") }
}

extension BusMessage {
    /// The question of a call to the agent; `nil` if the arguments are wrong.
    fileprivate func question(of device: DeviceProperties) -> PairingQuestion? {
        let passkey = self.arguments.dropFirst().first?.uint32.flatMap(Passkey.init)
        switch self.member {
        case "RequestConfirmation": return passkey.map { .compareNumbers($0) }
        case "DisplayPasskey": return passkey.map { .displayPasskey($0) }
        case "RequestPasskey": return .enterPasskey
        case "RequestAuthorization":
            return .consent(
                PairingConsent(
                    model: .justWorks,
                    replacesBond: device.isPaired,
                    replaced: device.isPaired ? device.address : nil
                )
            )
        default: return nil
        }
    }
}

extension IOCapability {
    /// BlueZ's word for it.
    fileprivate var blueZWord: String {
        switch self {
        case .displayOnly: "DisplayOnly"
        case .displayYesNo: "DisplayYesNo"
        case .keyboardOnly: "KeyboardOnly"
        case .keyboardDisplay: "KeyboardDisplay"
        case .noInputNoOutput: "NoInputNoOutput"
        }
    }
}
