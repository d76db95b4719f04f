// The debug key (Vol 3, Part H, 2.3.5.6.1), whose private half everybody knows, in a pairing of a device that accepts
// it: the pairing goes on with what follows a public key.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: a device that accepts the debug key")
struct PairingDebugKeyTests {
    private static let configuration = PairingConfiguration(acceptsDebugKey: true)

    @Test("A responder answers the debug key with its own public key and its confirm value")
    func responder() {
        var script = SecurityManagerScript(isCentral: false, Self.configuration)
        script.run(
            """
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
            """
        )
        script.receive(SMPCommand.pairingPublicKey(SampleData.publicA).encoded())
        let output = script.takeOutput()
        #expect(output.count == 2)
        #expect(output.first?.hasPrefix("< 0C ") == true && output.last?.hasPrefix("< 03 ") == true)
    }

    @Test("An initiator waits for the confirm value of a responder with the debug key, and sends its nonce then")
    func initiator() {
        var script = SecurityManagerScript(isCentral: true, Self.configuration)
        script.run(
            """
            pair encrypted
            < 01 03 00 09 10 01 03
            > 02 03 00 09 10 00 00
            < 0C \(SecurityManagerScript.ownKey)
            """
        )
        script.receive(SMPCommand.pairingPublicKey(SampleData.publicA).encoded())
        #expect(script.takeOutput() == [])
        script.receive(octets(["03", "00..0F"]))
        let output = script.takeOutput()
        #expect(output.count == 1 && output.first?.hasPrefix("< 04 ") == true)
    }
}
