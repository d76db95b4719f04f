// A central in the qualification suite: what keys are distributed.

import Testing

@testable import BluetoothHost

extension SecurityManagerCentralTests {
    @Test("SM/CEN/KDU/BV-04-C: the signing key alone, legacy")
    func kduBV04() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(initiatorKeys: .signingKey, identity: Self.identity),
            """
            pair encrypted
            < 01 03 00 01 10 04 00
            > 02 03 00 01 10 04 00
            < 03 2E AC 60 94 AF 54 48 5E 88 E7 5C FE 34 B3 8D 5E
            > 03 8E BE E2 D0 F0 C7 22 EF C4 3F 0D 65 F4 47 FF CD
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            < 0A 0B C9 42 EE 90 86 C1 71 5E 55 32 FB EE A2 93 F8
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/KDU/BV-05-C: the identity key alone, legacy")
    func kduBV05() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(initiatorKeys: .identityKey, identity: Self.identity),
            """
            pair encrypted
            < 01 03 00 01 10 02 00
            > 02 03 00 01 10 02 00
            < 03 07 D2 D9 C6 C5 B3 4B BE 0D 66 B5 AB 70 B6 CE AD
            > 03 85 3A 64 D0 1C 01 E5 17 92 82 90 48 6D 0D 6B 7F
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            < 08 0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 00
            < 09 00 55 44 33 22 11 00
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/KDU/BV-06-C: the long term key alone, legacy")
    func kduBV06() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(initiatorKeys: .encryptionKey, identity: Self.identity),
            """
            pair encrypted
            < 01 03 00 01 10 01 00
            > 02 03 00 01 10 01 00
            < 03 58 F1 75 6A 1C 17 89 80 CC 04 F9 4D 90 94 B2 ED
            > 03 25 9D 8B C8 76 11 6C 69 13 F5 BF 5B 2C 92 7B B5
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            < 06 0B C9 42 EE 90 86 C1 71 5E 55 32 FB EE A2 93 F8
            < 07 B9 B5 80 02 15 90 FF 0B 4D C3
            ? paired encrypted legacy 16 bonded
            ? security encrypted 16 bonded
            """
        )
    }

    @Test("SM/CEN/KDU/BV-10-C: the identity key alone, Secure Connections")
    func kduBV10() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(initiatorKeys: .identityKey, identity: Self.identity),
            """
            pair encrypted
            < 01 03 00 09 10 02 00
            > 02 03 00 09 10 02 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            > 03 E4 01 3F 98 64 AC 68 A1 92 23 3F 55 DE 0F AD EF
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 0D DE 9D 66 4D B2 6E 24 88 75 AA 3F D1 67 55 F6 7A
            > 0D 68 F1 B8 92 8A 9D 93 4F 3F 9C BB 1C 3F 62 C1 0F
            ? encrypt 97B51F831BF3FD753242C7C42DF29559 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            < 08 0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 00
            < 09 00 55 44 33 22 11 00
            ? paired encrypted sc 16 bonded
            ? security encrypted 16 bonded
            """
        )
    }

    @Test("SM/CEN/KDU/BV-11-C: the signing key alone, Secure Connections")
    func kduBV11() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(initiatorKeys: .signingKey, identity: Self.identity),
            """
            pair encrypted
            < 01 03 00 09 10 04 00
            > 02 03 00 09 10 04 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            > 03 E4 01 3F 98 64 AC 68 A1 92 23 3F 55 DE 0F AD EF
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 0D DE 9D 66 4D B2 6E 24 88 75 AA 3F D1 67 55 F6 7A
            > 0D 68 F1 B8 92 8A 9D 93 4F 3F 9C BB 1C 3F 62 C1 0F
            ? encrypt 97B51F831BF3FD753242C7C42DF29559 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            < 0A 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
            ? paired encrypted sc 16 bonded
            ? security encrypted 16 bonded
            """
        )
    }
}
