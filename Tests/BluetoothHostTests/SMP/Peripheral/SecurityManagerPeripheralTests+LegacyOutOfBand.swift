// A peripheral in the qualification suite: out of band, and the size of the key.

import Testing

@testable import BluetoothHost

extension SecurityManagerPeripheralTests {
    @Test("SM/PER/OOB/BV-02-C: both have out-of-band data")
    func oobBV02() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(),
            """
            tk E1609DF73F647D7BA2523110AE904951
            > 01 03 01 01 10 00 00
            < 02 03 01 01 10 00 00
            > 03 FB 70 85 62 FB B0 3E BD 96 0F B6 9D 2D F7 FD BF
            < 03 57 CE 4F 93 B1 07 E1 3C B8 86 8E 42 EC B1 32 AF
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000000
            ? key 704A397E6893970142319FCF1BBCA837
            encrypted
            ? security authenticated 16 unbonded
            ? paired authenticated legacy 16 unbonded
            """
        )
    }

    @Test("SM/PER/OOB/BV-04-C: only this side has out-of-band data: a passkey")
    func oobBV04() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(.keyboardOnly),
            """
            tk E1609DF73F647D7BA2523110AE904951
            > 01 04 00 04 10 00 00
            < 02 02 01 05 10 00 00
            ? enter
            passkey 000007
            > 03 82 AA 7B B3 43 A9 66 BB D0 C9 5D B7 8A 1B 2A DD
            < 03 5E 3A 69 6D 53 90 4A 25 35 B9 2E BF BB 24 CC 87
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000000
            ? key 3D17317DD2352E42AD64C9C649F8744A
            encrypted
            ? security authenticated 16 unbonded
            ? paired authenticated legacy 16 unbonded
            """
        )
    }

    @Test("SM/PER/OOB/BV-06-C: only the peer has out-of-band data: a passkey")
    func oobBV06() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(.keyboardOnly),
            """
            > 01 04 01 05 10 00 00
            < 02 02 00 05 10 00 00
            ? enter
            passkey 999999
            > 03 9C DC 5E 82 27 B6 67 5D B5 3A 5F 3E 7D 8E A0 3C
            < 03 B8 82 9C F1 82 BB 40 61 F5 BB 19 9A 8F 43 DF BC
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000000
            ? key EC3423AECFB3312C83B698394E9B4880
            encrypted
            ? security authenticated 16 unbonded
            ? paired authenticated legacy 16 unbonded
            """
        )
    }

    @Test("SM/PER/OOB/BV-08-C: only the peer has out-of-band data, and wants no protection")
    func oobBV08() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(),
            """
            > 01 03 01 00 10 00 00
            < 02 03 00 01 10 00 00
            > 03 92 52 C6 2C FC A4 F0 7A 86 A8 F4 8E 7F 4E CE B7
            < 03 37 6A D8 7C 3F 56 FA AC 3F A8 A7 52 02 7C 25 94
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

    @Test("SM/PER/OOB/BV-10-C: only this side has out-of-band data, the peer wants no protection")
    func oobBV10() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(),
            """
            tk E1609DF73F647D7BA2523110AE904951
            > 01 03 00 00 10 00 00
            < 02 03 01 01 10 00 00
            > 03 9E AA 76 22 60 7A 66 71 54 1D D7 AC 14 43 C7 41
            < 03 68 F5 AB A4 86 98 69 67 08 9B FF F3 E0 82 47 92
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

    @Test("SM/PER/OOB/BI-02-C: the devices have different data")
    func oobBI02() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(),
            """
            tk E1609DF73F647D7BA2523110AE904951
            > 01 03 01 05 10 00 00
            < 02 03 01 01 10 00 00
            > 03 A0 03 AE 98 BE E7 D9 C3 CF 12 5D 76 F7 9E BF 4A
            < 03 2C 77 4B 1C 2E 1D 39 21 DD 41 27 0A B4 04 9B BE
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/PER/EKS/BV-02-C: the shortest key that is allowed")
    func eksBV02() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(minimumKeySize: 7, responderKeys: .encryptionKey, identity: Self.identity),
            """
            > 01 03 00 01 07 00 01
            < 02 03 00 01 10 00 01
            > 03 23 95 00 33 84 DD 56 81 E6 26 B2 DC A2 2D 2B 75
            < 03 39 4C 9F 5B 3C 81 A5 E0 62 F8 57 7B E1 D2 B4 E8
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000000
            ? key 000000000000000000F82E1BE99FF863
            encrypted
            ? security encrypted 7 unbonded
            < 06 0B C9 42 EE 90 86 C1 00 00 00 00 00 00 00 00 00
            < 07 B9 B5 80 02 15 90 FF 0B 4D C3
            ? paired encrypted legacy 7 bonded
            ? security encrypted 7 bonded
            """
        )
    }

    @Test("SM/PER/EKS/BI-02-C: shorter keys: out of range, and shorter than this side wants")
    func eksBI02() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(minimumKeySize: 10),
            """
            > 01 03 00 01 06 00 00
            < 05 0A
            > 01 03 00 01 09 00 00
            < 05 06
            ? failed 06
            """
        )
    }
}
