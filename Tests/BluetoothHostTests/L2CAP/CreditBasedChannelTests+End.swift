// How a channel ends: the rules that a peer can break, closing by either side, and the end of the link.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channel end")
struct CreditBasedChannelEndTests: ChannelSuite {
    @Test("follows the scripts of closing", arguments: scripts)
    func follows(script: ScriptCase) { self.run(script.steps) }

    private static let scripts = ScriptCase.all(
        """
        ## An SDU as long as the MTU is received
        \(ChannelScript.incoming)
        > 40 00 40 00 AA*30
        > 40 00 AA*32
        < 05 00 16 01 04 00 40 00 02 00
        > 40 00 AA*2
        ? received 1 AA*64

        ## L2CAP/LE/CFC/BV-08-C Closes a channel for the user
        \(ChannelScript.incoming)
        close 1
        < 05 00 06 01 04 00 41 00 40 00
        close 1
        write 1 AA
        ? took 0
        > 40 00 01 00 AA                          # dropped
        > 05 00 07 01 04 00 42 00 40 00           # not this channel
        > 05 00 07 01 04 00 41 00 41 00
        > 05 00 07 02 04 00 41 00 40 00           # not this request
        > 05 00 07 01 04 00 41 00 40 00
        ? closed 1 closedLocally
        > 05 00 07 01 04 00 41 00 40 00

        ## L2CAP/LE/CFC/BV-09-C Closes a channel for the peer
        \(ChannelScript.outgoing)
        write 1 AA*90
        < 41 00 3E 00 AA*30
        < 41 00 AA*32
        > 05 00 06 07 04 00 40 00 42 00           # the source does not fit: silence
        > 05 00 06 08 04 00 40 00 41 00
        < 05 00 07 08 04 00 40 00 41 00
        ? closed 1 closedByPeer
        > 05 00 06 09 04 00 40 00 41 00           # it is gone
        < 05 00 01 09 06 00 02 00 40 00 41 00

        ## A channel that is closed sends first what was written
        \(ChannelScript.incoming)
        write 1 AA*64
        < 41 00 40 00 AA*30
        < 41 00 AA*32
        close 1
        write 1 BB
        ? took 0
        wait 29
        > 05 00 16 02 04 00 41 00 01 00
        < 41 00 AA*2
        < 05 00 06 01 04 00 41 00 40 00
        > 05 00 07 01 04 00 41 00 40 00
        ? closed 1 closedLocally

        ## A closed channel that drains drops frames, and gives the peer credits
        \(ChannelScript.incoming)
        > 40 00 01 00 AA
        ? received 1 AA
        > 40 00 01 00 AA
        ? received 1 AA
        write 1 AA*64
        < 41 00 40 00 AA*30
        < 41 00 AA*32
        close 1
        < 05 00 16 01 04 00 40 00 02 00
        > 40 00 01 00 AA
        > 40 00 01 00 AA
        < 05 00 16 02 04 00 40 00 02 00
        > 05 00 06 04 04 00 40 00 41 00           # the peer has enough as well
        < 05 00 07 04 04 00 40 00 41 00
        ? closed 1 closedByPeer

        ## A peer that takes nothing for 30 s loses what a closed channel had left
        \(ChannelScript.incoming)
        write 1 AA*94
        < 41 00 3E 00 AA*30
        < 41 00 AA*32
        close 1
        wait 29
        > 05 00 16 02 04 00 41 00 01 00           # progress gives it time
        < 41 00 20 00 AA*30
        wait 29
        wait 1
        < 05 00 06 01 04 00 41 00 40 00
        wait 29
        wait 1
        ? closed 1 unconfirmed
        > 05 00 07 01 04 00 41 00 40 00

        ## Frames of the peer give it no more time to take the octets of a closed channel
        \(ChannelScript.incoming)
        write 1 AA*94
        < 41 00 3E 00 AA*30
        < 41 00 AA*32
        close 1
        wait 29
        > 40 00 01 00 AA
        write 1 BB
        ? took 0
        wait 1
        < 05 00 06 01 04 00 41 00 40 00
        wait 30
        ? closed 1 unconfirmed

        ## Both sides may close at once
        \(ChannelScript.incoming)
        close 1
        < 05 00 06 01 04 00 41 00 40 00
        > 05 00 06 02 04 00 40 00 41 00
        < 05 00 07 02 04 00 40 00 41 00
        ? closed 1 closedLocally
        > 05 00 07 01 04 00 41 00 40 00

        ## A peer that does not know the channel has confirmed its end
        \(ChannelScript.incoming)
        close 1
        < 05 00 06 01 04 00 41 00 40 00
        > 05 00 01 01 06 00 02 00 41 00 40 00
        ? closed 1 closedLocally

        ## The end of the link ends every channel, each once
        \(ChannelScript.incoming)
        open 0081 64 32 4
        < 05 00 14 01 0A 00 81 00 41 00 40 00 20 00 04 00
        > 05 00 15 01 0A 00 45 00 40 00 20 00 02 00 00 00
        ? opened 2 0081 out 64
        close 2
        < 05 00 06 02 04 00 45 00 41 00
        open 0082 64 32 4
        < 05 00 14 03 0A 00 82 00 42 00 40 00 20 00 04 00
        end
        ? closed 1 linkEnded
        ? closed 2 linkEnded
        ? failed 3 notConnected
        end
        open 0083 64 32 4
        ? failed 4 notConnected
        write 1 AA
        ? took 0
        > 40 00 01 00 AA
        wait 100
        """
    )

