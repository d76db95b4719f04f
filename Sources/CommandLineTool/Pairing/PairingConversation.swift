// The conversation with the user of a program while its device pairs: one question after another, each until it is
// answered or its pairing has ended.

package import CoreBluetooth
import Dispatch
package import Foundation

/// The conversation of an agent with the user.
@MainActor
package final class PairingConversation {
    private let serves: OutputFormat?
    private let input = TerminalInput()
    private var asked: PairingPrompt?
    private var waiting: [PairingPrompt] = []
    /// The peers of pairings in progress that involve the user.
    private var peers: Set<UUID> = []
    private var lastEnd: DispatchTime?

    /// The last pairing that failed, and why; `nil` if one has succeeded since.
    package private(set) var lastFailure: (peer: PairingPeer, reason: String)?
    /// Called at the end of each pairing.
    package var onEnd: ((PairingPeer, PairingOutcome) -> Void)?

    nonisolated init(serves: OutputFormat?) { self.serves = serves }

    /// The program's own reader of standard input, which then reads the answers, too.
    package var lines: (any QuestionLine)? {
        get { input.lines }
        set { input.lines = newValue }
    }

    /// The seconds since the user was last busy with a pairing; 0 if the user is, `nil` if the user never was.
    ///
    /// Time limits of a program are suspended while the user reads and types.
    package var idleTime: TimeInterval? {
        guard peers.isEmpty else { return 0 }
        return lastEnd.map { Double(DispatchTime.now().uptimeNanoseconds - $0.uptimeNanoseconds) / 1e9 }
    }

    // MARK: Events

    func begin(_ prompt: PairingPrompt) {
        peers.insert(prompt.peer.identifier)
        switch prompt.kind {
        case .showCode(let code):
            show(code, for: prompt.peer)
        case .compareCode(let code):
            if serves != nil { show(code, for: prompt.peer) }
            waiting.append(prompt)
        case .enterCode, .pair:
            waiting.append(prompt)
        }
        askNext()
    }

    func end(_ peer: PairingPeer, _ outcome: PairingOutcome) {
        peers.remove(peer.identifier)
        lastEnd = .now()
        waiting.removeAll { $0.peer.identifier == peer.identifier }
        if let asked, asked.peer.identifier == peer.identifier {
            self.asked = nil
            input.takeBack("(no answer is needed: \(Self.words(for: outcome)))")
        }
        switch outcome {
        case .paired:
            lastFailure = nil
        case .failed(let reason):
            lastFailure = (peer, reason)
        }
        report(peer, outcome)
        onEnd?(peer, outcome)
        askNext()
    }

    // MARK: The user

    private func show(_ code: String, for peer: PairingPeer) {
        let name = Self.name(peer)
        guard let serves else { return input.show("Enter \(code) at \(name).") }
        serves.print("code", Self.details(peer) + [("code", .string(code))], line: "Code for \(name): \(code)")
    }

    private func askNext() {
        guard asked == nil, !waiting.isEmpty else { return }
        let prompt = waiting.removeFirst()
        asked = prompt
        ask(prompt)
    }

    private func ask(_ prompt: PairingPrompt) {
        input.ask(Self.question(prompt)) { [self] line, isTerminal in
            guard answer(prompt, line, isTerminal) else { return ask(prompt) }
            asked = nil
            askNext()
        }
    }

    /// Answers a prompt with the user's line; false if the user must be asked again.
    private func answer(_ prompt: PairingPrompt, _ line: String?, _ isTerminal: Bool) -> Bool {
        let line = line?.trimmingCharacters(in: .whitespaces)
        switch prompt.kind {
        case .showCode:
            break
        case .enterCode:
            let isCode = line.map { $0.utf8.count == 6 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } } ?? false
            if !isCode, isTerminal, let line, !line.isEmpty {
                input.show("That is not six digits; an empty line gives up.")
                return false
            }
            prompt.enter(isCode ? line : nil)
        case .compareCode, .pair:
            let agrees = line.flatMap(Self.yesOrNo)
            if agrees == nil, isTerminal, let line, !line.isEmpty {
                input.show("Please answer y or n.")
                return false
            }
            prompt.confirm(agrees ?? false)
        }
        return true
    }

    private func report(_ peer: PairingPeer, _ outcome: PairingOutcome) {
        guard let serves else { return }
        switch outcome {
        case .paired:
            serves.print("paired", Self.details(peer), line: "Paired with \(Self.name(peer)).")
        case .failed(let reason):
            if serves.isJSON {
                serves.print("pairingFailed", Self.details(peer) + [("error", .string(reason))], line: nil)
            } else {
                Console.warn("\(reason) (\(Self.name(peer)))")
            }
        }
    }

    // MARK: Words

    private static func question(_ prompt: PairingPrompt) -> String {
        let name = name(prompt.peer)
        switch prompt.kind {
        case .showCode(let code): return code
        case .enterCode: return "Six digits that \(name) shows: "
        case .compareCode(let code): return "Does \(name) show \(code), too (y/n)? "
        case .pair(replacesBond: false): return "Pair with \(name) (y/n)? "
        case .pair where prompt.replacedPeer.map { $0.identifier != prompt.peer.identifier } ?? false:
            let other = prompt.replacedPeer.map(Self.name) ?? ""
            return "\(name) claims to be \(other), and would replace it. Is that right (y/n)? "
        case .pair(replacesBond: true):
            return "\(name) wants to pair again and replace the existing keys. Is that right (y/n)? "
        }
    }

    private static func words(for outcome: PairingOutcome) -> String {
        switch outcome {
        case .paired: "the devices have paired"
        case .failed(let reason): reason
        }
    }

    private static func yesOrNo(_ line: String) -> Bool? {
        switch line.lowercased() {
        case "y", "yes": true
        case "n", "no": false
        default: nil
        }
    }

    /// A peer, for a sentence.
    package static func name(_ peer: PairingPeer) -> String {
        peer.name.map(PrintableText.quoted) ?? peer.identifier.uuidString
    }

    private static func details(_ peer: PairingPeer) -> [(key: String, value: JSONValue)] {
        [("device", JSONValue(peer.name)), ("identifier", .string(peer.identifier.uuidString))]
    }
}
