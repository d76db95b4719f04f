// LE credit-based channels as scripts, named by the cases of the qualification suite.

import Fixtures
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channels")
struct LESignallingChannelsTests: ChannelSuite {
    @Test("follows the scripts of opening in both roles", arguments: scripts, [true, false])
    func follows(script: ScriptCase, isCentral: Bool) { self.run(script.steps, isCentral: isCentral) }

    private static let scripts = ScriptCase.all(
        """
        ## L2CAP/LE/CFC/BV-01-C Fails a channel that a legacy peer rejects
        open 0080 64 32 4
        < 05 00 14 01 0A 00 80 00 40 00 40 00 20 00 04 00
        > 05 00 01 01 02 00 00 00
        ? failed 1 notSupported
        > 05 00 15 01 0A 00 41 00 40 00 20 00 02 00 00 00    # too late

        ## L2CAP/LE/CFC/BV-02-C Receives on a channel that this side asked for
        \(ChannelScript.outgoing)
        > 40 00 03 00 AA BB CC
        ? received 1 AA BB CC

        ## L2CAP/LE/CFC/BV-03-C Sends on a channel that the peer asked for
        \(ChannelScript.incoming)
        write 1 AA BB CC
        < 41 00 03 00 AA BB CC

        ## L2CAP/LE/CFC/BV-05-C Refuses a request on an SPSM without a listener
        listen 0080 64 32 4
        > 05 00 14 01 0A 00 81 00 41 00 40 00 20 00 02 00
        < 05 00 15 01 0A 00 00 00 00 00 00 00 00 00 02 00
        > 05 00 14 02 0A 00 00 00 41 00 40 00 20 00 02 00
        < 05 00 15 02 0A 00 00 00 00 00 00 00 00 00 02 00
        deafen 0080
        > 05 00 14 03 0A 00 80 00 41 00 40 00 20 00 02 00
        < 05 00 15 03 0A 00 00 00 00 00 00 00 00 00 02 00

        ## L2CAP/LE/CFC/BV-11-C Refuses a link without authentication
        listen 0080 64 32 4 authenticated
        > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00
        < 05 00 15 01 0A 00 00 00 00 00 00 00 00 00 05 00
        security encrypted 16
        > 05 00 14 02 0A 00 80 00 41 00 40 00 20 00 02 00
        < 05 00 15 02 0A 00 00 00 00 00 00 00 00 00 05 00
        security authenticated 16
        > 05 00 14 03 0A 00 80 00 41 00 40 00 20 00 02 00
        ? requested 0040 0080

        ## L2CAP/LE/CFC/BV-13-C Refuses a peer that the user does not authorize
        listen 0080 64 32 4
        > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00
        ? requested 0040 0080
        refuse 0040 6
        < 05 00 15 01 0A 00 00 00 00 00 00 00 00 00 06 00
        > 40 00 01 00 AA

        ## L2CAP/LE/CFC/BV-15-C Refuses a key that is too short
        listen 0080 64 32 4 authenticated
        security authenticated 15
        > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00
        < 05 00 15 01 0A 00 00 00 00 00 00 00 00 00 07 00

        ## An unencrypted link to a bonded peer is refused for lack of encryption
        listen 0080 64 32 4 encrypted
        > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00
        < 05 00 15 01 0A 00 00 00 00 00 00 00 00 00 05 00
        security none 0 bonded
        > 05 00 14 02 0A 00 80 00 41 00 40 00 20 00 02 00
        < 05 00 15 02 0A 00 00 00 00 00 00 00 00 00 08 00
        security encrypted
        > 05 00 14 03 0A 00 80 00 41 00 40 00 20 00 02 00
        ? requested 0040 0080

        ## L2CAP/LE/CFC/BV-20-C Refuses a source CID that is in use
        \(ChannelScript.incoming)
        > 05 00 14 02 0A 00 80 00 41 00 40 00 20 00 02 00
        < 05 00 15 02 0A 00 00 00 00 00 00 00 00 00 0A 00
        > 40 00 01 00 AA                                      # the first one is unchanged
        ? received 1 AA
        """
    )

    @Test("L2CAP/LE/CFC/BV-17-C Refuses a channel beyond the limit, and requests none itself")
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
                > 05 00 14 32 0A 00 80 00 70 00 40 00 20 00 02 00     # and another may come, with a CID of its own
                ? requested 0050 0080
                """
        )
    }

    @Test(
        "Fails a channel that the peer refuses, for each result",
        arguments: [
            ("L2CAP/LE/CFC/BV-04-C", 0x0002), ("L2CAP/LE/CFC/BV-10-C", 0x0005), ("L2CAP/LE/CFC/BV-12-C", 0x0006),
            ("L2CAP/LE/CFC/BV-14-C", 0x0007), ("L2CAP/LE/CFC/BV-16-C", 0x0004), ("L2CAP/LE/CFC/BV-18-C", 0x0009),
            ("L2CAP/LE/CFC/BV-19-C", 0x000A), ("L2CAP/LE/CFC/BV-21-C", 0x000B), ("a later specification", 0x1234),
        ] as [(String, UInt16)]
    )
    func refusedByPeer(identity: String, result: UInt16) {
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

    @Test("L2CAP/LE/CFC/BV-29-C Uses each dynamic source CID once")
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
}
