// A central in the qualification suite: Just Works, Passkey Entry and the time limit.

import Testing

@testable import BluetoothHost

extension SecurityManagerCentralTests {
    @Test("SM/CEN/JW/BV-01-C: the peer has any capability and wants no protection")
    func jwBV01() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(),
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 04 00 00 10 00 00
            < 03 38 DC 87 DF DC 6A D5 72 74 5F B9 0D 60 C3 A2 F1
            > 03 6F B4 1A A0 7D 84 DB 29 0D C0 C0 54 B2 BB D9 44
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/JW/BI-04-C: reserved bits of AuthReq mean nothing, and are confirmed all the same")
    func jwBI04() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(),
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 03 00 E1 10 00 00
            < 03 D1 C0 A0 AD FC FE B4 8E 0A D2 AD 78 70 D8 98 5A
            > 03 5D 80 40 D0 AE 5C FA 63 D6 4D B3 1D 01 00 4C 47
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/JW/BI-01-C: a confirm value that does not fit")
    func jwBI01() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(),
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 03 00 01 10 00 00
            < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
            > 03 9B 10 BA 86 37 71 19 34 C4 BC 92 52 73 74 8F 84
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/CEN/JW/BI-06-C: the peer gives this side its own confirm value")
    func jwBI06() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(),
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 03 00 00 10 00 00
            < 03 1C A2 35 2E 5D 8B 69 C3 61 2D A2 FB B1 80 EA 44
            > 03 1C A2 35 2E 5D 8B 69 C3 61 2D A2 FB B1 80 EA 44
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/CEN/JW/BV-05-C: every reason of a peer ends the pairing")
    func jwBV05() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(),
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 05 08
            ? peer 08
            wait 64
            pair encrypted
            < 01 03 00 01 10 00 00
            > 05 05
            ? peer 05
            wait 64
            pair encrypted
            < 01 03 00 01 10 00 00
            > 05 09
            ? peer 09
            wait 64
            pair encrypted
            < 01 03 00 01 10 00 00
            > 05 10
            ? peer 10
            wait 64
            pair encrypted
            < 01 03 00 01 10 00 00
            > 05 03
            ? peer 03
            wait 64
            """
        )
    }

    @Test("SM/CEN/PROT/BV-01-C: after 30 s nothing is sent on this link")
    func protBV01() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(),
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 03 00 01 10 00 00
            < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
            wait 29
            wait 1
            ? timedOut
            > 03 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            > 02 03 00 01 10 00 00
            pair encrypted
            ? timedOut
            """
        )
    }

    @Test("SM/CEN/PKE/BV-01-C: this side shows the passkey")
    func pkeBV01() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(.keyboardDisplay),
            """
            pair encrypted
            < 01 04 00 05 10 00 00
            > 02 02 00 04 10 00 00
            ? show 535192
            < 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
            > 03 0E D5 E1 35 E6 94 98 B5 00 54 97 8A E5 A1 E5 87
            < 04 5E 55 32 FB EE A2 93 F8 67 EC 8E 65 A1 8D EB BE
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt B8AD0A3589726CD76267F69371D1C8F3 0000 0000000000000000
            encrypted
            ? security authenticated 16 unbonded
            ? paired authenticated legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/PKE/BV-04-C: the peer has no capability: an unauthenticated key")
    func pkeBV04() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(.keyboardDisplay),
            """
            pair encrypted
            < 01 04 00 05 10 00 00
            > 02 03 00 01 10 00 00
            < 03 11 90 52 3D 01 FD 36 A2 F5 07 75 D4 9B 09 68 32
            > 03 80 E2 C3 0A E7 DB A4 A6 E6 A1 80 95 D2 4B 17 83
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/PKE/BI-01-C: another passkey was entered")
    func pkeBI01() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(.keyboardDisplay),
            """
            pair encrypted
            < 01 04 00 05 10 00 00
            > 02 02 00 04 10 00 00
            ? show 535192
            < 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
            > 03 B9 13 A7 36 8E 32 4C 4E AB 21 5B 80 70 59 30 42
            < 04 5E 55 32 FB EE A2 93 F8 67 EC 8E 65 A1 8D EB BE
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/CEN/PKE/BI-02-C: the peer's user gives up")
    func pkeBI02() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(.keyboardDisplay),
            """
            pair encrypted
            < 01 04 00 05 10 00 00
            > 02 02 00 04 10 00 00
            ? show 535192
            < 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
            > 05 01
            ? peer 01
            """
        )
    }

    @Test("SM/CEN/PKE/BI-03-C: the peer gives this side its own confirm value")
    func pkeBI03() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(.keyboardDisplay),
            """
            pair encrypted
            < 01 04 00 05 10 00 00
            > 02 02 00 04 10 00 00
            ? show 535192
            < 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
            > 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
            < 05 04
            ? failed 04
            """
        )
    }
}
