// What a messenger does a second time: the first answer on a link that outlived the app, a stay after a leave, and
// messages that are sent while others are handed over.

import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("Second links and second messages")
struct SecondLinkTests {
    private let testbed = Testbed()

    @Test("On a link that outlived the app, and is listened to, the first message that comes is answered, and no other")
    func answered() throws {
        let speaker = self.testbed.speaker(nil)
        let first = self.testbed.listener(nil) { $0.stays = true }
        #expect(self.testbed.run { first.begun == 1 })
        let manager = try #require(first.manager.centralManager)
        let peripheral = try #require(first.manager.discoveredPeripheral)
        let second = Listener(["Yo": "Lo"], on: first.adapter, in: self.testbed)
        second.manager.stays = true
        second.manager.centralManager = manager
        let state = [CBCentralManagerRestoredStatePeripheralsKey: [peripheral]]
        second.manager.centralManager(manager, willRestoreState: state)
        second.manager.centralManagerDidUpdateState(manager)
        #expect(second.begun == 1)
        for count in 1...2 {
            try speaker.manager.send(["number": "\(count)"])
            #expect(self.testbed.run { second.received.count == count })
        }
        #expect(self.testbed.run { second.sent.count == 1 })
        self.testbed.run(.seconds(1))
        #expect(second.sent == [["Yo": "Lo"]] && speaker.received.map(\.message) == [["Yo": "Lo"]])
    }

    @Test("Who has left when all was done, and begins anew, stays until it is to leave again")
    func staysAgain() {
        let speaker = self.testbed.speaker()
        let listener = self.testbed.listener { $0.stays = true }
        #expect(self.testbed.run { listener.sent.count == 1 })
        listener.manager.leaveWhenDone()
        #expect(self.testbed.run { listener.isFinished })
        listener.isFinished = false
        listener.scan()
        #expect(self.testbed.run { listener.sent.count == 2 })
        self.testbed.run(.seconds(5))
        #expect(!listener.isFinished && listener.begun == 2 && listener.ended == 1)
        #expect(speaker.manager.listeners.count == 1)
    }

    @Test("A message to all that is sent from inside a callback follows the one that is being handed over")
    func handingOver() throws {
        let speaker = self.testbed.speaker(nil)
        let listeners = (0..<2).map { _ in self.testbed.listener(nil) { $0.stays = true } }
        #expect(self.testbed.run { listeners.allSatisfy { $0.begun == 1 } && speaker.begun.count == 2 })
        var isSent = false
        speaker.onCall = { name in
            guard name == "didSendData", !isSent else { return }
            isSent = true
            try? speaker.manager.send(["number": "2"])
        }
        try speaker.manager.send(["number": "1"])
        #expect(self.testbed.run { speaker.sent.count == 4 })
        speaker.onCall = nil
        #expect(speaker.sent.compactMap { $0.message["number"] } == ["1", "1", "2", "2"])
        #expect(self.testbed.run { listeners.allSatisfy { $0.received == [["number": "1"], ["number": "2"]] } })
    }
}
