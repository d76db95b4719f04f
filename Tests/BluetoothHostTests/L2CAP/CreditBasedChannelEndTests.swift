// How a channel ends: every rule that a peer can break, closing by either side, with octets left or without, and the
// end of the link.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channel end")
struct CreditBasedChannelEndTests: ChannelSuite {
    // MARK: What a peer may not do

    @Test func `A frame without a credit ends the channel`() {
        self.run(
            self.incoming + """
                > 40 00 01 00 AA
                ? received 1 AA
                > 40 00 01 00 AA
                ? received 1 AA
                > 40 00 01 00 AA
                ? received 1 AA
                > 40 00 01 00 AA
                ? received 1 AA
                > 40 00 01 00 AA
                < 05 00 06 01 04 00 41 00 40 00
                ? closed 1 violation noCredit
                > 40 00 01 00 AA                          # goes nowhere
                """
        )
    }

    @Test func `A frame longer than the MPS ends the channel`() {
        self.run(
            self.incoming + """
                > 40 00 1F 00 AA*31
                < 05 00 06 01 04 00 41 00 40 00
                ? closed 1 violation frameTooLong
                """
        )
        self.run(
            self.incoming + """
                overlong 0040
                < 05 00 06 01 04 00 41 00 40 00
                ? closed 1 violation frameTooLong
                overlong 0040
                overlong 0041
                """
        )
    }

    @Test func `An SDU longer than the MTU ends the channel`() {
        self.run(
            self.incoming + """
                > 40 00 40 00 AA*30                       # 64 octets are allowed
                > 40 00 AA*32
                < 05 00 16 01 04 00 40 00 02 00
                > 40 00 AA*2
                ? received 1 AA*64
                > 40 00 41 00 AA*30
                < 05 00 06 02 04 00 41 00 40 00
                ? closed 1 violation sduTooLong
                """
        )
    }

    @Test func `More octets than announced end the channel`() {
        self.run(
            self.incoming + """
                > 40 00 01 00 AA BB
                < 05 00 06 01 04 00 41 00 40 00
                ? closed 1 violation moreOctetsThanAnnounced
                """
        )
        self.run(
            self.incoming + """
                > 40 00 03 00 AA BB
                > 40 00 CC DD
                < 05 00 06 01 04 00 41 00 40 00
                ? closed 1 violation moreOctetsThanAnnounced
                """
        )
    }

    @Test func `A first frame without a length ends the channel`() {
        for payload in ["", "01"] {
            self.run(
                self.incoming + """
                    > 40 00 \(payload)
                    < 05 00 06 01 04 00 41 00 40 00
                    ? closed 1 violation noSDULength
                    """
            )
        }
    }

    // MARK: The end

    @Test("L2CAP/LE/CFC/BV-08-C The user closes a channel")
    func cfcBV08() {
        self.run(
            self.incoming + """
                close 1
                < 05 00 06 01 04 00 41 00 40 00
                close 1
                write 1 AA
                ? took 0
                > 40 00 01 00 AA                          # nobody hears it any more
                > 05 00 07 01 04 00 42 00 40 00           # not this channel
                > 05 00 07 01 04 00 41 00 41 00
                > 05 00 07 02 04 00 41 00 40 00           # not this request
                > 05 00 07 01 04 00 41 00 40 00
                ? closed 1 closedLocally
                > 05 00 07 01 04 00 41 00 40 00
                """
        )
    }

    @Test("L2CAP/LE/CFC/BV-09-C The peer closes a channel")
    func cfcBV09() {
        self.run(
            self.outgoing + """
                write 1 AA*90
                < 41 00 3E 00 AA*30
                < 41 00 AA*32
                > 05 00 06 07 04 00 40 00 42 00           # the source does not fit: silence
                > 05 00 06 08 04 00 40 00 41 00
                < 05 00 07 08 04 00 40 00 41 00
                ? closed 1 closedByPeer
                > 05 00 06 09 04 00 40 00 41 00           # it is not there any more
                < 05 00 01 09 06 00 02 00 40 00 41 00
                """
        )
    }

    @Test func `A channel that is closed sends first what was written`() {
        self.run(
            self.incoming + """
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
                """
        )
    }

    @Test func `The last octets of a close go out behind what was written, whatever the limit`() {
        self.run(
            self.incoming + """
                write 1 AA*60
                ? took 40                                 # the limit, and the user waits for capacity
                < 41 00 28 00 AA*30
                ? ready 1
                < 41 00 AA*10
                write 1 BB*50
                ? took 40
                close 1 CC*60                             # no capacity is reported any more
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

    @Test func `What arrives while a closed channel drains is dropped and does not hold the peer up`() {
        self.run(
            self.incoming + """
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
                """
        )
    }

    @Test func `A peer that takes nothing for 30 s loses what a closed channel had left`() {
        self.run(
            self.incoming + """
                write 1 AA*94
                < 41 00 3E 00 AA*30
                < 41 00 AA*32
                close 1
                wait 29
                > 05 00 16 02 04 00 41 00 01 00           # it gets on, so it has time
                < 41 00 20 00 AA*30
                wait 29
                wait 1
                < 05 00 06 01 04 00 41 00 40 00
                wait 29
                wait 1
                ? closed 1 unconfirmed
                > 05 00 07 01 04 00 41 00 40 00
                """
        )
    }

    @Test func `What a peer sends and asks for is nothing that it takes of a closed channel`() {
        self.run(
            self.incoming + """
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
                """
        )
    }

    @Test func `Both sides may close at once`() {
        self.run(
            self.incoming + """
                close 1
                < 05 00 06 01 04 00 41 00 40 00
                > 05 00 06 02 04 00 40 00 41 00
                < 05 00 07 02 04 00 40 00 41 00
                ? closed 1 closedLocally
                > 05 00 07 01 04 00 41 00 40 00
                """
        )
    }

    @Test func `A peer that does not know the channel has closed it`() {
        self.run(
            self.incoming + """
                close 1
                < 05 00 06 01 04 00 41 00 40 00
                > 05 00 01 01 06 00 02 00 41 00 40 00
                ? closed 1 closedLocally
                """
        )
    }

    @Test func `The end of the link ends every channel, each once`() {
        self.run(
            self.incoming + """
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
    }

    @Test func `A frame of a channel that was is nothing to the channel that has its CID now`() {
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
