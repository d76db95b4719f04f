import BlueEar
import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import BlueEarCommand

@Suite("The lines that blueear prints")
struct StatusTests {
    private static let uuid = "8E38140A-27BE-4090-8955-4FC4B5698D1E"

    private func printed(isJSON: Bool, _ body: (OutputFormat) -> Void) -> [String] {
        let lines = Watched<[String]>([])
        body(OutputFormat(isJSON: isJSON, isVerbose: false) { line in lines.update { $0.append(line) } })
        return lines.value
    }

    @Test(
        "prints each callback as a line or as an object",
        arguments: [
            (.startConfiguration, "Start configuration 🎛", #"{"event":"didStartConfiguration"}"#),
            (.startAdvertising, "Start advertising 📻", #"{"event":"didStartAdvertising"}"#),
            (.startScanning, "Start scanning peripherals 👀", #"{"event":"didStartScanningPeripherals"}"#),
            (
                .connect("Anna\u{1B}"), "Did connect to: Anna\u{FFFD} 🤜🏽🤛🏽",
                #"{"event":"didConnectPeripheral","name":"Anna\u001b"}"#
            ),
            (.disconnect(""), "Did disconnect:  🤜🏽🤚🏽", #"{"event":"didDisconnectPeripheral","name":""}"#),
            (.sendData, "Did send data ⬆️", #"{"event":"didSendData"}"#),
            (.receiveData, "Did received data ⬇️", #"{"event":"didReceiveData"}"#),
            (.failConnection, "Connection failed 🤷🏽‍♂️", #"{"event":"didFailConnection"}"#),
            (.restore([]), "Did restore state ♻️", #"{"event":"willRestoreState","peers":[]}"#),
        ] as [(Status, String, String)]
    )
    func callbacks(status: Status, line: String, object: String) {
        #expect(printed(isJSON: false, status.print) == [line])
        #expect(printed(isJSON: true, status.print) == [object])
    }

    @Test("prints the sorted pairs of a received message, and in JSON what was sent")
    func messages() throws {
        let peer = try #require(UUID(uuidString: Self.uuid))
        let message = ["b": "2", "a": "1\u{7}"]
        let object = #""peer":"\#(Self.uuid)","message":{"a":"1\u0007","b":"2"}}"#
        #expect(printed(isJSON: false) { Lines.received(message, from: peer, $0) } == ["  a=1\u{FFFD}\n  b=2"])
        #expect(printed(isJSON: false) { Lines.received([:], from: peer, $0) }.isEmpty)
        #expect(printed(isJSON: false) { Lines.sent(message, to: peer, $0) }.isEmpty)
        #expect(
            printed(isJSON: true) { Lines.received(message, from: peer, $0) } == [#"{"event":"received",\#(object)"#]
        )
        #expect(printed(isJSON: true) { Lines.sent(message, to: peer, $0) } == [#"{"event":"sent",\#(object)"#])
    }

    @Test("prints a failure in JSON, with advice on security")
    @MainActor
    func failures() throws {
        let pairing = ProgramPairing(TerminalPairingAgent(.keyboardAndDisplay), try RadioOptions.parse([]))
        let peer = try #require(UUID(uuidString: Self.uuid))
        for error in [BlueEarError.malformed, .incomplete, .tooLong(7), .busy, .nobodyThere, .notAnEar, .unanswered] {
            #expect(error.advice(pairing, device: "Anna").isEmpty)
            let lines = printed(isJSON: true) { Lines.failed(error, with: nil, $0) }
            #expect(lines == [#"{"event":"failed","peer":null,"error":\#(JSONValue.string(error.description).text)}"#])
        }
        let advice = BlueEarError.lostKeys.advice(pairing, device: "Anna")
        #expect(advice.hasSuffix("corebluetooth bonds remove Anna; then pair again"))
        #expect(!BlueEarError.refused(.insufficientAuthentication).advice(pairing, device: nil).isEmpty)
        #expect(BlueEarError.refused(.unlikelyError).advice(pairing, device: nil).isEmpty)
        let lines = printed(isJSON: true) { Lines.failed(.lostKeys, with: peer, advice: advice, $0) }
        #expect(lines.first?.hasPrefix(#"{"event":"failed","peer":"\#(Self.uuid)","error":"#) == true)
        #expect(lines.first?.hasSuffix(advice + "\"}") == true)
    }
}
