// The cases of the qualification suite for a peripheral, as scripts. The octets were computed by an independent
// implementation of the protocol and its cryptography.

import Testing

@testable import BluetoothHost

@Suite("SM/PER")
struct SecurityManagerPeripheralTests: PairingScripts {
    static let identity = PairingCase.peripheralIdentity

    @Test("follows the scripts of legacy pairing", arguments: legacyScripts)
    func legacy(script: ScriptCase) { script.runPairing() }

    // MARK: Parts of scripts

    static let keys = "> 0C \(SecurityManagerScript.testerKey) \n < 0C \(SecurityManagerScript.ownKey)"
    /// The nonces of legacy pairing.
    static let legacyNumbers = """
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
        """
    /// This side's confirm value and the nonces of Secure Connections.
    static let numbers = """
        < 03 39 C0 14 A1 4D 0C AD 91 3F 97 45 71 90 80 F4 8D
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
        """
    /// Everything of Just Works with Secure Connections behind the features, up to an encrypted link.
    static let justWorks = """
        \(keys)
        \(numbers)
        > 0D A3 8D 45 CF 03 F4 90 6F 8C 85 6D 68 A4 B9 8D 88
        < 0D 62 0A 10 8E 25 3A 00 7F 4C 92 17 23 2C 8F B1 CF
        \(encrypt("7526F14030BAA08D900C2A3D7B1EE7D7"))
        """

    /// The link is encrypted with the key of the pairing.
    static func encrypt(_ key: String, _ security: String = "encrypted 16") -> String {
        "key 0000 0000000000000000 \n ? key \(key) \n encrypted \n ? security \(security) unbonded"
    }

    // MARK: Scripts