    @Test(
        "ends a channel whose peer breaks a rule",
        arguments: [
            (String(repeating: "> 40 00 01 00 AA \n ? received 1 AA \n", count: 4) + "> 40 00 01 00 AA", "noCredit"),
            ("overlong 0040", "frameTooLong"), ("> 40 00 03 00 AA BB \n > 40 00 CC DD", "moreOctetsThanAnnounced"),
        ]
    )
    func violations(frames: String, violation: String) {
        self.run(
            ChannelScript.incoming + """
                \(frames)
                < 05 00 06 01 04 00 41 00 40 00
                ? closed 1 violation \(violation)
                > 40 00 01 00 AA                          # goes nowhere
                overlong 0040
                """
        )
    }

    @Test func `The last octets of a close follow the written ones, regardless of the limit`() {
        self.run(
            ChannelScript.incoming + """
                write 1 AA*60
                ? took 40                                 # the limit, and the user waits for capacity
                < 41 00 28 00 AA*30
                ? ready 1
                < 41 00 AA*10
                write 1 BB*50
                ? took 40
                close 1 CC*60                             # no more capacity is reported
                > 05 00 16 02 04 00 41 00 02 00
                < 41 00 3E 00 BB*30
                < 41 00 BB*10 CC*22
                > 05 00 16 03 04 00 41 00 02 00
                < 41 00 26 00 CC*30
                < 41 00 CC*8
                < 05 00 06 01 04 00 41 00 40 00
                > 05 00 07 01 04 00 41 00 40 00
                ? closed 1 closedLocally
                """,
            sendLimit: 40
        )
    }

    @Test func `The identifier of an earlier channel does not refer to the one that has its CID now`() {
        var signalling = LESignalling(isCentral: false)
        signalling.channels.listeners[0x80] = .init(configuration: L2CAPChannelConfiguration(), security: .none)
        var actions: [LESignalling.Action] = []
        let now = NIODeadline.uptimeNanoseconds(0)
        signalling.receive(hex("14 01 0A 00 80 00 41 00 40 00 20 00 09 00"), now: now, into: &actions)
        let id = L2CAPChannelID(rawValue: 2)
        signalling.update(CID(rawValue: 0x40), now: now, into: &actions) { $0.accept(as: id, &$1) }
        actions = []
        let stale = L2CAPChannelID(rawValue: 1)
        let octets = ByteBuffer(repeating: 1, count: 60)
        #expect(signalling.update(id, now: now, into: &actions) { $0.write(octets, &$1) } == 60)
        #expect(actions.count == 1)
        signalling.update(stale, now: now, into: &actions) { $0.frameSent(&$1) }
        #expect(actions.count == 1)
        #expect(signalling.update(stale, now: now, into: &actions) { $0.write(octets, &$1) } == nil)
        signalling.update(stale, now: now, into: &actions) { $0.consume(5, &$1) }
        signalling.update(stale, now: now, into: &actions) { $0.close(after: [], &$1) }
        #expect(actions.count == 1)
        signalling.update(id, now: now, into: &actions) { $0.frameSent(&$1) }
        #expect(actions.count == 2)
    }
}
