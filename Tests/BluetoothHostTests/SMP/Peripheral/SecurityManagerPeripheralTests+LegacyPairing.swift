// A peripheral in the qualification suite: Just Works, Passkey Entry and the time limit.

import Testing

@testable import BluetoothHost

extension SecurityManagerPeripheralTests {
    @Test("SM/PER/JW/BV-02-C: Just Works")
    func jwBV02() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(),
            """
            > 01 03 00 01 10 00 00
            < 02 03 00 01 10 00 00
            > 03 9B 10 BA 86 37 71 19 34 C4 BC 92 52 73 74 8F 85
            < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000000
            ? key 41F648DBEA4C0E8A4BF82E1BE99FF863
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/PER/JW/BI-03-C: reserved bits of AuthReq mean nothing, and are confirmed all the same")
    func jwBI03() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(),
            """
            > 01 03 00 E1 10 00 00
            < 02 03 00 01 10 00 00
            > 03 39 5B 55 FD 91 92 1F 68 70 C4 00 E7 B9 C5 F4 02
            < 03 51 E3 99 A8 68 C0 B6 FE 93 21 0E A3 57 4D 91 8B
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000000
            ? key 41F648DBEA4C0E8A4BF82E1BE99FF863
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/PER/JW/BI-02-C: a confirm value that does not fit")
    func jwBI02() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(),
            """
            > 01 03 00 01 10 00 00
            < 02 03 00 01 10 00 00
            > 03 9B 10 BA 86 37 71 19 34 C4 BC 92 52 73 74 8F 84
            < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/PER/PROT/BV-02-C: after 30 s nothing is sent on this link")
    func protBV02() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(),
            """
            > 01 03 00 01 10 00 00
            < 02 03 00 01 10 00 00
            wait 29
            wait 1
            ? timedOut
            > 03 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            > 01 03 00 01 10 00 00
            secure encrypted
            ? timedOut
            """
        )
    }

    @Test("SM/PER/PKE/BV-02-C: the passkey is entered here")
    func pkeBV02() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(.keyboardOnly),
            """
            > 01 04 00 05 10 00 00
            < 02 02 00 05 10 00 00
            ? enter
            passkey 123456
            > 03 28 E8 F6 04 EF 81 53 F5 1D 08 CE 61 A0 8F DE 8D
            < 03 97 BB 0F 62 C5 7F EA 24 81 46 50 50 B6 B3 EB 9F
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000000
            ? key 3C0A83ABF1313383667CB7481A67CDF7
            encrypted
            ? security authenticated 16 unbonded
            ? paired authenticated legacy 16 unbonded
            """
        )
    }

    @Test("SM/PER/PKE/BV-05-C: the peer has no capability: an unauthenticated key")
    func pkeBV05() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(.keyboardDisplay),
            """
            > 01 03 00 00 10 00 00
            < 02 04 00 05 10 00 00
            > 03 72 6A C1 28 D5 36 0C 7E 0E B4 A7 8B 6A 03 C8 1A
            < 03 1E A2 2F 77 0F EF 73 F5 46 7E 66 B4 64 56 E0 07
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000000
            ? key 41F648DBEA4C0E8A4BF82E1BE99FF863
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/PER/PKE/BI-03-C: another passkey was entered")
    func pkeBI03() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(.displayOnly),
            """
            > 01 02 00 04 10 00 00
            < 02 00 00 05 10 00 00
            ? show 535192
            > 03 5B 66 8C B0 CC BA AD 1E 65 2F F9 1F 11 C6 30 89
            < 03 51 61 58 89 2C E3 93 01 B0 28 E7 2F D6 9E F1 40
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 05 04
            ? failed 04
            """
        )
    }
}
