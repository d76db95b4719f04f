// A central in the qualification suite: Passkey Entry, twenty rounds of it.

import Testing

@testable import BluetoothHost

extension SecurityManagerCentralTests {
    /// The rounds of the passkey 816432, from the first confirm value of the peer on.
    private static let passkeyRounds = """
        > 03 14 F0 D7 F8 0B 61 21 30 15 F0 87 B8 81 96 11 DB
        < 04 A5 3C 36 D7 6C EC 99 E0 80 02 15 90 FF 0B 4D C3
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 03 09 55 CD 3B 30 AB 96 C6 53 26 C8 28 73 F8 35 02
        > 03 CA F8 3B 34 22 75 0F 7A D9 96 61 3B DD AD F8 21
        < 04 A8 3D 7E 35 DE 18 17 49 75 85 27 12 0F BB E7 85
        > 04 69 D9 B9 29 E2 87 06 23 E9 5D F8 7E 79 1E 18 26
        < 03 2A CA 84 08 0E 51 0B A7 08 15 09 EE E1 91 2B 31
        > 03 11 C1 2D 03 D6 47 4E CC A3 63 D6 88 52 04 D5 0A
        < 04 61 4F 56 01 77 DC 75 67 96 67 61 74 8E 5C 43 CB
        > 04 31 62 93 C4 2E 10 F8 7C F2 F9 94 B9 3B C1 58 79
        < 03 34 60 1F 15 D8 69 69 B2 EF 1B 3C C9 D2 72 41 C9
        > 03 43 ED DB FD 38 A4 CC E1 DE CA 27 68 1D BE A5 8E
        < 04 C0 5D AA 4B 8A CF 76 74 FE 8B CF 14 4D D4 FC 9A
        > 04 26 1F 70 1F E7 46 E2 EB BA 4E 7C F7 74 7B 16 90
        < 03 01 DE D2 28 2F 46 12 FA 54 E5 24 F9 22 BF 8D CB
        > 03 6E 88 1A E8 93 F6 87 00 88 21 E7 5E 5A BC B2 05
        < 04 A8 57 4C 6F AE 6D 9B 6F 8A A2 D7 90 D6 41 B3 87
        > 04 06 27 8A 74 58 E8 6D 3D DC 89 6A FC 2E B8 6A EA
        < 03 70 DD 66 78 43 FE 75 5C 7A C5 84 1B 80 31 EF CB
        > 03 2F 8E 9E FB D0 B1 CA D6 63 5D 90 AC 92 A7 76 F2
        < 04 63 0B FD B7 A6 A6 34 A5 3B 4A 79 A5 17 CE C2 2A
        > 04 9B F3 EC B7 E5 F6 12 41 4C 67 F6 00 9E 63 CF 4B
        < 03 00 6D 49 BB 57 76 C8 C9 71 F7 F1 3B DD A2 A1 19
        > 03 32 BF FB 49 B8 3D 30 B0 83 C1 6F EB 5E C3 C5 23
        < 04 EE 89 AF 30 96 37 84 AE F1 AA 2B 57 DA D0 BA D0
        > 04 31 C7 2C 5C A0 02 CC 12 7D 18 08 F2 47 A7 B0 AB
        < 03 1E A2 BA 1B 41 05 0A 44 DA 32 4F EB B4 79 7A C2
        > 03 51 EF BD 01 D2 3A 81 67 95 3B C0 E3 DE 15 30 7C
        < 04 46 87 E9 65 68 C4 E2 10 08 65 EF 73 37 18 63 E2
        > 04 D3 28 F3 F3 DC 35 58 C2 F5 13 AD 02 32 07 B6 EB
        < 03 5A 8D 5D 70 07 02 11 4E DB 9A FA DD A2 3B 45 6F
        > 03 B6 F6 FE D5 D9 46 CE 0D E4 E6 55 47 4E FA AD 6A
        < 04 CD 8F 54 D1 0E FD F1 7E 9C 44 2A 5C 3C 97 D7 14
        > 04 2B 03 2C F0 3A F3 DC A7 4E 70 8B 0A 83 3E F7 34
        < 03 70 89 69 AA 09 CF 4E 88 BF CB F7 86 5B 16 1F F0
        > 03 D7 1C 41 EA 52 4C 00 E1 1E FB DA F1 B2 5A BE 22
        < 04 9F B9 AA D1 C5 05 73 49 AC 06 F3 3E 63 10 84 1F
        > 04 71 AE 75 44 EF A6 DB A3 03 83 2A 76 F8 65 05 9C
        < 03 E6 80 E9 7E A5 DF EF F1 93 53 18 A5 B2 D9 03 0B
        > 03 34 85 1A 35 47 EE 1A DE E9 0E 2B 9A 39 BB 66 DF
        < 04 35 71 4A 86 A7 1C F9 83 F7 B6 77 C1 7D 40 43 0C
        > 04 F0 D8 F9 AB 17 9F 22 D1 6B 83 0A A2 D6 78 92 F2
        < 03 8A 9B 54 56 90 82 66 92 A2 6B 00 8E 70 BB E3 3B
        > 03 77 37 77 C6 8B E8 C7 BC 38 D5 DE 7E A0 08 44 8C
        < 04 27 CD 5B 44 45 16 33 0B AB F7 2D 0D EF AE B9 B6
        > 04 80 1D D8 B0 96 F0 5C 6B 0D D4 B3 8A B7 B1 F0 42
        < 03 E5 4A F4 B9 2F BD 83 04 FE 21 15 F8 3B CD 73 70
        > 03 C7 09 10 2B CC E6 02 5D AE F9 30 CC 7B 2E F5 67
        < 04 84 D0 C5 12 0B D7 0C 99 8A 77 09 19 E8 67 6C FF
        > 04 D3 94 20 B6 FA CC 07 57 7C 89 D1 79 46 78 43 A7
        < 03 6D E6 66 1F 3B 35 17 C2 5D F7 1F CF 19 9F 14 A5
        > 03 54 42 74 AB 05 70 51 C7 55 3E 38 1C 5D 69 2C 99
        < 04 6D 2C 07 5A 68 E2 AC 65 BA 89 07 C9 67 19 2B 96
        > 04 CB 47 FA 0F 7F 39 4E 38 70 DB 33 D9 A4 FD 9B DD
        < 03 53 7D D9 E3 99 C6 B1 F4 F0 47 43 35 28 D3 1D 0C
        > 03 B2 AA 54 DF 6B 63 24 3A 53 6D 3D 26 8C 2F AC E4
        < 04 17 FC F3 2E 4E 82 D6 40 1C E0 DC 48 2F 6F 61 70
        > 04 CC 10 20 58 DF BA 27 A2 11 19 FA 38 97 FF 16 DE
        < 03 B3 61 76 48 87 9B B5 51 0B 9A 14 02 A6 57 D1 8D
        > 03 18 CE 28 B9 34 46 EF 8F D0 FA 2D 3F 6E 80 C3 FC
        < 04 F5 E0 4B 5E 44 02 2E 8B 0C FF FE 56 22 2E 9E 87
        > 04 61 EC BB DD 0A 2C 16 00 DB 43 BB 69 1A 7F 8F DD
        < 03 93 60 90 66 D9 00 A1 05 DD 53 D2 94 43 6E D5 36
        > 03 83 65 42 E8 2D EA 82 95 EB 80 5F 4C F6 77 6F 95
        < 04 18 9D EB 96 B2 A4 6A D1 C1 53 35 00 BB 59 8C BF
        > 04 8D 5B 59 3C A3 CA BB A9 48 D1 6C 2D B6 A9 5E 0B
        < 03 01 D2 46 29 76 03 F5 82 E1 A5 FE 5C AA 74 B8 82
        > 03 34 36 96 B9 1C 13 8E 87 3A 4C 20 29 08 01 6F CE
        < 04 86 2C 7E 60 49 C7 A0 DC 3C 13 5B BE 71 A1 27 AB
        > 04 95 43 AF 3A 28 9B E7 F7 6A E9 16 79 4B 08 04 E3
        < 03 14 59 2D 1E 51 C7 73 AE F2 28 9E BD 3A 6A 63 B7
        > 03 FA FC CA 82 A4 6E EE C2 DB 81 7C 12 3F 48 B4 4A
        < 04 63 81 10 59 BF 1F 82 3C 07 29 1E 88 40 3C 4B B5
        > 04 78 05 6C 42 BD 9D 76 61 90 28 BA 28 DE 70 36 DF
        < 03 3F FC 3A 4D 89 C8 F9 29 3E 39 AB 66 92 26 A2 00
        > 03 C5 E0 AA F1 87 5D 75 E3 BA CF 8B 27 72 CB D4 C3
        < 04 81 60 C6 9F 01 D1 70 DE B2 FF 87 86 38 0D FF A7
        > 04 CE B4 62 59 9A F3 77 FA 34 B1 CC 70 BB B5 E8 EA
        """

