// What goes through an open channel: segmentation, reassembly, credits and back-pressure. How a channel ends is in
// CreditBasedChannelEndTests.swift.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channel data")
struct CreditBasedChannelTests: ChannelSuite {
    // MARK: Segmentation and reassembly

    @Test("L2CAP/COS/CFC/BV-01-C An SDU longer than the peer's MPS is cut")
    func cosBV01() {
        self.run(
            self.incoming + """
                write 1 AA*30 BB*32 CC
                < 41 00 3F 00 AA*30                       # two octets of length and 30 fill the MPS of 32
                < 41 00 BB*32
                > 05 00 16 01 04 00 41 00 01 00
                < 41 00 CC
                write 1 DD*31
                > 05 00 16 01 04 00 41 00 02 00
                < 41 00 1F 00 DD*30
                < 41 00 DD
                """
        )
    }

    @Test("L2CAP/COS/CFC/BV-02-C One octet is one frame")
    func cosBV02() {
        self.run(
            self.outgoing + """
                write 1 AA
                < 41 00 01 00 AA
                """
        )
    }

    @Test("L2CAP/COS/CFC/BV-03-C An SDU in several frames is put together")
    func cosBV03() {
        self.run(
            self.incoming + """
                > 40 00 3F 00 AA*30
                > 40 00 BB*32
                < 05 00 16 01 04 00 40 00 02 00           # what is not complete does not count against the window
                > 40 00 CC
                ? received 1 AA*30 BB*32 CC
                """
        )
    }

    @Test("L2CAP/COS/CFC/BV-04-C An SDU in one frame is received")
    func cosBV04() {
        self.run(
            self.outgoing + """
                > 40 00 1E 00 AA*30
                ? received 1 AA*30
                > 40 00 00 00                             # an SDU may be empty
                ? received 1
                """
        )
    }

    @Test("L2CAP/COS/CFC/BV-05-C Channels receive independently of each other")
    func cosBV05() {
        self.run(
            self.incoming + """
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
                """
        )
    }

    @Test func `An SDU in frames of one octet passes a window of one frame`() {
        self.run(
            """
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
            """
        )
    }

    @Test func `What is written in pieces leaves as a stream in frames that are full`() {
        self.run(
            self.incoming + """
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
                """
        )
    }

    @Test("A stream of any length comes through any sizes unchanged", arguments: 0..<24 as Range<UInt64>)
    func streams(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pair = ChannelPair(
            L2CAPChannelConfiguration(
                mtu: Int.random(in: 23...600, using: &random),
                mps: Int.random(in: 23...300, using: &random),
                window: Int.random(in: 1...40, using: &random),
                sendLimit: Int.random(in: 1...5_000, using: &random)
            ),
            L2CAPChannelConfiguration(
                mtu: Int.random(in: 23...600, using: &random),
                mps: Int.random(in: 23...300, using: &random),
                window: Int.random(in: 1...40, using: &random),
                sendLimit: Int.random(in: 1...5_000, using: &random)
            )
        )
        let total = 5_000
        pair.run(octets: total, random: &random)
        for end in [pair.first, pair.second] {
            #expect(end.received == total && end.isUnchanged && end.wasWithinWindow)
        }
    }

    // MARK: Credits

    @Test("L2CAP/LE/CFC/BV-06-C As many frames leave as there are credits")
    func cfcBV06() {
        self.run(
            """
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
            """
        )
    }

    @Test("L2CAP/LE/CFC/BV-07-C The peer is given credits as the user consumes")
    func cfcBV07() {
        self.run(
            self.incoming + """
                > 40 00 01 00 AA
                ? received 1 AA
                > 40 00 01 00 BB
                ? received 1 BB
                consume 1 1
                consume 1 1                               # half of the window is free
                < 05 00 16 01 04 00 40 00 02 00
                """
        )
    }

    @Test func `A user who does not read gives no credits; they follow when the octets are read`() {
        self.run(
            self.incoming + """
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
                """
        )
    }

    @Test func `D10: the length of an SDU counts with its octets: one that just needs two frames holds back two`() {
        self.run(
            self.incoming + """
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
                """
        )
    }

    @Test("L2CAP/LE/CFC/BI-01-C More than 65,535 credits end the channel")
    func cfcBI01() {
        self.run(
            self.incoming + """
                write 1 AA
                < 41 00 01 00 AA
                > 05 00 16 02 04 00 41 00 FE FF           # 1 + 65,534
                > 05 00 16 03 04 00 41 00 01 00
                < 05 00 06 01 04 00 41 00 40 00
                ? closed 1 violation creditOverflow
                > 05 00 07 01 04 00 41 00 40 00
                """
        )
    }

    @Test func `Credits of no frames, for no channel, or on the way out mean nothing`() {
        self.run(
            self.incoming + """
                write 1 AA*96
                < 41 00 3E 00 AA*30
                < 41 00 AA*32
                > 05 00 16 02 04 00 41 00 00 00
                > 05 00 16 02 04 00 40 00 FF FF           # our name is not the peer's
                > 05 00 16 02 04 00 7F 00 01 00
                > 05 00 06 03 04 00 40 00 41 00
                < 05 00 07 03 04 00 40 00 41 00
                ? closed 1 closedByPeer
                > 05 00 16 02 04 00 41 00 01 00
                """
        )
    }

    @Test func `Writability is reported once, when half of the limit is free`() {
        self.run(
            self.incoming + """
                write 1 AA*60
                ? took 40                                 # the limit
                < 41 00 28 00 AA*30
                ? ready 1
                < 41 00 AA*10
                write 1 BB*40
                write 1 CC
                ? took 0
                > 05 00 16 02 04 00 41 00 01 00
                < 41 00 28 00 BB*30
                ? ready 1
                write 1 CC
                > 05 00 16 02 04 00 41 00 01 00
                < 41 00 BB*10
                """,
            sendLimit: 40
        )
    }

    @Test func `One frame of a channel is under way at a time`() {
        self.run(
            self.incoming + """
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

    // MARK: Sizes

    @Test func `Sizes out of range take the nearest value in it`() {
        let least = L2CAPChannelConfiguration(mtu: 0, mps: -1, window: 0, sendLimit: 0)
        #expect((least.mtu, least.mps, least.window, least.sendLimit) == (23, 23, 1, 1))
        let most = L2CAPChannelConfiguration(mtu: .max, mps: .max, window: .max)
        #expect((most.mtu, most.mps, most.window) == (65_535, 2_048, 65_535))
    }
}
