// LE credit-based channels as scripts, named by the cases of the qualification suite. Octets are written as on the air:
// least significant first.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channels")
struct LESignallingChannelsTests: ChannelSuite {
    // MARK: Opening

    @Test("L2CAP/LE/CFC/BV-01-C A legacy peer rejects the request")
    func cfcBV01() {
        self.run(
            """
            open 0080 64 32 4
            < 05 00 14 01 0A 00 80 00 40 00 40 00 20 00 04 00
            > 05 00 01 01 02 00 00 00
            ? failed 1 notSupported
            > 05 00 15 01 0A 00 41 00 40 00 20 00 02 00 00 00    # too late
            """
        )
    }

    @Test("L2CAP/LE/CFC/BV-02-C A channel that this side asked for receives", arguments: [true, false])
    func cfcBV02(isCentral: Bool) {
        self.run(
            self.outgoing + """
                > 40 00 03 00 AA BB CC
                ? received 1 AA BB CC
                """,
            isCentral: isCentral
        )
    }

    @Test("L2CAP/LE/CFC/BV-03-C A channel that the peer asked for sends", arguments: [true, false])
    func cfcBV03(isCentral: Bool) {
        self.run(
            self.incoming + """
                write 1 AA BB CC
                < 41 00 03 00 AA BB CC
                """,
            isCentral: isCentral
        )
    }

    @Test("L2CAP/LE/CFC/BV-04-C The peer does not know the SPSM")
    func cfcBV04() { self.refusedByPeer(0x0002) }

    @Test("L2CAP/LE/CFC/BV-05-C A request on an SPSM without a listener is refused")
    func cfcBV05() {
        self.run(
            """
            listen 0080 64 32 4
            > 05 00 14 01 0A 00 81 00 41 00 40 00 20 00 02 00
            < 05 00 15 01 0A 00 00 00 00 00 00 00 00 00 02 00
            > 05 00 14 02 0A 00 00 00 41 00 40 00 20 00 02 00
            < 05 00 15 02 0A 00 00 00 00 00 00 00 00 00 02 00
            deafen 0080
            > 05 00 14 03 0A 00 80 00 41 00 40 00 20 00 02 00
            < 05 00 15 03 0A 00 00 00 00 00 00 00 00 00 02 00
            """
        )
    }

    @Test("L2CAP/LE/CFC/BV-10-C The peer wants authentication")
    func cfcBV10() { self.refusedByPeer(0x0005) }

    @Test("L2CAP/LE/CFC/BV-11-C A link without authentication is refused")
    func cfcBV11() {
        self.run(
            """
            listen 0080 64 32 4 authenticated
            > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00
            < 05 00 15 01 0A 00 00 00 00 00 00 00 00 00 05 00
            security encrypted 16
            > 05 00 14 02 0A 00 80 00 41 00 40 00 20 00 02 00
            < 05 00 15 02 0A 00 00 00 00 00 00 00 00 00 05 00
            security authenticated 16
            > 05 00 14 03 0A 00 80 00 41 00 40 00 20 00 02 00
            ? requested 0040 0080
            """
        )
    }

    @Test("L2CAP/LE/CFC/BV-12-C The peer wants authorization")
    func cfcBV12() { self.refusedByPeer(0x0006) }

    @Test("L2CAP/LE/CFC/BV-13-C A peer that the user does not authorize is refused")
    func cfcBV13() {
        self.run(
            """
            listen 0080 64 32 4
            > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00
            ? requested 0040 0080
            refuse 0040 6
            < 05 00 15 01 0A 00 00 00 00 00 00 00 00 00 06 00
            > 40 00 01 00 AA
            """
        )
    }

    @Test("L2CAP/LE/CFC/BV-14-C The peer wants a longer key")
    func cfcBV14() { self.refusedByPeer(0x0007) }

    @Test("L2CAP/LE/CFC/BV-15-C A key that is too short is refused")
    func cfcBV15() {
        self.run(
            """
            listen 0080 64 32 4 authenticated
            security authenticated 15
            > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00
            < 05 00 15 01 0A 00 00 00 00 00 00 00 00 00 07 00
            """
        )
    }

    @Test func `An unencrypted link to a bonded peer is refused for lack of encryption`() {
        self.run(
            """
            listen 0080 64 32 4 encrypted
            > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00
            < 05 00 15 01 0A 00 00 00 00 00 00 00 00 00 05 00
            security none 0 bonded
            > 05 00 14 02 0A 00 80 00 41 00 40 00 20 00 02 00
            < 05 00 15 02 0A 00 00 00 00 00 00 00 00 00 08 00
            security encrypted
            > 05 00 14 03 0A 00 80 00 41 00 40 00 20 00 02 00
            ? requested 0040 0080
            """
        )
    }

