// Pending connections that are cancelled, while the controller connects.

import BluetoothHCI
import Testing

@testable import BluetoothHost

extension InitiatorTests {
    @Test("a link that came while the cancel was on its way counts")
    func cancelCrossesConnection() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        #expect(self.steps(&initiator) == [.create(self.first)])
        let wasPending = initiator.cancel(self.first)
        #expect(wasPending)
        #expect(initiator.next() == .cancel)
        #expect(initiator.completed(.commandDisallowed) == [])
        #expect(initiator.finished(self.first, error: .success) == [])
        #expect(initiator.next() == nil)
    }

    @Test("cancelling what was not wanted changes nothing")
    func cancelUnknown() {
        var initiator = Initiator()
        let wasPending = initiator.cancel(self.first)
        #expect(!wasPending)
        #expect(initiator.next() == nil)
    }

    @Test(
        "The answer to a cancel that comes after the link is not taken for that to the next command",
        arguments: [.commandDisallowed, .success] as [HCIErrorCode]
    )
    func lateAnswer(status: HCIErrorCode) {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        initiator.connect(to: self.second)
        _ = self.steps(&initiator)
        initiator.connect(to: self.third)
        #expect(initiator.next() == .cancel)
        #expect(initiator.finished(self.second, error: .success) == [])
        #expect(initiator.next() == nil, "the answer to the cancel is still to come")
        #expect(!initiator.isIdle && initiator.isSilent && !initiator.awaitsEnd)
        #expect(initiator.completed(status) == [])
        // The list is not taken for one that does not work.
        #expect(
            self.steps(&initiator) == [
                .removeFromAcceptList(self.second), .addToAcceptList(self.third), .createFromAcceptList,
            ]
        )
    }

    @Test("The end of a cancelled attempt is awaited once the cancel was accepted, and not otherwise")
    func awaitedEnd() {
        for status in [.success, .commandDisallowed] as [HCIErrorCode] {
            var initiator = Initiator()
            initiator.connect(to: self.first)
            _ = self.steps(&initiator)
            _ = initiator.cancel(self.first)
            #expect(initiator.next() == .cancel)
            _ = initiator.completed(status)
            #expect(initiator.awaitsEnd == (status == .success))
        }
    }
}
