import Testing

@testable import BluetoothHost

@Suite("GATT server: requests")
struct GATTServerRequestsTests: GATTServerSuite {
    private static let scripts = TitledScript.all(
        """
        ## a second request before the answer to the first ends the bearer
        > 0A 13 00 ? read 0013 @0
        > 52 15 00 01 ? command 0015 01       # commands may come at any time
        > 1E
        > 0A 10 00 ? failed requestWhilePending
        = 01                                  # too late
        > 0A 10 00
        close

        ## takes commands and confirmations while the application is asked
        > 12 13 00 AA ? write 0013 @0 AA
        > 1E
        > D2 15 00 01 00*12
        > 7F 01
        ok < 13

        ## an answer to a Write Request is taken once, by its number, and only as the answer to a write
        > 12 13 00 AA ? write 0013 @0 AA
        reply 0
        reply 2
        reply 2 ! 0E
        reply 1 = 01
        reply 1 < 13
        reply 1
        reply 1 ! 0E

        ## an answer to an Execute Write Request is taken once, by its number, and only as the answer to a write
        prepare 24 00 00 00 AA
        > 18 01 ? write 0024 @0 AA
        reply 0
        reply 2 ! 0E
        reply 1 = 01
        reply 1 ! 13 < 01 18 24 00 13
        reply 1

        ## two values of the application in one request have numbers of their own
        > 0E 13 00 13 00 ? read 0013 @0
        reply 1 = 01 ? read 0013 @0
        reply 1 = 02
        reply 2 = 03 < 0F 01 03

        ## an answer is taken on the link of its request
        > 0A 13 00 ? read 0013 @0
        close
        reply 1 = 01
        open 2
        reply 1 = 01
        > 0A 13 00 ? read 0013 @0
        link 1
        reply 1 = 01
        link 2
        reply 1 = 02 < 0B 02
        """
    )

    @Test("follows the script", arguments: Self.scripts)
    func script(_ script: TitledScript) throws { try script.runOnServer() }

    @Test(
        "an answer to a read is accepted once, by its number, and only as the answer to a read",
        arguments: [
            ("0A 13 00", "0B 01"), ("0C 13 00 01 00", "0D 01"), ("08 13 00 13 00 02 A0", "09 03 13 00 01"),
            ("0E 10 00 13 00", "0F 01 02 03 01"), ("20 10 00 13 00", "21 03 00 01 02 03 01 00 01"),
        ] as [(String, String)]
    )
    func read(request: String, answer: String) throws {
        try self.run(
            """
            > \(request)
            ? read 0013 @\(request.hasPrefix("0C") ? 1 : 0)
            reply 0 = 07
            reply 2 = 07
            reply 1
            reply 1 = 01
            < \(answer)
            reply 1 = 01
            """
        )
    }

    @Test(
        "a request while the application handles a write ends the bearer, and the answer is ignored",
        arguments: ["12 13 00 AA", "18 01"]
    )
    func requestWhilePending(first: String) throws {
        try self.run(
            """
            prepare 13 00 00 00 AA
            > \(first)
            ? write 0013 @0 AA
            > 52 15 00 01
            ? command 0015 01
            > 02 64 00
            ? failed requestWhilePending
            ok
            > 52 15 00 01
            close
            """
        )
    }
}
