// `blueear lock` and `blueear key`: the electronic lock of the article.

import ArgumentParser
@preconcurrency import BlueEar
import CommandLineTool
import CoreBluetooth
import Foundation

extension Messenger {
    /// The command `blueear lock`.
    struct Lock: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Be a lock that opens while its key is near, until interrupted.",
            discussion: """
                A key proves that it knows the secret by answering a challenge; the secret itself is never sent. The \
                lock closes when the link to the key is lost. It cannot tell how far away a key is whose radio \
                somebody passes on, and a secret that can be guessed can be found from what was overheard: this is an \
                example, not a product.
                """
        )

        @Option(help: "The name to advertise.")
        var name = "Lock"

        @OptionGroup var secret: SecretOptions
        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let secret = try secret.value()
            try radio.apply()
            MainActor.assumeIsolated {
                LockSession(name: name, secret: secret, restoreIdentifier: self.secret.restore, output: output.format)
                    .run()
            }
        }
    }

    /// The command `blueear key`.
    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Be the key of a lock: open it whenever it is near, until interrupted.",
            discussion: """
                Out of reach of the lock the key waits for it; that request does not expire. With --restore it outlives \
                the program, too: ended by whatever means and started again, the key takes up where it was.
                """
        )

        @OptionGroup var secret: SecretOptions
        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let secret = try secret.value()
            try radio.apply()
            MainActor.assumeIsolated {
                KeySession(secret: secret, restoreIdentifier: self.secret.restore, output: output.format).run()
            }
        }
    }
}

/// What lock and key share.
struct SecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What lock and key both know. Others on this machine can see it here; BLUEEAR_SECRET in the environment is "
                + "seen by this user alone."
        )
    )
    var secret: String?

    @Option(help: ArgumentHelp("Take up what was going on when this identifier was last used.", valueName: "id"))
    var restore: String?

    func validate() throws {
        if let secret, secret.isEmpty { throw ValidationError("The secret is empty.") }
        if let restore, restore.isEmpty { throw ValidationError("The identifier to restore is empty.") }
    }

    /// The secret.
    func value() throws -> String {
        let value = secret ?? ProcessInfo.processInfo.environment["BLUEEAR_SECRET"] ?? ""
        guard !value.isEmpty else {
            throw ValidationError("Lock and key need a secret that both know: --secret, or BLUEEAR_SECRET.")
        }
        return value
    }
}

/// A lock, and what is printed about it.
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

    /// Is a lock; never returns.
    func run() -> Never {
        let lock = ElectronicLock(secret: secret, name: name, restoreIdentifier: restoreIdentifier)
        self.lock = lock
        // The lock lives on the main thread, and so does whoever watches it.
        lock.onEvent = { event in MainActor.assumeIsolated { self.tell(event) } }
        if output.isVerbose { lock.manager.log = { Console.report($0) } }
        Interrupts.runUntilExit()
    }

    private func tell(_ event: ElectronicLock.Event) {
        switch event {
        case .ready: say("ready", nil, "\(Console.name(name)) is closed and waits for its key 🔒")
        case .challenged(let peer): say("challenged", peer, "Somebody is at the door")
        case .opened(let peer): say("opened", peer, "Open 🔓")
        case .refused(let peer): say("refused", peer, "This is not the key ⛔️")
        case .closed: say("closed", nil, "Closed 🔒")
        case .restored: say("willRestoreState", nil, "Did restore state ♻️")
        case .failed(let error): Lines.failed(error, with: nil, output)
        case .stateChanged(.unsupported): Ending.failAsSaid()
        case .stateChanged: break
        }
    }

    private func say(_ event: String, _ peer: UUID?, _ line: String) {
        if output.isJSON {
            let who: [(key: String, value: JSONValue)] = peer.map { [("peer", .string($0.uuidString))] } ?? []
            Console.print(JSONValue.object([("event", .string(event))] + who).text)
        } else {
            Console.print(line)
        }
    }
}

/// A key, and what is printed about it.
@MainActor
final class KeySession {
    private let secret: String
    private let restoreIdentifier: String?
    private let output: OutputFormat
    private var key: ElectronicKey?

    /// Creates the session.
    init(secret: String, restoreIdentifier: String?, output: OutputFormat) {
        self.secret = secret
        self.restoreIdentifier = restoreIdentifier
        self.output = output
    }

    /// Is a key; never returns.
    func run() -> Never {
        let key = ElectronicKey(secret: secret, restoreIdentifier: restoreIdentifier)
        self.key = key
        // The key lives on the main thread, and so does whoever watches it.
        key.onEvent = { event in MainActor.assumeIsolated { self.tell(event) } }
        if output.isVerbose { key.manager.log = { Console.report($0) } }
        key.begin()
        Interrupts.runUntilExit()
    }

    private func tell(_ event: ElectronicKey.Event) {
        switch event {
        case .searching: say("searching", [], "Looking for the lock 👀")
        case .connected(let name): say("connected", [("name", .string(name))], "At \(Console.name(name))")
        case .opened: say("opened", [], "Opened it 🔓")
        case .refused(let reason): Ending.fail(Failure("the lock refused: \(reason); check --secret on both sides"))
        case .away: say("away", [], "Out of reach; waiting for the lock 🚶")
        case .restored(let peers):
            let list = JSONValue.array(peers.map { .string($0.uuidString) })
            say("willRestoreState", [("peers", list)], "Did restore state ♻️")
        case .failed(let error): Lines.failed(error, with: nil, output)
        case .stateChanged(.unsupported): Ending.failAsSaid()
        case .stateChanged: break
        }
    }

    private func say(_ event: String, _ details: [(key: String, value: JSONValue)], _ line: String) {
        if output.isJSON {
            Console.print(JSONValue.object([("event", .string(event))] + details).text)
        } else {
            Console.print(line)
        }
    }
}
