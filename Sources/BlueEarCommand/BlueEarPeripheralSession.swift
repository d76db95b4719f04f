// `blueear peripheral`: advertises until interrupted.

@preconcurrency import BlueEar
import CommandLineTool
import CoreBluetooth
import Foundation

/// Advertises, and prints what happens.
@MainActor
final class BlueEarPeripheralSession {
    private let name: String
    private let message: [String: String]?
    private let restoreIdentifier: String?
    private let pairing: ProgramPairing
    private let output: OutputFormat
    private var manager: PeripheralRole.BluetoothManager?
    private var lines: MessageLines?

    /// Creates the session.
    init(
        name: String,
        message: [String: String]?,
        restoreIdentifier: String?,
        pairing: ProgramPairing,
        output: OutputFormat
    ) {
        self.pairing = pairing
        self.name = name
        self.message = message
        self.restoreIdentifier = restoreIdentifier
        self.output = output
    }

    /// Runs the session; never returns.
    func run() -> Never {
        // A read in the background of a terminal then fails instead of stopping the process.
        signal(SIGTTIN, SIG_IGN)
        start(LineReader())
        Interrupts.runUntilExit()
    }

    /// Starts to advertise and to read lines.
    func start(_ reader: LineReader) {
        let manager = PeripheralRole.BluetoothManager(delegate: self, restoreIdentifier: restoreIdentifier)
        self.manager = manager
        manager.localName = name
        if let message { manager.message = message }
        if output.isVerbose { manager.log = { Console.inform($0) } }
        lines = MessageLines(reader, pairing.conversation) { input in
            switch input {
            case .quit: Ending.succeed()
            case .end: break
            case .message(let message): self.send(message)
            }
        }
    }

    private func send(_ message: [String: String]) {
        do {
            try manager?.send(message)
            if manager?.listeners.isEmpty == true {
                Console.warn("nobody has subscribed; the message can only be read")
            }
        } catch {
            Console.warn("\(error)")
        }
    }
}

extension BlueEarPeripheralSession: @preconcurrency PeripheralRole.BlueEar {
    func didStartConfiguration() { Status.startConfiguration.print(output) }
    func didStartAdvertising() {
        Status.startAdvertising.print(output)
        ServiceManager.current.ready("advertises as \(PrintableText.quoted(name))")
    }
    func didSendData() { Status.sendData.print(output) }
    func didReceiveData() { Status.receiveData.print(output) }
}

extension BlueEarPeripheralSession: @preconcurrency MessageObserver {
    func didReceive(_ message: [String: String], from peer: UUID) { Lines.received(message, from: peer, output) }
    func didSend(_ message: [String: String], to peer: UUID) { Lines.sent(message, to: peer, output) }
    func didFail(_ error: BlueEarError, with peer: UUID?) { Lines.failed(error, with: peer, output) }
    func didUpdateState(_ state: CBManagerState) { Status.check(state) }
    func didRestoreState(peers: [UUID]) { Status.restore(peers).print(output) }
}
