// Requests and responses for channels that are invalid, repeated, late or unexpected.

import Fixtures
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channels: invalid requests and responses")
struct LESignallingInvalidChannelsTests: ChannelSuite {
    @Test("follows the scripts of invalid requests and responses", arguments: scripts)
    func follows(script: ScriptCase) { self.run(script.steps) }

    private static let scripts = ScriptCase.all(
        """
        ## A source CID outside the dynamic range is refused
        listen 0080 64 32 4
        > 05 00 14 01 0A 00 80 00 3F 00 40 00 20 00 02 00
        < 05 00 15 01 0A 00 00 00 00 00 00 00 00 00 09 00
        > 05 00 14 02 0A 00 80 00 80 00 40 00 20 00 02 00
        < 05 00 15 02 0A 00 00 00 00 00 00 00 00 00 09 00
        > 05 00 14 03 0A 00 80 00 00 00 40 00 20 00 02 00
        < 05 00 15 03 0A 00 00 00 00 00 00 00 00 00 09 00

        ## Sizes below 23 and an MPS beyond 65,533 are not acceptable
        listen 0080 64 32 4
        > 05 00 14 01 0A 00 80 00 41 00 16 00 20 00 02 00
        < 05 00 15 01 0A 00 00 00 00 00 00 00 00 00 0B 00
        > 05 00 14 02 0A 00 80 00 41 00 40 00 16 00 02 00
        < 05 00 15 02 0A 00 00 00 00 00 00 00 00 00 0B 00
        > 05 00 14 03 0A 00 80 00 41 00 40 00 FE FF 02 00
        < 05 00 15 03 0A 00 00 00 00 00 00 00 00 00 0B 00
        > 05 00 14 04 0A 00 80 00 7F 00 17 00 17 00 00 00    # the least sizes, the last CID
        ? requested 0040 0080
        accept 0040
        < 05 00 15 04 0A 00 40 00 40 00 20 00 04 00 00 00
        ? opened 1 0080 in 23

        ## A repeated request gets the same answer and no second channel
        \(ChannelScript.incoming)
        > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00
        < 05 00 15 01 0A 00 40 00 40 00 20 00 04 00 00 00
        > 05 00 06 02 04 00 40 00 41 00
        < 05 00 07 02 04 00 40 00 41 00
        ? closed 1 closedByPeer
        > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00    # after the end it is a new one
        ? requested 0041 0080

        ## Until the user answers, the CIDs of both sides are taken
        listen 0080 64 32 4
        > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00
        ? requested 0040 0080
        > 05 00 14 02 0A 00 80 00 41 00 40 00 20 00 02 00
        < 05 00 15 02 0A 00 00 00 00 00 00 00 00 00 0A 00
        > 05 00 14 03 0A 00 80 00 42 00 40 00 20 00 02 00
        ? requested 0041 0080
        > 40 00 01 00 AA                                      # not open yet
        > 05 00 06 04 04 00 40 00 41 00
        < 05 00 01 04 06 00 02 00 40 00 41 00
        accept 0041
        < 05 00 15 03 0A 00 41 00 40 00 20 00 04 00 00 00
        ? opened 1 0080 in 64
        accept 0040
        < 05 00 15 01 0A 00 40 00 40 00 20 00 04 00 00 00
        ? opened 2 0080 in 64
        accept 0040
        refuse 0041 4
        end
        ? closed 2 linkEnded
        ? closed 1 linkEnded

        ## One remote CID for two channels ends both
        \(ChannelScript.outgoing)
        open 0080 64 32 4
        < 05 00 14 02 0A 00 80 00 41 00 40 00 20 00 04 00
        > 05 00 15 02 0A 00 41 00 40 00 20 00 02 00 00 00
        ? failed 2 invalidResponse
        < 05 00 06 03 04 00 41 00 41 00
        < 05 00 06 04 04 00 41 00 40 00
        ? closed 1 violation duplicateRemoteCID
        write 1 AA
        ? took 0
        > 05 00 07 03 04 00 41 00 41 00
        > 05 00 07 04 04 00 41 00 40 00

        ## A channel fails if the peer does not answer within 30 s, and a late success is undone
        open 0080 64 32 4
        < 05 00 14 01 0A 00 80 00 40 00 40 00 20 00 04 00
        wait 29
        wait 1
        ? failed 1 timedOut
        wait 60
        > 05 00 15 01 0A 00 41 00 40 00 20 00 02 00 00 00
        < 05 00 06 02 04 00 41 00 40 00
        > 05 00 07 02 04 00 41 00 40 00
        open 0080 64 32 4
        < 05 00 14 03 0A 00 80 00 41 00 40 00 20 00 04 00
        wait 30
        ? failed 2 timedOut
        > 05 00 15 03 0A 00 41 00 40 00 20 00 02 00 04 00    # a late refusal frees the CID
        open 0080 64 32 4
        < 05 00 14 04 0A 00 80 00 42 00 40 00 20 00 04 00
        wait 30
        ? failed 3 timedOut
        > 05 00 15 04 0A 00 04 00 40 00 20 00 02 00 00 00    # no dynamic channel
        end

        ## A response with a CID of no dynamic channel fails the channel
        open 0080 64 32 4
        < 05 00 14 01 0A 00 80 00 40 00 40 00 20 00 04 00
        > 05 00 15 01 0A 00 80 00 40 00 20 00 02 00 00 00
        ? failed 1 invalidResponse

        ## Responses that are not awaited change nothing
        \(ChannelScript.outgoing)
        > 05 00 15 01 0A 00 42 00 40 00 20 00 02 00 00 00
        > 05 00 15 09 0A 00 42 00 40 00 20 00 02 00 00 00
        > 05 00 01 01 02 00 00 00
        > 05 00 07 01 04 00 41 00 40 00
        write 1 AA
        < 41 00 01 00 AA
        """
    )

    @Test(
        "closes a channel with an invalid response at the peer",
        arguments: ["16 00 20 00", "40 00 16 00"]
    )
    func invalidResponse(sizes: String) {
        self.run(
            """
            open 0080 64 32 4
            < 05 00 14 01 0A 00 80 00 40 00 40 00 20 00 04 00
            > 05 00 15 01 0A 00 41 00 \(sizes) 02 00 00 00
            ? failed 1 invalidResponse
            < 05 00 06 02 04 00 41 00 40 00
            > 05 00 07 02 04 00 41 00 40 00
            """
        )
    }
}
