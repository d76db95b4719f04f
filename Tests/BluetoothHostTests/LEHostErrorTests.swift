// The errors of a host: the status that is nearest, and one line of text, which users see.

import BluetoothHCI
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("LEHostError")
struct LEHostErrorTests {
    @Test(
        "has a status and one line of text",
        arguments: [
            (.refused(.commandDisallowed), 0x0C, nil), (.unanswered, 0x1F, "the controller did not answer"),
            (.controllerLost, 0x1F, "the controller is gone"),
            (.malformedAnswer, 0x1F, "the controller's answer is malformed"),
            (.addressNotResolvedByPeer, 0x1F, "the peer does not resolve private addresses"),
            (.notConnected, 0x02, "there is no such link"), (.superseded, 0x1F, "a later call took its place"),
        ] as [(LEHostError, UInt8, String?)]
    )
    func errors(error: LEHostError, status: UInt8, words: String?) {
        #expect(error.status.rawValue == status)
        if let words {
            #expect("\(error)" == words)
        } else {
            #expect("\(error)".hasPrefix("the controller refused: "))
        }
    }
}
