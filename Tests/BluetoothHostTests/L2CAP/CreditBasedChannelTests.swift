// Segmentation, reassembly, credits and back-pressure of an open channel, as scripts.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channel data")
struct CreditBasedChannelTests: ChannelSuite {
    @Test("follows the scripts of segmentation and credits", arguments: scripts)
    func follows(script: ScriptCase) { self.run(script.steps) }

    private static let scripts = ScriptCase.all(
        """
        ## L2CAP/COS/CFC/BV-01-C Cuts an SDU that is longer than the peer's MPS
        \(ChannelScript.incoming)
        write 1 AA*30 BB*32 CC
        < 41 00 3F 00 AA*30                       # two octets of length and 30 fill the MPS of 32
        < 41 00 BB*32
        > 05 00 16 01 04 00 41 00 01 00
        < 41 00 CC
        write 1 DD*31
        > 05 00 16 01 04 00 41 00 02 00
        < 41 00 1F 00 DD*30
        < 41 00 DD

        ## L2CAP/COS/CFC/BV-02-C Sends one octet in one frame
        \(ChannelScript.outgoing)
        write 1 AA
        < 41 00 01 00 AA

        ## L2CAP/COS/CFC/BV-03-C Reassembles an SDU from several frames
        \(ChannelScript.incoming)
        > 40 00 3F 00 AA*30
        > 40 00 BB*32
        < 05 00 16 01 04 00 40 00 02 00           # what is not complete does not count against the window
        > 40 00 CC
        ? received 1 AA*30 BB*32 CC

        ## L2CAP/COS/CFC/BV-04-C Receives an SDU in one frame
        \(ChannelScript.outgoing)
        > 40 00 1E 00 AA*30
        ? received 1 AA*30
        > 40 00 00 00                             # an SDU may be empty
        ? received 1

        ## L2CAP/COS/CFC/BV-05-C Receives on several channels independently
        \(ChannelScript.incoming)
        open 0081 64 32 4
        < 05 00 14 01 0A 00 81 00 41 00 40 00 20 00 04 00
        > 05 00 15 01 0A 00 45 00 40 00 20 00 02 00 00 00
        ? opened 2 0081 out 64
        > 40 00 03 00 AA
        > 41 00 02 00 11
        > 40 00 BB
        < 05 00 16 02 04 00 40 00 02 00
        > 41 00 22
        ? received 2 11 22
        > 40 00 CC
        ? received 1 AA BB CC

        ## An SDU in frames of one octet passes a window of one frame
        listen 0080 64 32 1
        > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00
        ? requested 0040 0080
        accept 0040
        < 05 00 15 01 0A 00 40 00 40 00 20 00 01 00 00 00
        ? opened 1 0080 in 64
        > 40 00 03 00
        < 05 00 16 01 04 00 40 00 01 00
        > 40 00 AA
        < 05 00 16 02 04 00 40 00 01 00
        > 40 00
        < 05 00 16 03 04 00 40 00 01 00
        > 40 00 BB
        < 05 00 16 04 04 00 40 00 01 00
        > 40 00 CC
        ? received 1 AA BB CC
        consume 1 2
        consume 1 1
        < 05 00 16 05 04 00 40 00 01 00

        ## Octets that are written in pieces leave as a stream in full frames
        \(ChannelScript.incoming)
        hold
        > 05 00 16 01 04 00 41 00 08 00
        write 1 01
        < 41 00 01 00 01
        write 1 02
        write 1 03 04
        write 1 05*88
        left                                      # two full frames of the 64 octets that an SDU may have
        < 41 00 3E 00 02 03 04 05*27
        left
        < 41 00 05*32
        left
        < 41 00 1D 00 05*29
        left

        ## L2CAP/LE/CFC/BV-06-C Sends as many frames as there are credits
        listen 0080 64 32 4
        > 05 00 14 01 0A 00 80 00 41 00 17 00 17 00 00 00
        ? requested 0040 0080
        accept 0040
        < 05 00 15 01 0A 00 40 00 40 00 20 00 04 00 00 00
        ? opened 1 0080 in 23
        write 1 AA*84
        > 05 00 16 02 04 00 41 00 01 00
        < 41 00 15 00 AA*21
        > 05 00 16 03 04 00 41 00 01 00
        < 41 00 15 00 AA*21
        > 05 00 16 04 04 00 41 00 02 00
        < 41 00 15 00 AA*21
        < 41 00 15 00 AA*21
        > 05 00 16 05 04 00 41 00 01 00               # kept for the next one
        write 1 BB
        < 41 00 01 00 BB

        ## L2CAP/LE/CFC/BV-07-C Gives the peer credits as the user consumes
        \(ChannelScript.incoming)
        > 40 00 01 00 AA
        ? received 1 AA
        > 40 00 01 00 BB
        ? received 1 BB
        consume 1 1
        consume 1 1                               # half of the window is free
        < 05 00 16 01 04 00 40 00 02 00

        ## A user who does not read gives no credits; they follow when the octets are read
        \(ChannelScript.incoming)
        > 40 00 02 00 A1 A2
        ? received 1 A1 A2
        > 40 00 02 00 B1 B2
        ? received 1 B1 B2
        > 40 00 02 00 C1 C2
        ? received 1 C1 C2
        > 40 00 02 00 D1 D2
        ? received 1 D1 D2
        consume 1 1
        consume 1 1                               # the first is done; a peer without credits gets even one
        < 05 00 16 01 04 00 40 00 01 00
        consume 1 2
        consume 1 1
        consume 1 1                               # else half of the window is waited for
        < 05 00 16 02 04 00 40 00 02 00
        consume 1 1000                            # no more than there was
        > 40 00 01 00 CC
        ? received 1 CC

        ## The length of an SDU counts with its octets, so one that just needs two frames holds back two
        \(ChannelScript.incoming)
        > 40 00 1F 00 AA*30                       # 2 octets of length and 31 of the SDU: 33, one more than the MPS
        > 40 00 AA
        ? received 1 AA*31
        > 40 00 1E 00 BB*30                       # 32: exactly one frame
        ? received 1 BB*30
        > 40 00 1E 00 CC*30                       # the peer has no credits left, and none is free
        ? received 1 CC*30
        consume 1 30
        consume 1 1                               # both frames at once
        < 05 00 16 01 04 00 40 00 02 00
        consume 1 30
        consume 1 30
        < 05 00 16 02 04 00 40 00 02 00

        ## L2CAP/LE/CFC/BI-01-C Ends the channel for more than 65,535 credits
        \(ChannelScript.incoming)
        write 1 AA
        < 41 00 01 00 AA
        > 05 00 16 02 04 00 41 00 FE FF           # 1 + 65,534
        > 05 00 16 03 04 00 41 00 01 00
        < 05 00 06 01 04 00 41 00 40 00
        ? closed 1 violation creditOverflow
        > 05 00 07 01 04 00 41 00 40 00

        ## Credits of no frames, for no channel, or for one that is closing are ignored
        \(ChannelScript.incoming)
        write 1 AA*96
        < 41 00 3E 00 AA*30
        < 41 00 AA*32
        > 05 00 16 02 04 00 41 00 00 00
        > 05 00 16 02 04 00 40 00 FF FF           # our CID, not the peer's
        > 05 00 16 02 04 00 7F 00 01 00
        > 05 00 06 03 04 00 40 00 41 00
        < 05 00 07 03 04 00 40 00 41 00
        ? closed 1 closedByPeer
        > 05 00 16 02 04 00 41 00 01 00

        ## One frame of a channel is under way at a time
        \(ChannelScript.incoming)
        hold
        write 1 AA*40
        < 41 00 28 00 AA*30
        > 05 00 16 02 04 00 41 00 05 00
        left
        < 41 00 AA*10
        left
        left
        """
    )
}
