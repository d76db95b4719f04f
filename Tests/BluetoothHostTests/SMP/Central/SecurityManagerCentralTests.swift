// The cases of the qualification suite for a central, as scripts. The octets were computed by an independent
// implementation of the protocol and its cryptography.

import Testing

@testable import BluetoothHost

@Suite("SM/CEN")
struct SecurityManagerCentralTests: PairingScripts {
    static let identity = PairingCase.centralIdentity

    @Test("follows the scripts of legacy pairing", arguments: legacyScripts)
    func legacy(script: ScriptCase) { script.runPairing() }

    // MARK: Parts of scripts

    static let keys = "< 0C \(SecurityManagerScript.ownKey) \n > 0C \(SecurityManagerScript.testerKey)"
    /// The nonces of legacy pairing.
    static let legacyNumbers = """
        < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        """
    /// The tester's confirm value and the nonces of Secure Connections.
    static let numbers = """
        > 03 E4 01 3F 98 64 AC 68 A1 92 23 3F 55 DE 0F AD EF
        < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        """
    /// Everything of Just Works with Secure Connections behind the features, up to an encrypted link.
    static let justWorks = """
        \(keys)
        \(numbers)
        < 0D DE 9D 66 4D B2 6E 24 88 75 AA 3F D1 67 55 F6 7A
        > 0D 68 F1 B8 92 8A 9D 93 4F 3F 9C BB 1C 3F 62 C1 0F
        \(encrypt("97B51F831BF3FD753242C7C42DF29559"))
        """

    /// The link is encrypted with the key of the pairing.
    static func encrypt(_ key: String, _ security: String = "encrypted 16") -> String {
        "? encrypt \(key) 0000 0000000000000000 \n encrypted \n ? security \(security) unbonded"
    }

    // MARK: Scripts

