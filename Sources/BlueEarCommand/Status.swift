// What is printed: a line of status for each of the messenger's callbacks, as the article's apps show them, and the
// messages below.

import BlueEar
import CommandLineTool
import CoreBluetooth
import Foundation

/// A callback, as it is shown.
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

    /// The line for a reader.
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

    /// Ends a program that has no adapter and never will; another one waits until its adapter is back.
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
    /// What to do about an error that has to do with security, to follow its words; empty for others.
    @MainActor
    func advice(_ pairing: ProgramPairing, device: String?) -> String {
        switch self {
        case .refused(let code): pairing.advice(for: CBATTError(code), device: device)
        case .lostKeys: pairing.advice(for: CBError(.peerRemovedPairingInformation), device: device)
        case .malformed, .incomplete, .tooLong, .busy, .nobodyThere, .notAnEar, .unanswered, .bluetooth: ""
        }
    }
}

/// The lines below the status.
enum Lines {
    /// A message that came: one line for each of its pairs.
    static func received(_ message: [String: String], from peer: UUID, _ output: OutputFormat) {
        let lines = message.sorted { $0.key < $1.key }.map { "  " + PrintableText.text("\($0.key)=\($0.value)") }
        output.print(
            "received",
            [("peer", .string(peer.uuidString)), ("message", JSONValue(message))],
            line: lines.isEmpty ? nil : lines.joined(separator: "\n")
        )
    }

    /// A message that is delivered; a reader has seen the status.
    static func sent(_ message: [String: String], to peer: UUID, _ output: OutputFormat) {
        output.print("sent", [("peer", .string(peer.uuidString)), ("message", JSONValue(message))], line: nil)
    }

    /// Something went wrong, and the conversation goes on.
    ///
    /// - Parameter advice: What to do about it, to follow the words for the error.
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