    @Test("SM/CEN/SCPK/BV-01-C: this side shows the passkey, the peer says what keys are pressed")
    func scpkBV01() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(.displayOnly, usesKeypressNotifications: true),
            """
            pair encrypted
            < 01 00 00 1D 10 00 00
            > 02 02 00 1C 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            ? show 816432
            < 03 D1 13 16 AB 5B FA FD 86 63 12 AD 42 62 5F F8 77
            > 0E 00
            ? keypress 0
            > 0E 01
            ? keypress 1
            > 0E 01
            ? keypress 1
            > 0E 04
            ? keypress 4
            \(Self.passkeyRounds)
            < 0D 10 DD BF E6 F9 55 C0 CC D7 A1 81 3F 38 BF BE 35
            > 0D 66 1A 0A 7D AF 47 C7 4F 05 EF C9 F1 A9 3A C3 48
            ? encrypt 701796D3A7D1233D566FDEA59D3D8985 0000 0000000000000000
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 unbonded
            """
        )
    }

    @Test("SM/CEN/SCPK/BV-04-C: reserved bits of AuthReq mean nothing, and are confirmed all the same")
    func scpkBV04() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(.keyboardDisplay),
            """
            pair encrypted
            < 01 04 00 0D 10 00 00
            > 02 02 00 ED 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            ? show 816432
            < 03 D1 13 16 AB 5B FA FD 86 63 12 AD 42 62 5F F8 77
            \(Self.passkeyRounds)
            < 0D 20 F0 A4 9D D0 D2 BD 4E 84 97 F1 CD 56 E3 6D E8
            > 0D 7C 98 72 28 DF 1F D0 9A C7 5E DE 4E E4 14 35 80
            ? encrypt 701796D3A7D1233D566FDEA59D3D8985 0000 0000000000000000
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 bonded
            ? security secureConnections 16 bonded
            """
        )
    }

    @Test("SM/CEN/SCPK/BI-01-C: every reason of a peer ends the pairing")
    func scpkBI01() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(.displayOnly),
            """
            pair encrypted
            < 01 00 00 0D 10 00 00
            > 05 03
            ? peer 03
            wait 64
            pair encrypted
            < 01 00 00 0D 10 00 00
            > 05 08
            ? peer 08
            wait 64
            pair encrypted
            < 01 00 00 0D 10 00 00
            > 05 05
            ? peer 05
            wait 64
            pair encrypted
            < 01 00 00 0D 10 00 00
            > 05 09
            ? peer 09
            wait 64
            pair encrypted
            < 01 00 00 0D 10 00 00
            > 02 02 00 0D 10 00 00
            < 0C \(Self.own)
            > 05 01
            ? peer 01
            """
        )
    }

    @Test("SM/CEN/SCPK/BI-02-C: the confirm value of the fourth round does not fit")
    func scpkBI02() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(.displayOnly),
            """
            pair encrypted
            < 01 00 00 0D 10 00 00
            > 02 02 00 0C 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            ? show 816432
            < 03 D1 13 16 AB 5B FA FD 86 63 12 AD 42 62 5F F8 77
            > 03 14 F0 D7 F8 0B 61 21 30 15 F0 87 B8 81 96 11 DB
            < 04 A5 3C 36 D7 6C EC 99 E0 80 02 15 90 FF 0B 4D C3
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 03 09 55 CD 3B 30 AB 96 C6 53 26 C8 28 73 F8 35 02
            > 03 CA F8 3B 34 22 75 0F 7A D9 96 61 3B DD AD F8 21
            < 04 A8 3D 7E 35 DE 18 17 49 75 85 27 12 0F BB E7 85
            > 04 69 D9 B9 29 E2 87 06 23 E9 5D F8 7E 79 1E 18 26
            < 03 2A CA 84 08 0E 51 0B A7 08 15 09 EE E1 91 2B 31
            > 03 11 C1 2D 03 D6 47 4E CC A3 63 D6 88 52 04 D5 0A
            < 04 61 4F 56 01 77 DC 75 67 96 67 61 74 8E 5C 43 CB
            > 04 31 62 93 C4 2E 10 F8 7C F2 F9 94 B9 3B C1 58 79
            < 03 34 60 1F 15 D8 69 69 B2 EF 1B 3C C9 D2 72 41 C9
            > 03 63 C6 CB 09 76 C4 0E 44 CF B6 A6 4C 8F 8F 5B 2C
            < 04 C0 5D AA 4B 8A CF 76 74 FE 8B CF 14 4D D4 FC 9A
            > 04 26 1F 70 1F E7 46 E2 EB BA 4E 7C F7 74 7B 16 90
            < 05 04
            ? failed 04
            """
        )
    }
}
