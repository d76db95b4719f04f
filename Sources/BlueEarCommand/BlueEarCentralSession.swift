// `blueear central`: one exchange with a peripheral, or a conversation with --stay.

@preconcurrency import BlueEar
import CommandLineTool
import CoreBluetooth
import Foundation

/// Finds a peripheral, talks with it, and prints what happens.
@MainActor
final class BlueEarCentralSession {
    private let message: [String: String]?
    private let device: String?
    private let stays: Bool
    private let reads: Bool
    private let timeout: TimeInterval?
    private let restoreIdentifier: String?
    private let pairing: ProgramPairing
    private let output: OutputFormat
    private var manager: CentralRole.BluetoothManager?
    private var lines: MessageLines?
    private var deadline: Deadline?
    private var progress: ProgressLine?

    // For the exit status, and for the message at the end of the time limit.
    private var state = CBManagerState.unknown
    private var hasConnected = false
    private var hasReceived = false
    private var hasFailed = false
    private var hasLostKeys = false

    /// Creates the session.
    init(
        message: [String: String]?,
        device: String?,
        stays: Bool,
        reads: Bool,
        timeout: TimeInterval?,
        restoreIdentifier: String?,
        pairing: ProgramPairing,
        output: OutputFormat
    ) {
        self.pairing = pairing
        self.message = message
        self.device = device
        self.stays = stays
        self.reads = reads
        self.timeout = timeout
        self.restoreIdentifier = restoreIdentifier
        self.output = output
    }

    /// Runs the session; never returns.
    func run() -> Never {
        start(stays ? LineReader() : nil)
        Interrupts.runUntilExit()
    }

    /// Starts to look for a peripheral; the end of the conversation, or the time limit, ends the program.
    ///
    /// - Parameter reader: The user's lines, with --stay.
    func start(_ reader: LineReader?) {
        let manager = CentralRole.BluetoothManager(delegate: self)
        self.manager = manager
        manager.stays = stays
        manager.reads = reads
        manager.accepts = device.map { device in { DeviceName.matches($0, device) } }
        manager.restoreIdentifier = restoreIdentifier
        let conversation = pairing.conversation
        manager.userIdleTime = { MainActor.assumeIsolated { conversation.idleTime } }
        if let message { manager.message = message }
        if output.isVerbose { manager.log = { Console.inform($0) } }
        manager.scan()
        if let timeout {
            deadline = Deadline(after: timeout, pausingFor: conversation) { self.timeOut(after: timeout) }
        }
        if stays, let reader {
            lines = MessageLines(reader, conversation) { input in
                switch input {
                case .quit, .end: manager.leaveWhenDone()
                case .message(let message): self.send(message)
                }
            }
        }
    }

    private func send(_ message: [String: String]) {
        do { try manager?.send(message) } catch { Console.warn("\(error)") }
    }

    /// Shows at a terminal what the program waits for. With --stay, the user types lines there.
    private func wait(_ label: String) {
        guard !stays else { return }
        if let progress { progress.wait(label) } else { progress = .begin(label, total: timeout) }
    }

    private func timeOut(after timeout: TimeInterval) {
        let time = "within \(SecondsText.text(timeout))"
        let who = device.map { "no peripheral named \(PrintableText.quoted($0))" } ?? "no peripheral"
        switch state {
        case .poweredOn where hasReceived:
            Ending.fail(Failure("the conversation did not end \(time)"))
        case .poweredOn where hasConnected:
            Ending.fail(Failure("the peripheral said nothing \(time)"))
        case .poweredOn:
            Ending.fail(Failure("\(who) was found \(time); start one with: blueear peripheral"))
        case .poweredOff:
            // If the adapter could not be opened, that has been reported already.
            Ending.failAsSaid()
        default:
            Ending.fail(Failure("Bluetooth was not ready \(time); check --adapter and what serves it"))
        }
    }
}

extension BlueEarCentralSession: @preconcurrency CentralRole.BlueEar {
    func didStartConfiguration() { Status.startConfiguration.print(output) }
    func didStartScanningPeripherals() {
        Status.startScanning.print(output)
        let who = device.map { "the peripheral \(PrintableText.quoted($0))" } ?? "a peripheral"
        wait("looking for \(who)")
    }
    func didConnectPeripheral(name: String?) {
        hasConnected = true
        Status.connect(name ?? "").print(output)
        wait("waiting for the message of \(PrintableText.quoted(name ?? ""))")
    }
    func didDisconnectPeripheral(name: String?) { Status.disconnect(name ?? "").print(output) }
    func didSendData() { Status.sendData.print(output) }
    func didReceiveData() { Status.receiveData.print(output) }
    func didFailConnection() { Status.failConnection.print(output) }
}

extension BlueEarCentralSession: @preconcurrency MessageObserver {
    func didReceive(_ message: [String: String], from peer: UUID) {
        hasReceived = true
        Lines.received(message, from: peer, output)
    }
    func didSend(_ message: [String: String], to peer: UUID) { Lines.sent(message, to: peer, output) }
    func didFail(_ error: BlueEarError, with peer: UUID?) {
        hasFailed = true
        let advice = error.advice(pairing, device: device ?? peer?.uuidString)
        if error == .lostKeys {
            // Each further connection would end the same way.
            guard stays else { Ending.fail(Failure(error.description + advice)) }
            guard !hasLostKeys else { return }
            hasLostKeys = true
        }
        Lines.failed(error, with: peer, advice: advice, output)
    }
    func didFinish() { hasReceived && (!hasFailed || stays) ? Ending.succeed() : Ending.failAsSaid() }
    func didUpdateState(_ state: CBManagerState) {
        self.state = state
        Status.check(state)
    }
    func didRestoreState(peers: [UUID]) { Status.restore(peers).print(output) }
}
