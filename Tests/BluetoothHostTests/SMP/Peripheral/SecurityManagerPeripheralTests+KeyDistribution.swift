// A peripheral in the qualification suite: what keys are distributed.

import Testing

@testable import BluetoothHost

extension SecurityManagerPeripheralTests {
    @Test("SM/PER/KDU/BV-01-C, SM/PER/KDU/BV-07-C: the long term key alone, and the link encrypted anew with it")
    func kduBV01() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(initiatorKeys: .every, responderKeys: .every, identity: Self.identity),
            """
            > 01 03 00 01 10 00 01
            < 02 03 00 01 10 00 01
            > 03 7D 83 62 20 90 A3 F1 66 47 06 FF 66 2E 61 D5 C3
            < 03 E3 5B 3D E7 74 70 51 71 45 4E EA E7 CE D0 31 8C
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000000
            ? key 41F648DBEA4C0E8A4BF82E1BE99FF863
            encrypted
            ? security encrypted 16 unbonded
            < 06 0B C9 42 EE 90 86 C1 71 5E 55 32 FB EE A2 93 F8
            < 07 B9 B5 80 02 15 90 FF 0B 4D C3
            ? paired encrypted legacy 16 bonded
            ? security encrypted 16 bonded
            key B5B9 C34D0BFF90150280
            ? key F893A2EEFB32555E71C18690EE42C90B
            encrypted
            ? security encrypted 16 bonded
            """
        )
    }

    @Test("SM/PER/KDU/BV-02-C: the identity key alone, legacy")
    func kduBV02() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(initiatorKeys: .every, responderKeys: .every, identity: Self.identity),
            """
            > 01 03 00 01 10 00 02
            < 02 03 00 01 10 00 02
            > 03 94 AE C3 FE 22 7D B1 56 7B 27 F2 6A 15 36 01 3C
            < 03 DE 46 7D A3 4A 44 94 27 B7 5C 27 B6 2D 23 78 BA
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000000
            ? key 41F648DBEA4C0E8A4BF82E1BE99FF863
            encrypted
            ? security encrypted 16 unbonded
            < 08 FF FE FD FC FB FA F9 F8 F7 F6 F5 F4 F3 F2 F1 F0
            < 09 01 66 44 33 22 11 C0
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/PER/KDU/BV-03-C: the signing key alone, legacy")
    func kduBV03() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(initiatorKeys: .every, responderKeys: .every, identity: Self.identity),
            """
            > 01 03 00 01 10 00 04
            < 02 03 00 01 10 00 04
            > 03 FD B1 DF E8 22 DA F6 9D 91 D9 40 AE 5F 56 37 38
            < 03 66 EE 21 50 9F EB 26 42 69 E2 19 E9 B6 01 33 D4
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000000
            ? key 41F648DBEA4C0E8A4BF82E1BE99FF863
            encrypted
            ? security encrypted 16 unbonded
            < 0A 0B C9 42 EE 90 86 C1 71 5E 55 32 FB EE A2 93 F8
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/PER/KDU/BV-08-C: the identity key alone, Secure Connections")
    func kduBV08() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(initiatorKeys: .every, responderKeys: .every, identity: Self.identity),
            """
            > 01 03 00 09 10 00 02
            < 02 03 00 09 10 00 02
            > 0C \(Self.tester)
            < 0C \(Self.own)
            < 03 39 C0 14 A1 4D 0C AD 91 3F 97 45 71 90 80 F4 8D
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 0D A3 8D 45 CF 03 F4 90 6F 8C 85 6D 68 A4 B9 8D 88
            < 0D 62 0A 10 8E 25 3A 00 7F 4C 92 17 23 2C 8F B1 CF
            key 0000 0000000000000000
            ? key 7526F14030BAA08D900C2A3D7B1EE7D7
            encrypted
            ? security encrypted 16 unbonded
            < 08 FF FE FD FC FB FA F9 F8 F7 F6 F5 F4 F3 F2 F1 F0
            < 09 01 66 44 33 22 11 C0
            ? paired encrypted sc 16 bonded
            ? security encrypted 16 bonded
            """
        )
    }

    @Test("SM/PER/KDU/BV-09-C: the signing key alone, Secure Connections")
    func kduBV09() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(initiatorKeys: .every, responderKeys: .every, identity: Self.identity),
            """
            > 01 03 00 09 10 00 04
            < 02 03 00 09 10 00 04
            > 0C \(Self.tester)
            < 0C \(Self.own)
            < 03 39 C0 14 A1 4D 0C AD 91 3F 97 45 71 90 80 F4 8D
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 0D A3 8D 45 CF 03 F4 90 6F 8C 85 6D 68 A4 B9 8D 88
            < 0D 62 0A 10 8E 25 3A 00 7F 4C 92 17 23 2C 8F B1 CF
            key 0000 0000000000000000
            ? key 7526F14030BAA08D900C2A3D7B1EE7D7
            encrypted
            ? security encrypted 16 unbonded
            < 0A 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
            ? paired encrypted sc 16 bonded
            ? security encrypted 16 bonded
            """
        )
    }

    @Test("SM/PER/KDU/BI-02-C: the peer rejects a key, legacy")
    func kduBI02() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(initiatorKeys: .every, responderKeys: .every, identity: Self.identity),
            """
            > 01 03 00 01 10 07 07
            < 02 03 00 01 10 07 07
            > 03 16 05 49 E9 DF 98 B6 39 24 F4 BB 06 43 A0 5C 50
            < 03 A8 F4 F6 D2 C0 FB FE 79 59 DF 23 04 34 A6 E1 F5
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000000
            ? key 41F648DBEA4C0E8A4BF82E1BE99FF863
            encrypted
            ? security encrypted 16 unbonded
            < 06 0B C9 42 EE 90 86 C1 71 5E 55 32 FB EE A2 93 F8
            < 07 B9 B5 80 02 15 90 FF 0B 4D C3
            < 08 FF FE FD FC FB FA F9 F8 F7 F6 F5 F4 F3 F2 F1 F0
            < 09 01 66 44 33 22 11 C0
            < 0A 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
            > 05 0F
            ? peer 0F
            """
        )
    }

    @Test("SM/PER/KDU/BI-03-C: the peer rejects a key after the last one, Secure Connections")
    func kduBI03() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(initiatorKeys: .every, responderKeys: .every, identity: Self.identity),
            """
            > 01 03 00 09 10 00 07
            < 02 03 00 09 10 00 06
            > 0C \(Self.tester)
            < 0C \(Self.own)
            < 03 39 C0 14 A1 4D 0C AD 91 3F 97 45 71 90 80 F4 8D
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 0D A3 8D 45 CF 03 F4 90 6F 8C 85 6D 68 A4 B9 8D 88
            < 0D 62 0A 10 8E 25 3A 00 7F 4C 92 17 23 2C 8F B1 CF
            key 0000 0000000000000000
            ? key 7526F14030BAA08D900C2A3D7B1EE7D7
            encrypted
            ? security encrypted 16 unbonded
            < 08 FF FE FD FC FB FA F9 F8 F7 F6 F5 F4 F3 F2 F1 F0
            < 09 01 66 44 33 22 11 C0
            < 0A 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
            ? paired encrypted sc 16 bonded
            ? security encrypted 16 bonded
            > 05 0F
            ? peer 0F
            ? security encrypted 16 unbonded
            """
        )
    }
}
