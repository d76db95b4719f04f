import Testing

@testable import BluetoothHost

extension SecurityManagerCentralTests {
    @Test("follows the scripts of key distribution", arguments: keyDistributionScripts)
    func keyDistribution(script: ScriptCase) { script.runPairing() }

    private static let keyDistributionScripts = ScriptCase.all(
        """
        @ central legacy identity keys=40
        ## SM/CEN/KDU/BV-04-C: distributes the signing key alone, legacy
        pair encrypted
        < 01 03 00 01 10 04 00
        > 02 03 00 01 10 04 00
        < 03 2E AC 60 94 AF 54 48 5E 88 E7 5C FE 34 B3 8D 5E
        > 03 8E BE E2 D0 F0 C7 22 EF C4 3F 0D 65 F4 47 FF CD
        \(Self.legacyNumbers)
        \(Self.encrypt("E3081FB64C3192CFD1618051D28DC446"))
        < 0A 0B C9 42 EE 90 86 C1 71 5E 55 32 FB EE A2 93 F8
        ? paired encrypted legacy 16 unbonded

        @ central legacy identity keys=20
        ## SM/CEN/KDU/BV-05-C: distributes the identity key alone, legacy
        pair encrypted
        < 01 03 00 01 10 02 00
        > 02 03 00 01 10 02 00
        < 03 07 D2 D9 C6 C5 B3 4B BE 0D 66 B5 AB 70 B6 CE AD
        > 03 85 3A 64 D0 1C 01 E5 17 92 82 90 48 6D 0D 6B 7F
        \(Self.legacyNumbers)
        \(Self.encrypt("E3081FB64C3192CFD1618051D28DC446"))
        < 08 0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 00
        < 09 01 01 00 00 00 AA C0
        ? paired encrypted legacy 16 unbonded

        @ central legacy identity keys=10
        ## SM/CEN/KDU/BV-06-C: distributes the long term key alone, legacy
        pair encrypted
        < 01 03 00 01 10 01 00
        > 02 03 00 01 10 01 00
        < 03 58 F1 75 6A 1C 17 89 80 CC 04 F9 4D 90 94 B2 ED
        > 03 25 9D 8B C8 76 11 6C 69 13 F5 BF 5B 2C 92 7B B5
        \(Self.legacyNumbers)
        \(Self.encrypt("E3081FB64C3192CFD1618051D28DC446"))
        < 06 0B C9 42 EE 90 86 C1 71 5E 55 32 FB EE A2 93 F8
        < 07 B9 B5 80 02 15 90 FF 0B 4D C3
        ? paired encrypted legacy 16 bonded
        ? security encrypted 16 bonded

        @ central identity keys=20
        ## SM/CEN/KDU/BV-10-C: distributes the identity key alone, Secure Connections
        pair encrypted
        < 01 03 00 09 10 02 00
        > 02 03 00 09 10 02 00
        \(Self.justWorks)
        < 08 0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 00
        < 09 01 01 00 00 00 AA C0
        ? paired encrypted sc 16 bonded
        ? security encrypted 16 bonded

        @ central identity keys=40
        ## SM/CEN/KDU/BV-11-C: distributes the signing key alone, Secure Connections
        pair encrypted
        < 01 03 00 09 10 04 00
        > 02 03 00 09 10 04 00
        \(Self.justWorks)
        < 0A 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
        ? paired encrypted sc 16 bonded
        ? security encrypted 16 bonded
        """
    )
}
