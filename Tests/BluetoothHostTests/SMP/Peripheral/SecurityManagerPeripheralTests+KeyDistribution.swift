import Testing

@testable import BluetoothHost

extension SecurityManagerPeripheralTests {
    @Test("follows the scripts of key distribution", arguments: keyDistributionScripts)
    func keyDistribution(script: ScriptCase) { script.runPairing() }

    private static let keyDistributionScripts = ScriptCase.all(
        """
        @ peripheral legacy identity keys=77
        ## SM/PER/KDU/BV-01-C, SM/PER/KDU/BV-07-C: distributes the long term key alone, and encrypts with it
        > 01 03 00 01 10 00 01
        < 02 03 00 01 10 00 01
        > 03 7D 83 62 20 90 A3 F1 66 47 06 FF 66 2E 61 D5 C3
        < 03 E3 5B 3D E7 74 70 51 71 45 4E EA E7 CE D0 31 8C
        \(Self.legacyNumbers)
        \(Self.encrypt("41F648DBEA4C0E8A4BF82E1BE99FF863"))
        < 06 0B C9 42 EE 90 86 C1 71 5E 55 32 FB EE A2 93 F8
        < 07 B9 B5 80 02 15 90 FF 0B 4D C3
        ? paired encrypted legacy 16 bonded
        ? security encrypted 16 bonded
        key B5B9 C34D0BFF90150280
        ? key F893A2EEFB32555E71C18690EE42C90B
        encrypted
        ? security encrypted 16 bonded

        ## SM/PER/KDU/BV-02-C: distributes the identity key alone, legacy
        > 01 03 00 01 10 00 02
        < 02 03 00 01 10 00 02
        > 03 94 AE C3 FE 22 7D B1 56 7B 27 F2 6A 15 36 01 3C
        < 03 DE 46 7D A3 4A 44 94 27 B7 5C 27 B6 2D 23 78 BA
        \(Self.legacyNumbers)
        \(Self.encrypt("41F648DBEA4C0E8A4BF82E1BE99FF863"))
        < 08 FF FE FD FC FB FA F9 F8 F7 F6 F5 F4 F3 F2 F1 F0
        < 09 00 02 00 00 00 BB 00
        ? paired encrypted legacy 16 unbonded

        ## SM/PER/KDU/BV-03-C: distributes the signing key alone, legacy
        > 01 03 00 01 10 00 04
        < 02 03 00 01 10 00 04
        > 03 FD B1 DF E8 22 DA F6 9D 91 D9 40 AE 5F 56 37 38
        < 03 66 EE 21 50 9F EB 26 42 69 E2 19 E9 B6 01 33 D4
        \(Self.legacyNumbers)
        \(Self.encrypt("41F648DBEA4C0E8A4BF82E1BE99FF863"))
        < 0A 0B C9 42 EE 90 86 C1 71 5E 55 32 FB EE A2 93 F8
        ? paired encrypted legacy 16 unbonded

        ## SM/PER/KDU/BI-02-C: ends the pairing if the peer rejects a key, legacy
        > 01 03 00 01 10 07 07
        < 02 03 00 01 10 07 07
        > 03 16 05 49 E9 DF 98 B6 39 24 F4 BB 06 43 A0 5C 50
        < 03 A8 F4 F6 D2 C0 FB FE 79 59 DF 23 04 34 A6 E1 F5
        \(Self.legacyNumbers)
        \(Self.encrypt("41F648DBEA4C0E8A4BF82E1BE99FF863"))
        < 06 0B C9 42 EE 90 86 C1 71 5E 55 32 FB EE A2 93 F8
        < 07 B9 B5 80 02 15 90 FF 0B 4D C3
        < 08 FF FE FD FC FB FA F9 F8 F7 F6 F5 F4 F3 F2 F1 F0
        < 09 00 02 00 00 00 BB 00
        < 0A 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
        > 05 0F
        ? peer 0F

        @ peripheral identity keys=77
        ## SM/PER/KDU/BV-08-C: distributes the identity key alone, Secure Connections
        > 01 03 00 09 10 00 02
        < 02 03 00 09 10 00 02
        \(Self.justWorks)
        < 08 FF FE FD FC FB FA F9 F8 F7 F6 F5 F4 F3 F2 F1 F0
        < 09 00 02 00 00 00 BB 00
        ? paired encrypted sc 16 bonded
        ? security encrypted 16 bonded

        ## SM/PER/KDU/BV-09-C: distributes the signing key alone, Secure Connections
        > 01 03 00 09 10 00 04
        < 02 03 00 09 10 00 04
        \(Self.justWorks)
        < 0A 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
        ? paired encrypted sc 16 bonded
        ? security encrypted 16 bonded

        ## SM/PER/KDU/BI-03-C: removes the bond if the peer rejects a key after the last one, Secure Connections
        > 01 03 00 09 10 00 07
        < 02 03 00 09 10 00 06
        \(Self.justWorks)
        < 08 FF FE FD FC FB FA F9 F8 F7 F6 F5 F4 F3 F2 F1 F0
        < 09 00 02 00 00 00 BB 00
        < 0A 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
        ? paired encrypted sc 16 bonded
        ? security encrypted 16 bonded
        > 05 0F
        ? peer 0F
        ? security encrypted 16 unbonded
        """
    )
}
