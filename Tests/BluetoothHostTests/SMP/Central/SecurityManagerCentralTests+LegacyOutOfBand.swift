// A central in the qualification suite: out of band, and the size of the key.

import Testing

@testable import BluetoothHost

extension SecurityManagerCentralTests {
    @Test("SM/CEN/OOB/BV-01-C: both have out-of-band data")
    func oobBV01() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(),
            """
            tk E1609DF73F647D7BA2523110AE904951
            pair encrypted
            < 01 03 01 01 10 00 00
            > 02 03 01 00 10 00 00
            < 03 A1 91 96 5B 4D 8A D6 02 4F 7A AA 15 CF C4 A1 80
            > 03 04 B7 85 96 D3 3F 1A 2D 7C 74 5A 9A B4 F0 35 25
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt B3D9B76C8330FC229B7E3070CC82A5E6 0000 0000000000000000
            encrypted
            ? security authenticated 16 unbonded
            ? paired authenticated legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/OOB/BV-03-C: only this side has out-of-band data: a passkey")
    func oobBV03() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(.keyboardDisplay),
            """
            tk E1609DF73F647D7BA2523110AE904951
            pair encrypted
            < 01 04 01 05 10 00 00
            > 02 02 00 04 10 00 00
            ? show 535192
            < 03 35 F3 7A 11 32 EB 5B CB 84 93 73 E4 EB 83 5D 04
            > 03 E4 05 18 A7 51 17 CF 86 49 41 06 75 58 C3 8B AA
            < 04 5E 55 32 FB EE A2 93 F8 67 EC 8E 65 A1 8D EB BE
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt B8AD0A3589726CD76267F69371D1C8F3 0000 0000000000000000
            encrypted
            ? security authenticated 16 unbonded
            ? paired authenticated legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/OOB/BV-05-C: only the peer has out-of-band data: a passkey")
    func oobBV05() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(.keyboardDisplay),
            """
            pair encrypted
            < 01 04 00 05 10 00 00
            > 02 02 01 04 10 00 00
            ? show 535192
            < 03 C0 33 3B BC 89 5B 18 71 5E F3 6C 75 E6 3A 93 E0
            > 03 E0 5D 7E AF 9F 37 FE DC F8 3F B8 62 6C 4A 14 E3
            < 04 5E 55 32 FB EE A2 93 F8 67 EC 8E 65 A1 8D EB BE
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt B8AD0A3589726CD76267F69371D1C8F3 0000 0000000000000000
            encrypted
            ? security authenticated 16 unbonded
            ? paired authenticated legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/OOB/BV-07-C: only the peer has out-of-band data, and wants no protection")
    func oobBV07() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(),
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 03 01 00 10 00 00
            < 03 01 BB 4E E0 09 7E B3 E9 95 31 BA 97 A5 1E 49 C4
            > 03 FB 59 CF 10 28 41 63 56 61 4D BB 37 5F D0 BD E4
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/OOB/BV-09-C: only this side has out-of-band data, the peer wants no protection")
    func oobBV09() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(),
            """
            tk E1609DF73F647D7BA2523110AE904951
            pair encrypted
            < 01 03 01 01 10 00 00
            > 02 03 00 00 10 00 00
            < 03 48 BC 5F 4C 99 4B E1 D2 D4 E0 E2 C8 2A AD CD 65
            > 03 71 48 93 A6 4C A7 62 56 70 DE E7 84 23 72 0D 40
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/OOB/BI-01-C: the devices have different data")
    func oobBI01() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(),
            """
            tk E1609DF73F647D7BA2523110AE904951
            pair encrypted
            < 01 03 01 01 10 00 00
            > 02 03 01 04 10 00 00
            < 03 1E 3B DB 30 0A 50 DF E0 95 E2 60 27 0A 23 43 7E
            > 03 0E 6E 2B B2 8E 94 5D AD 1F 71 0E 43 A4 F3 4B 69
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/CEN/EKS/BV-01-C: the shortest key that is allowed")
    func eksBV01() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(minimumKeySize: 7, responderKeys: .encryptionKey, identity: Self.identity),
            """
            pair encrypted
            < 01 03 00 01 10 00 01
            > 02 03 00 01 07 00 01
            < 03 26 4D 7B B0 E9 65 73 5E 2E 20 D4 F1 5C 3B AF 60
            > 03 F7 38 2D 2A 6E D9 A8 95 A7 39 55 52 DF BE 89 3F
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt 000000000000000000618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 7 unbonded
            > 06 B4 E6 C8 30 B5 E9 F6 00 00 00 00 00 00 00 00 00
            > 07 34 12 01 02 03 04 05 06 07 08
            ? paired encrypted legacy 7 bonded
            ? security encrypted 7 bonded
            """
        )
    }

    @Test("SM/CEN/EKS/BI-01-C: shorter keys: out of range, and shorter than this side wants")
    func eksBI01() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(minimumKeySize: 10),
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 03 00 01 06 00 00
            < 05 0A
            ? failed 0A
            wait 64
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 03 00 01 09 00 00
            < 05 06
            ? failed 06
            """
        )
    }
}