    @Test("L2CAP/LE/CFC/BV-16-C The peer has no resources")
    func cfcBV16() { self.refusedByPeer(0x0004) }

    @Test("L2CAP/LE/CFC/BV-17-C A channel too many is refused, and one of our own is not even asked for")
    func cfcBV17() {
        var script = "listen 0080 64 32 4\n"
        for number in 0..<CreditBasedChannels.maximumCount {
            let ours = octet(0x40 + number)
            script += """
                > 05 00 14 \(octet(number + 1)) 0A 00 80 00 \(octet(0x50 + number)) 00 40 00 20 00 02 00
                ? requested 00\(ours) 0080
                accept 00\(ours)
                < 05 00 15 \(octet(number + 1)) 0A 00 \(ours) 00 40 00 20 00 04 00 00 00
                ? opened \(number + 1) 0080 in 64

                """
        }
        self.run(
            script + """
                > 05 00 14 30 0A 00 80 00 70 00 40 00 20 00 02 00
                < 05 00 15 30 0A 00 00 00 00 00 00 00 00 00 04 00
                open 0080 64 32 4
                ? failed 17 noResources
                > 05 00 06 31 04 00 40 00 50 00                       # one ends
                < 05 00 07 31 04 00 40 00 50 00
                ? closed 1 closedByPeer
                > 05 00 14 32 0A 00 80 00 70 00 40 00 20 00 02 00     # and another may come, with a name of its own
                ? requested 0050 0080
                """
        )
    }

    @Test("L2CAP/LE/CFC/BV-18-C The peer finds the source CID invalid")
    func cfcBV18() { self.refusedByPeer(0x0009) }

    @Test("L2CAP/LE/CFC/BV-19-C The peer finds the source CID allocated")
    func cfcBV19() { self.refusedByPeer(0x000A) }

    @Test("L2CAP/LE/CFC/BV-20-C A source CID that is in use is refused")
    func cfcBV20() {
        self.run(
            self.incoming + """
                > 05 00 14 02 0A 00 80 00 41 00 40 00 20 00 02 00
                < 05 00 15 02 0A 00 00 00 00 00 00 00 00 00 0A 00
                > 40 00 01 00 AA                                      # the first one is as it was
                ? received 1 AA
                """
        )
    }

    @Test("L2CAP/LE/CFC/BV-21-C The peer does not accept the parameters")
    func cfcBV21() { self.refusedByPeer(0x000B) }

    @Test("A result of a later specification refuses, too")
    func laterResult() { self.refusedByPeer(0x1234) }

    private func refusedByPeer(_ result: UInt16) {
        let digits = result.hexDigits
        self.run(
            """
            open 0080 64 32 4
            < 05 00 14 01 0A 00 80 00 40 00 40 00 20 00 04 00
            > 05 00 15 01 0A 00 41 00 40 00 20 00 02 00 \(digits.suffix(2)) \(digits.prefix(2))
            ? failed 1 refused \(digits)
            write 1 AA
            ? took 0
            > 40 00 01 00 AA
            """
        )
    }

    @Test("L2CAP/LE/CFC/BV-29-C Source CIDs are dynamic and each is given once")
    func cfcBV29() {
        var script = ""
        for number in 0..<CreditBasedChannels.maximumCount {
            script += """
                open 0080 64 32 4
                < 05 00 14 \(octet(number + 1)) 0A 00 80 00 \(octet(0x40 + number)) 00 40 00 20 00 04 00
                > 05 00 15 \(octet(number + 1)) 0A 00 \(octet(0x40 + number)) 00 40 00 20 00 02 00 00 00
                ? opened \(number + 1) 0080 out 64

                """
        }
        for number in 0..<CreditBasedChannels.maximumCount {
            script += """
                > 05 00 06 40 04 00 \(octet(0x40 + number)) 00 \(octet(0x40 + number)) 00
                < 05 00 07 40 04 00 \(octet(0x40 + number)) 00 \(octet(0x40 + number)) 00
                ? closed \(number + 1) closedByPeer

                """
        }
        self.run(script)
    }

    @Test func `Identifiers whose answer is awaited are left out`() {
        var signalling = LESignalling(isCentral: false)
        var actions: [LESignalling.Action] = []
        signalling.openChannel(
            L2CAPChannelID(rawValue: 1),
            to: 0x80,
            L2CAPChannelConfiguration(),
            now: .uptimeNanoseconds(0),
            into: &actions
        )
        let given = (0..<600).map { _ in signalling.makeIdentifier() }
        #expect(!given.contains(1) && !given.contains(0))
        #expect(Set(given).count == 254)
    }
}
