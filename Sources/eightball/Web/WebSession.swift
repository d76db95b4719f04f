// `eightball web`: the app on a page in the browser. It has the parts and pages of the full-screen app, but draws them
// as documents for the browser instead of rows for a terminal. All browsers show the same state.

import CommandLineTool
import CoreBluetooth
import Dispatch
import Foundation
@_spi(Steps) @preconcurrency import ITCB
import LoopbackWeb

/// The app on a page.
@MainActor
final class WebSession {
    private enum Role {
        case none
        case central(CentralPart)
        case peripheral(PeripheralPart)
    }

    /// How long, in ticks, the failure of a pairing is shown.
    private static let noticeTicks = 100

    private let agent: ScreenPairingAgent
    private let name: String
    private let output: OutputFormat
    private var publishDocuments: ([String: String]) -> Void = { _ in }
    private var role = Role.none
    private var ticks: Ticks?
    private var pairing: (number: Int, page: PairingPage)?
    private var promptCount = 0
    private var notice = TimedText<LocalizableText>()
    /// The published documents, by language.
    private var documents: [String: String] = [:]
    /// Whether something may have changed since, and whether the least time between two documents has not passed yet.
    private var needsDocument = false
    private var isPausing = false

    /// Creates the session of a device with its agent; as a ball it has the name.
    init(agent: ScreenPairingAgent, name: String, output: OutputFormat) {
        self.agent = agent
        self.name = name
        self.output = output
    }

    /// Serves the page; never returns.
    func run(port: Int, token: AccessToken) -> Never {
        let server = WebServer(token: token) { [weak self] request, respond in
            DispatchQueue.main.async { MainActor.assumeIsolated { respond(self?.answer(request) ?? .missing) } }
        }
        Interrupts.watch()
        do {
            let address = try server.start(port: port)
            output.print("page", [("address", .string(address))], line: address)
            // Not the address: it is for its user alone.
            ServiceManager.current.ready("serves its page")
        } catch {
            Ending.fail(Self.failure(error, port: port))
        }
        start(publish: server.publish)
        Interrupts.runUntilExit()
    }

    /// Starts; `publish` gets the documents that have changed, by language.
    func start(publish: @escaping ([String: String]) -> Void) {
        publishDocuments = publish
        agent.receiver = self
        self.publish()
        ticks = Ticks { [unowned self] in tick() }
    }

    static func failure(_ error: any Error, port: Int) -> Failure {
        switch error {
        case WebServer.Failure.portInUse:
            Failure("another program uses port \(port); choose another one with --port, or omit it for any free one")
        case WebServer.Failure.portForbidden:
            Failure("you have no permission for port \(port); choose one from 1024 up, or omit it for any free one")
        case WebServer.Failure.other(let reason): Failure("the page cannot be served: \(reason)")
        default: Failure("the page cannot be served: \(error)")
        }
    }

    // MARK: Requests

    /// Answers a request of the page.
    func answer(_ request: WebRequest) -> WebResponse {
        switch request.intent {
        case .get:
            if let file = WebFile(rawValue: request.path) {
                return .content(type: file.type, file.content(Texts.of(languages: request.languages)))
            }
            return Texts.all.first { request.path == "events/\($0.language)" }.map { .events(topic: $0.language) }
                ?? .missing
        case .post(let octets):
            guard let texts = Texts.all.first(where: { request.path == "do/\($0.language)" }) else { return .missing }
            guard let command = WebCommand(octets) else { return .senseless }
            let hint = obey(command)
            setNeedsDocument()
            let json = JSONValue.object([("hint", JSONValue(hint.map { texts($0) }))])
            return .content(type: "application/json", Array(json.text.utf8))
        }
    }

    /// Executes a command of the page; returns why it was not executed, if a person can do something about it.
    private func obey(_ command: WebCommand) -> TextKey? {
        switch (command, role) {
        case (.role(isCentral: true), .none):
            role = .central(CentralPart(texts: .english) { [weak self] in self?.setNeedsDocument() })
        case (.role(isCentral: false), .none):
            role = .peripheral(PeripheralPart(texts: .english, name: name) { [weak self] in self?.setNeedsDocument() })
        case (.leaveRole, .central(let part)):
            part.end()
            role = .none
        case (.leaveRole, .peripheral(let part)):
            part.end()
            role = .none
        case (.choose(let ball), .central(let part)): part.choose(ball)
        case (.ask(let ball, let question), .central(let part)): return part.ask(ball, question)
        case (.setAnsweredByHand(let isByHand), .peripheral(let part)): part.setAnsweredByHand(isByHand)
        case (.answer(let entry, let answer), .peripheral(let part)): part.answer(entry: entry, with: answer)
        case (.pair(let number, let code, let isAgreed), _):
            guard let pairing, pairing.number == number else { return nil }
            if pairing.page.answer(code: code, isAgreed: isAgreed) { self.pairing = nil }
        // Another browser has answered first.
        case (.role, _), (.leaveRole, _), (.choose, _), (.ask, _), (.setAnsweredByHand, _), (.answer, _): break
        }
        return nil
    }

    // MARK: Time and documents

    private func tick() {
        switch role {
        case .none: break
        case .central(let part):
            part.tick()
            if part.isAnimated { setNeedsDocument() }
        case .peripheral(let part): part.tick()
        }
        if notice.tick() { setNeedsDocument() }
    }

    /// Schedules a document after a possible change: at once, or once the least time since the last one has passed.
    private func setNeedsDocument() {
        needsDocument = true
        guard !isPausing else { return }
        isPausing = true
        // After the current turn, which may change more.
        DispatchQueue.main.async { MainActor.assumeIsolated { self.publish() } }
    }

    private func publish() {
        isPausing = true
        needsDocument = false
        let role: WebDocument.Role =
            switch role {
            case .none: .none
            case .central(let part): .central(part.page)
            case .peripheral(let part): .peripheral(part.page)
            }
        let document = WebDocument(role: role, pairing: pairing, notice: notice.text)
        let newest = Dictionary(uniqueKeysWithValues: Texts.all.map { ($0.language, document.json($0).text) })
        let changed = newest.filter { documents[$0.key] != $0.value }
        documents = newest
        if !changed.isEmpty { publishDocuments(changed) }
        // The least time between two documents.
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(Ticks.interval)) {
            MainActor.assumeIsolated {
                self.isPausing = false
                if self.needsDocument { self.setNeedsDocument() }
            }
        }
    }
}

extension WebSession: ScreenPairingAgent.Receiver {
    func show(_ prompt: PairingPrompt) {
        promptCount += 1
        pairing = (promptCount, PairingPage(prompt))
        setNeedsDocument()
    }

    func ended(_ peer: PairingPeer, _ outcome: PairingOutcome) {
        if pairing?.page.prompt.peer.identifier == peer.identifier { pairing = nil }
        if case .failed(let reason) = outcome {
            let name = peer.name ?? String(peer.identifier.uuidString.prefix(8))
            notice.show(LocalizableText(.pairFailed, name, reason), for: Self.noticeTicks)
        }
        setNeedsDocument()
    }
}
