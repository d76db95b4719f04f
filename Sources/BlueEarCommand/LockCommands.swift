// `blueear lock` and `blueear key`: the electronic lock of the article.

import ArgumentParser
@preconcurrency import BlueEar
import CommandLineTool
import CoreBluetooth
import Foundation

extension MessengerCommand {
    /// The command `blueear lock`.
    struct Lock: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Be a lock that opens while its key is near, until interrupted.",
            discussion: """
                A key proves that it knows the secret by answering a challenge; the secret itself is never sent. The \
                lock closes when the link to the key is lost. It cannot detect that a distant key's packets are \
                relayed, and a guessable secret can be found from overheard packets: this is an example, not a \
                product.
                """
        )

        @Option(help: "The name to advertise.")
        var name = "Lock"

        @OptionGroup var secret: SecretOptions
        @OptionGroup var restoration: RestorationOptions
        @OptionGroup var pairing: PairingOptions
        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let secret = try secret.value()
            try radio.apply(
                deviceName: name,
                reportsShortening: true,
                agent: pairing.agent(output.format),
                requiresPairing: pairing.requirePairing != nil
            )
            MainActor.assumeIsolated {
                LockSession(name: name, secret: secret, restoreIdentifier: restoration.restore, output: output.format)
                    .run()
            }
        }
    }

    /// The command `blueear key`.
    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Be the key of a lock: open it whenever it is near, until interrupted.",
            discussion: """
                When the lock is out of range, the key waits for it without a time limit. With --restore the request \
                outlives the program, too: however the program ended, it continues where it was when it is started \
                again.
                """
        )

        @OptionGroup var secret: SecretOptions
        @OptionGroup var restoration: RestorationOptions
        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let secret = try secret.value()
            let agent = TerminalPairingAgent()
            try radio.apply(agent: agent)
            MainActor.assumeIsolated {
                KeySession(
                    secret: secret,
                    restoreIdentifier: restoration.restore,
                    pairing: ProgramPairing(agent, radio),
                    output: output.format
                ).run()
            }
        }
    }
}

/// The shared secret of lock and key.
struct SecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The secret that lock and key share. Other users of this machine can see it here, but not BLUEEAR_SECRET "
                + "in the environment."
        )
    )
    var secret: String?

    func validate() throws {
        if let secret, secret.isEmpty { throw ValidationError("The secret is empty.") }
    }

    /// The secret.
    func value() throws -> String {
        let value = secret ?? ProcessInfo.processInfo.environment["BLUEEAR_SECRET"] ?? ""
        guard !value.isEmpty else {
            throw ValidationError("Lock and key need a shared secret: --secret, or BLUEEAR_SECRET.")
        }
        return value
    }
}

/// Runs a lock, and prints its events.
@MainActor
final class LockSession {
    private let name: String
    private let secret: String
    private let restoreIdentifier: String?
    private let output: OutputFormat
    private var lock: ElectronicLock?

    /// Creates the session.
    init(name: String, secret: String, restoreIdentifier: String?, output: OutputFormat) {
        self.name = name
        self.secret = secret
        self.restoreIdentifier = restoreIdentifier
        self.output = output
    }

    /// Runs the lock; never returns.
    func run() -> Never {
        start()
        Interrupts.runUntilExit()
    }

    /// Starts to wait for the key.
    func start() {
        let lock = ElectronicLock(secret: secret, name: name, restoreIdentifier: restoreIdentifier)
        self.lock = lock
        // The lock lives on the main thread, and so does its observer.
        lock.onEvent = { event in MainActor.assumeIsolated { self.report(event) } }
        if output.isVerbose { lock.manager.log = { Console.inform($0) } }
    }

    private func report(_ event: ElectronicLock.Event) {
        switch event {
        case .ready:
            output.print("ready", line: "\(PrintableText.quoted(name)) is closed and waits for its key 🔒")
            ServiceManager.current.ready("is the lock \(PrintableText.quoted(name))")
        case .challenged(let peer): output.print("challenged", Self.peer(peer), line: "Somebody is at the door")
        case .opened(let peer): output.print("opened", Self.peer(peer), line: "Open 🔓")
        case .refused(let peer): output.print("refused", Self.peer(peer), line: "This is not the key ⛔️")
        case .closed: output.print("closed", line: "Closed 🔒")
        case .restored: output.print("willRestoreState", line: "Did restore state ♻️")
        case .failed(let error): Lines.failed(error, with: nil, output)
        case .stateChanged(let state): Status.check(state)
        }
    }

    private static func peer(_ peer: UUID) -> [(key: String, value: JSONValue)] {
        [("peer", .string(peer.uuidString))]
    }
}

/// Runs a key, and prints its events.
@MainActor
final class KeySession {
    private let secret: String
    private let restoreIdentifier: String?
    private let pairing: ProgramPairing
    private let output: OutputFormat
    private var hasLostKeys = false
    private var key: ElectronicKey?
    private var progress: ProgressLine?

    /// Creates the session.
    init(secret: String, restoreIdentifier: String?, pairing: ProgramPairing, output: OutputFormat) {
        self.pairing = pairing
        self.secret = secret
        self.restoreIdentifier = restoreIdentifier
        self.output = output
    }

    /// Runs the key; never returns.
    func run() -> Never {
        start()
        Interrupts.runUntilExit()
    }

    /// Starts to look for the lock.
    func start() {
        let key = ElectronicKey(secret: secret, restoreIdentifier: restoreIdentifier)
        self.key = key
        // The key lives on the main thread, and so does its observer.
        key.onEvent = { event in MainActor.assumeIsolated { self.report(event) } }
        let conversation = pairing.conversation
        key.manager.userIdleTime = { MainActor.assumeIsolated { conversation.idleTime } }
        if output.isVerbose { key.manager.log = { Console.inform($0) } }
        key.begin()
    }

    /// Prints an event of the key; a permanent error ends the program.
    func report(_ event: ElectronicKey.Event) {
        switch event {
        case .searching:
            output.print("searching", line: "Looking for the lock 👀")
            progress = progress ?? .begin("looking for the lock")
        case .connected(let name):
            progress?.end()
            output.print("connected", [("name", .string(name))], line: "At \(PrintableText.quoted(name))")
        case .opened: output.print("opened", line: "Opened it 🔓")
        case .refused(let reason): Ending.fail(Failure("the lock refused: \(reason); check --secret on both sides"))
        case .away: output.print("away", line: "Out of reach; waiting for the lock 🚶")
        case .restored(let peers): Status.restore(peers).print(output)
        case .failed(let error):
            // Each further connection would end the same way.
            guard error != .lostKeys || !hasLostKeys else { return }
            hasLostKeys = hasLostKeys || error == .lostKeys
            Lines.failed(error, with: nil, advice: error.advice(pairing, device: nil), output)
        case .stateChanged(let state): Status.check(state)
        }
    }
}
