// The output: a status line for each of the messenger's callbacks, as in the article's apps, with messages below it.

import BlueEar
import CommandLineTool
import CoreBluetooth
import Foundation

/// A callback.
enum Status {
    case startConfiguration
    case startAdvertising
    case startScanning
    case connect(String)
    case disconnect(String)
    case sendData
    case receiveData
    case failConnection
    case restore([UUID])

    /// The line for a person.
    var line: String {
        switch self {
        case .startConfiguration: "Start configuration 🎛"
        case .startAdvertising: "Start advertising 📻"
        case .startScanning: "Start scanning peripherals 👀"
        case .connect(let name): "Did connect to: \(PrintableText.text(name)) 🤜🏽🤛🏽"
        case .disconnect(let name): "Did disconnect: \(PrintableText.text(name)) 🤜🏽🤚🏽"
        case .sendData: "Did send data ⬆️"
        case .receiveData: "Did received data ⬇️"
        case .failConnection: "Connection failed 🤷🏽‍♂️"
        case .restore: "Did restore state ♻️"
        }
    }

    /// The callback's name, for programs.
    var event: String {
        switch self {
        case .startConfiguration: "didStartConfiguration"
        case .startAdvertising: "didStartAdvertising"
        case .startScanning: "didStartScanningPeripherals"
        case .connect: "didConnectPeripheral"
        case .disconnect: "didDisconnectPeripheral"
        case .sendData: "didSendData"
        case .receiveData: "didReceiveData"
        case .failConnection: "didFailConnection"
        case .restore: "willRestoreState"
        }
    }

    private var details: [(key: String, value: JSONValue)] {
        switch self {
        case .connect(let name), .disconnect(let name): [("name", .string(name))]
        case .restore(let peers): [("peers", .array(peers.map { .string($0.uuidString) }))]
        case .startConfiguration, .startAdvertising, .startScanning, .sendData, .receiveData, .failConnection: []
        }
    }

    /// Ends a program that has no adapter and never will; otherwise the program waits until the adapter is back.
    static func check(_ state: CBManagerState) {
        switch state {
        case .unsupported: Ending.failAsSaid()
        case .unknown, .poweredOn: break
        default: ServiceManager.current.waitsForAdapter()
        }
    }

    /// Prints the status.
    func print(_ output: OutputFormat) {
        output.print(event, details, line: line)
    }
}

extension BlueEarError {
    /// Advice for an error that concerns security, to follow its words; empty for other errors.
    @MainActor
    func advice(_ pairing: ProgramPairing, device: String?) -> String {
        switch self {
        case .refused(let code): pairing.advice(for: CBATTError(code), device: device)
        case .lostKeys: pairing.advice(for: CBError(.peerRemovedPairingInformation), device: device)
        case .malformed, .incomplete, .tooLong, .busy, .nobodyThere, .notAnEar, .unanswered, .bluetooth: ""
        }
    }
}

/// Prints the lines below the status.
enum Lines {
    /// Prints a received message, one line for each of its pairs.
    static func received(_ message: [String: String], from peer: UUID, _ output: OutputFormat) {
        let lines = message.sorted { $0.key < $1.key }.map { "  " + PrintableText.text("\($0.key)=\($0.value)") }
        output.print(
            "received",
            [("peer", .string(peer.uuidString)), ("message", JSONValue(message))],
            line: lines.isEmpty ? nil : lines.joined(separator: "\n")
        )
    }

    /// Prints a delivered message; a person has already seen the status.
    static func sent(_ message: [String: String], to peer: UUID, _ output: OutputFormat) {
        output.print("sent", [("peer", .string(peer.uuidString)), ("message", JSONValue(message))], line: nil)
    }

    /// Prints an error after which the conversation goes on.
    ///
    /// - Parameter advice: Advice, to follow the words for the error.
    static func failed(_ error: BlueEarError, with peer: UUID?, advice: String = "", _ output: OutputFormat) {
        output.print(
            "failed",
            [("peer", JSONValue(peer?.uuidString)), ("error", .string(error.description + advice))],
            line: nil
        )
        guard !output.isJSON else { return }
        let who = peer.map { "peer \($0.uuidString): " } ?? ""
        Console.warn("\(who)\(PrintableText.text(error.description + advice))")
    }
}