    private static let legacyScripts = ScriptCase.all(
        """
        @ peripheral legacy keys=00
        ## SM/PER/JW/BV-02-C: pairs by Just Works
        > 01 03 00 01 10 00 00
        < 02 03 00 01 10 00 00
        > 03 9B 10 BA 86 37 71 19 34 C4 BC 92 52 73 74 8F 85
        < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
        \(Self.legacyNumbers)
        \(Self.complete("41F648DBEA4C0E8A4BF82E1BE99FF863", "encrypted legacy 16 unbonded"))

        ## SM/PER/JW/BI-03-C: ignores reserved bits of AuthReq, and confirms them
        > 01 03 00 E1 10 00 00
        < 02 03 00 01 10 00 00
        > 03 39 5B 55 FD 91 92 1F 68 70 C4 00 E7 B9 C5 F4 02
        < 03 51 E3 99 A8 68 C0 B6 FE 93 21 0E A3 57 4D 91 8B
        \(Self.legacyNumbers)
        \(Self.complete("41F648DBEA4C0E8A4BF82E1BE99FF863", "encrypted legacy 16 unbonded"))

        ## SM/PER/JW/BI-02-C: rejects a confirm value that does not fit
        > 01 03 00 01 10 00 00
        < 02 03 00 01 10 00 00
        > 03 9B 10 BA 86 37 71 19 34 C4 BC 92 52 73 74 8F 84
        < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 05 04
        ? failed 04

        ## SM/PER/PROT/BV-02-C: sends nothing after 30 s without a command
        > 01 03 00 01 10 00 00
        < 02 03 00 01 10 00 00
        wait 29
        wait 1
        ? timedOut
        > 03 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        > 01 03 00 01 10 00 00
        secure encrypted
        ? timedOut

        ## SM/PER/OOB/BV-02-C: uses out-of-band data that both sides have
        tk E1609DF73F647D7BA2523110AE904951
        > 01 03 01 01 10 00 00
        < 02 03 01 01 10 00 00
        > 03 FB 70 85 62 FB B0 3E BD 96 0F B6 9D 2D F7 FD BF
        < 03 57 CE 4F 93 B1 07 E1 3C B8 86 8E 42 EC B1 32 AF
        \(Self.legacyNumbers)
        \(Self.complete("704A397E6893970142319FCF1BBCA837", "authenticated legacy 16 unbonded"))

        ## SM/PER/OOB/BV-08-C: pairs by Just Works if only the peer has data and wants no protection
        > 01 03 01 00 10 00 00
        < 02 03 00 01 10 00 00
        > 03 92 52 C6 2C FC A4 F0 7A 86 A8 F4 8E 7F 4E CE B7
        < 03 37 6A D8 7C 3F 56 FA AC 3F A8 A7 52 02 7C 25 94
        \(Self.legacyNumbers)
        \(Self.complete("41F648DBEA4C0E8A4BF82E1BE99FF863", "encrypted legacy 16 unbonded"))

        ## SM/PER/OOB/BV-10-C: pairs by Just Works if only this side has data and the peer wants no protection
        tk E1609DF73F647D7BA2523110AE904951
        > 01 03 00 00 10 00 00
        < 02 03 01 01 10 00 00
        > 03 9E AA 76 22 60 7A 66 71 54 1D D7 AC 14 43 C7 41
        < 03 68 F5 AB A4 86 98 69 67 08 9B FF F3 E0 82 47 92
        \(Self.legacyNumbers)
        \(Self.complete("41F648DBEA4C0E8A4BF82E1BE99FF863", "encrypted legacy 16 unbonded"))

        ## SM/PER/OOB/BI-02-C: rejects a peer that has other data
        tk E1609DF73F647D7BA2523110AE904951
        > 01 03 01 05 10 00 00
        < 02 03 01 01 10 00 00
        > 03 A0 03 AE 98 BE E7 D9 C3 CF 12 5D 76 F7 9E BF 4A
        < 03 2C 77 4B 1C 2E 1D 39 21 DD 41 27 0A B4 04 9B BE
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 05 04
        ? failed 04

        @ peripheral legacy keyboardOnly protected keys=00
        ## SM/PER/PKE/BV-02-C: asks its user for the passkey
        > 01 04 00 05 10 00 00
        < 02 02 00 05 10 00 00
        ? enter
        passkey 123456
        > 03 28 E8 F6 04 EF 81 53 F5 1D 08 CE 61 A0 8F DE 8D
        < 03 97 BB 0F 62 C5 7F EA 24 81 46 50 50 B6 B3 EB 9F
        \(Self.legacyNumbers)
        \(Self.complete("3C0A83ABF1313383667CB7481A67CDF7", "authenticated legacy 16 unbonded"))

        ## SM/PER/OOB/BV-04-C: asks for a passkey if only this side has out-of-band data
        tk E1609DF73F647D7BA2523110AE904951
        > 01 04 00 04 10 00 00
        < 02 02 01 05 10 00 00
        ? enter
        passkey 000007
        > 03 82 AA 7B B3 43 A9 66 BB D0 C9 5D B7 8A 1B 2A DD
        < 03 5E 3A 69 6D 53 90 4A 25 35 B9 2E BF BB 24 CC 87
        \(Self.legacyNumbers)
        \(Self.complete("3D17317DD2352E42AD64C9C649F8744A", "authenticated legacy 16 unbonded"))

        ## SM/PER/OOB/BV-06-C: asks for a passkey if only the peer has out-of-band data
        > 01 04 01 05 10 00 00
        < 02 02 00 05 10 00 00
        ? enter
        passkey 999999
        > 03 9C DC 5E 82 27 B6 67 5D B5 3A 5F 3E 7D 8E A0 3C
        < 03 B8 82 9C F1 82 BB 40 61 F5 BB 19 9A 8F 43 DF BC
        \(Self.legacyNumbers)
        \(Self.complete("EC3423AECFB3312C83B698394E9B4880", "authenticated legacy 16 unbonded"))

        @ peripheral legacy keyboardDisplay protected keys=00
        ## SM/PER/PKE/BV-05-C: makes an unauthenticated key with a peer without capabilities
        > 01 03 00 00 10 00 00
        < 02 04 00 05 10 00 00
        > 03 72 6A C1 28 D5 36 0C 7E 0E B4 A7 8B 6A 03 C8 1A
        < 03 1E A2 2F 77 0F EF 73 F5 46 7E 66 B4 64 56 E0 07
        \(Self.legacyNumbers)
        \(Self.complete("41F648DBEA4C0E8A4BF82E1BE99FF863", "encrypted legacy 16 unbonded"))

        @ peripheral legacy displayOnly protected keys=00
        ## SM/PER/PKE/BI-03-C: rejects another passkey
        > 01 02 00 04 10 00 00
        < 02 00 00 05 10 00 00
        ? show 535192
        > 03 5B 66 8C B0 CC BA AD 1E 65 2F F9 1F 11 C6 30 89
        < 03 51 61 58 89 2C E3 93 01 B0 28 E7 2F D6 9E F1 40
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 05 04
        ? failed 04

        @ peripheral legacy size=7 identity keys=01
        ## SM/PER/EKS/BV-02-C: takes the shortest key that it allows
        > 01 03 00 01 07 00 01
        < 02 03 00 01 10 00 01
        > 03 23 95 00 33 84 DD 56 81 E6 26 B2 DC A2 2D 2B 75
        < 03 39 4C 9F 5B 3C 81 A5 E0 62 F8 57 7B E1 D2 B4 E8
        \(Self.legacyNumbers)
        \(Self.encrypt("000000000000000000F82E1BE99FF863", "encrypted 7"))
        < 06 0B C9 42 EE 90 86 C1 00 00 00 00 00 00 00 00 00
        < 07 B9 B5 80 02 15 90 FF 0B 4D C3
        ? paired encrypted legacy 7 bonded
        ? security encrypted 7 bonded

        @ peripheral legacy size=A keys=00
        ## SM/PER/EKS/BI-02-C: rejects a key size that is out of range or shorter than it allows
        > 01 03 00 01 06 00 00
        < 05 0A
        > 01 03 00 01 09 00 00
        < 05 06
        ? failed 06
        """
    )
}