    private static let legacyScripts = ScriptCase.all(
        """
        @ central legacy keys=00
        ## SM/CEN/JW/BV-01-C: pairs by Just Works with a peer of any capability that wants no protection
        pair encrypted
        < 01 03 00 01 10 00 00
        > 02 04 00 00 10 00 00
        < 03 38 DC 87 DF DC 6A D5 72 74 5F B9 0D 60 C3 A2 F1
        > 03 6F B4 1A A0 7D 84 DB 29 0D C0 C0 54 B2 BB D9 44
        \(Self.legacyNumbers)
        \(Self.complete("E3081FB64C3192CFD1618051D28DC446", "encrypted legacy 16 unbonded"))

        ## SM/CEN/JW/BI-04-C: ignores reserved bits of AuthReq, and confirms them
        pair encrypted
        < 01 03 00 01 10 00 00
        > 02 03 00 E1 10 00 00
        < 03 D1 C0 A0 AD FC FE B4 8E 0A D2 AD 78 70 D8 98 5A
        > 03 5D 80 40 D0 AE 5C FA 63 D6 4D B3 1D 01 00 4C 47
        \(Self.legacyNumbers)
        \(Self.complete("E3081FB64C3192CFD1618051D28DC446", "encrypted legacy 16 unbonded"))

        ## SM/CEN/JW/BI-01-C: rejects a confirm value that does not fit
        pair encrypted
        < 01 03 00 01 10 00 00
        > 02 03 00 01 10 00 00
        < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
        > 03 9B 10 BA 86 37 71 19 34 C4 BC 92 52 73 74 8F 84
        \(Self.legacyNumbers)
        < 05 04
        ? failed 04

        ## SM/CEN/JW/BI-06-C: rejects its own confirm value
        pair encrypted
        < 01 03 00 01 10 00 00
        > 02 03 00 00 10 00 00
        < 03 1C A2 35 2E 5D 8B 69 C3 61 2D A2 FB B1 80 EA 44
        > 03 1C A2 35 2E 5D 8B 69 C3 61 2D A2 FB B1 80 EA 44
        < 05 04
        ? failed 04

        ## SM/CEN/JW/BV-05-C: ends the pairing for every reason of the peer
        \(Self.refusals(["08", "05", "09", "10", "03"], "pair encrypted \n < 01 03 00 01 10 00 00"))

        ## SM/CEN/PROT/BV-01-C: sends nothing after 30 s without a command
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

        ## SM/CEN/OOB/BV-01-C: uses out-of-band data that both sides have
        tk E1609DF73F647D7BA2523110AE904951
        pair encrypted
        < 01 03 01 01 10 00 00
        > 02 03 01 00 10 00 00
        < 03 A1 91 96 5B 4D 8A D6 02 4F 7A AA 15 CF C4 A1 80
        > 03 04 B7 85 96 D3 3F 1A 2D 7C 74 5A 9A B4 F0 35 25
        \(Self.legacyNumbers)
        \(Self.complete("B3D9B76C8330FC229B7E3070CC82A5E6", "authenticated legacy 16 unbonded"))

        ## SM/CEN/OOB/BV-07-C: pairs by Just Works if only the peer has data and wants no protection
        pair encrypted
        < 01 03 00 01 10 00 00
        > 02 03 01 00 10 00 00
        < 03 01 BB 4E E0 09 7E B3 E9 95 31 BA 97 A5 1E 49 C4
        > 03 FB 59 CF 10 28 41 63 56 61 4D BB 37 5F D0 BD E4
        \(Self.legacyNumbers)
        \(Self.complete("E3081FB64C3192CFD1618051D28DC446", "encrypted legacy 16 unbonded"))

        ## SM/CEN/OOB/BV-09-C: pairs by Just Works if only this side has data and the peer wants no protection
        tk E1609DF73F647D7BA2523110AE904951
        pair encrypted
        < 01 03 01 01 10 00 00
        > 02 03 00 00 10 00 00
        < 03 48 BC 5F 4C 99 4B E1 D2 D4 E0 E2 C8 2A AD CD 65
        > 03 71 48 93 A6 4C A7 62 56 70 DE E7 84 23 72 0D 40
        \(Self.legacyNumbers)
        \(Self.complete("E3081FB64C3192CFD1618051D28DC446", "encrypted legacy 16 unbonded"))

        ## SM/CEN/OOB/BI-01-C: rejects a peer that has other data
        tk E1609DF73F647D7BA2523110AE904951
        pair encrypted
        < 01 03 01 01 10 00 00
        > 02 03 01 04 10 00 00
        < 03 1E 3B DB 30 0A 50 DF E0 95 E2 60 27 0A 23 43 7E
        > 03 0E 6E 2B B2 8E 94 5D AD 1F 71 0E 43 A4 F3 4B 69
        \(Self.legacyNumbers)
        < 05 04
        ? failed 04

        @ central legacy keyboardDisplay protected keys=00
        ## SM/CEN/PKE/BV-01-C: shows the passkey
        pair encrypted
        < 01 04 00 05 10 00 00
        > 02 02 00 04 10 00 00
        ? show 535192
        < 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
        > 03 0E D5 E1 35 E6 94 98 B5 00 54 97 8A E5 A1 E5 87
        < 04 5E 55 32 FB EE A2 93 F8 67 EC 8E 65 A1 8D EB BE
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        \(Self.complete("B8AD0A3589726CD76267F69371D1C8F3", "authenticated legacy 16 unbonded"))

        ## SM/CEN/PKE/BV-04-C: makes an unauthenticated key with a peer without capabilities
        pair encrypted
        < 01 04 00 05 10 00 00
        > 02 03 00 01 10 00 00
        < 03 11 90 52 3D 01 FD 36 A2 F5 07 75 D4 9B 09 68 32
        > 03 80 E2 C3 0A E7 DB A4 A6 E6 A1 80 95 D2 4B 17 83
        \(Self.legacyNumbers)
        \(Self.complete("E3081FB64C3192CFD1618051D28DC446", "encrypted legacy 16 unbonded"))

        ## SM/CEN/PKE/BI-01-C: rejects another passkey
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

        ## SM/CEN/PKE/BI-02-C: ends the pairing if the peer's user gives up
        pair encrypted
        < 01 04 00 05 10 00 00
        > 02 02 00 04 10 00 00
        ? show 535192
        < 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
        > 05 01
        ? peer 01

        ## SM/CEN/PKE/BI-03-C: rejects its own confirm value
        pair encrypted
        < 01 04 00 05 10 00 00
        > 02 02 00 04 10 00 00
        ? show 535192
        < 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
        > 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
        < 05 04
        ? failed 04

        ## SM/CEN/OOB/BV-03-C: shows a passkey if only this side has out-of-band data
        tk E1609DF73F647D7BA2523110AE904951
        pair encrypted
        < 01 04 01 05 10 00 00
        > 02 02 00 04 10 00 00
        ? show 535192
        < 03 35 F3 7A 11 32 EB 5B CB 84 93 73 E4 EB 83 5D 04
        > 03 E4 05 18 A7 51 17 CF 86 49 41 06 75 58 C3 8B AA
        < 04 5E 55 32 FB EE A2 93 F8 67 EC 8E 65 A1 8D EB BE
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        \(Self.complete("B8AD0A3589726CD76267F69371D1C8F3", "authenticated legacy 16 unbonded"))

        ## SM/CEN/OOB/BV-05-C: shows a passkey if only the peer has out-of-band data
        pair encrypted
        < 01 04 00 05 10 00 00
        > 02 02 01 04 10 00 00
        ? show 535192
        < 03 C0 33 3B BC 89 5B 18 71 5E F3 6C 75 E6 3A 93 E0
        > 03 E0 5D 7E AF 9F 37 FE DC F8 3F B8 62 6C 4A 14 E3
        < 04 5E 55 32 FB EE A2 93 F8 67 EC 8E 65 A1 8D EB BE
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        \(Self.complete("B8AD0A3589726CD76267F69371D1C8F3", "authenticated legacy 16 unbonded"))

        @ central legacy size=7 identity keys=01
        ## SM/CEN/EKS/BV-01-C: takes the shortest key that it allows
        pair encrypted
        < 01 03 00 01 10 00 01
        > 02 03 00 01 07 00 01
        < 03 26 4D 7B B0 E9 65 73 5E 2E 20 D4 F1 5C 3B AF 60
        > 03 F7 38 2D 2A 6E D9 A8 95 A7 39 55 52 DF BE 89 3F
        \(Self.legacyNumbers)
        \(Self.encrypt("000000000000000000618051D28DC446", "encrypted 7"))
        > 06 B4 E6 C8 30 B5 E9 F6 00 00 00 00 00 00 00 00 00
        > 07 34 12 01 02 03 04 05 06 07 08
        ? paired encrypted legacy 7 bonded
        ? security encrypted 7 bonded

        @ central legacy size=A keys=00
        ## SM/CEN/EKS/BI-01-C: rejects a key size that is out of range or shorter than it allows
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
