import Testing

@testable import BluetoothHost

extension SecurityManagerCentralTests {
    @Test("follows the scripts of Secure Connections", arguments: secureConnectionsScripts)
    func secureConnections(script: ScriptCase) { script.runPairing() }

    private static let secureConnectionsScripts = ScriptCase.all(
        """
        @ central keys=00
        ## SM/CEN/SCJW/BV-01-C: pairs by Just Works
        pair encrypted
        < 01 03 00 09 10 00 00
        > 02 03 00 09 10 00 00
        \(Self.justWorks)
        ? paired encrypted sc 16 bonded
        ? security encrypted 16 bonded

        ## SM/CEN/SCJW/BV-04-C: ignores reserved bits of AuthReq, and confirms them
        pair encrypted
        < 01 03 00 09 10 00 00
        > 02 03 00 E9 10 00 00
        \(Self.keys)
        \(Self.numbers)
        < 0D DE 9D 66 4D B2 6E 24 88 75 AA 3F D1 67 55 F6 7A
        > 0D 9B E6 AA A8 F8 1D BB 6B 9D F8 F2 00 69 BD 0B 76
        \(Self.complete("97B51F831BF3FD753242C7C42DF29559", "encrypted sc 16 bonded"))

        ## SM/CEN/SCOB/BV-01-C: uses out-of-band data that both sides have
        \(Self.ownData)
        \(Self.testersData)
        pair encrypted
        < 01 03 01 09 10 00 00
        > 02 03 01 09 10 00 00
        \(Self.keys)
        < 04 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 0D A6 6B 61 20 E0 0D A8 A0 34 FA 5D 59 77 86 99 1B
        > 0D 42 AF 86 DB 0C 89 AA 6A C5 9B 8F B1 54 82 50 3D
        \(Self.complete("CF800E933915A3DF853D002DA6D06174", "secureConnections sc 16 bonded"))

        ## SM/CEN/SCOB/BV-01-C: uses out-of-band data that only this side has
        \(Self.testersData)
        pair encrypted
        < 01 03 01 09 10 00 00
        > 02 03 00 09 10 00 00
        \(Self.keys)
        < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 0D 79 42 2E 2A FB F5 58 D7 FB 83 CC 42 27 DB 10 0F
        > 0D 68 F1 B8 92 8A 9D 93 4F 3F 9C BB 1C 3F 62 C1 0F
        \(Self.complete("97B51F831BF3FD753242C7C42DF29559", "secureConnections sc 16 bonded"))

        ## SM/CEN/SCOB/BV-01-C: uses out-of-band data that only the peer has
        \(Self.ownData)
        pair encrypted
        < 01 03 00 09 10 00 00
        > 02 03 01 09 10 00 00
        \(Self.keys)
        < 04 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 0D 09 4F 77 02 18 06 75 D6 D2 65 19 03 2F E7 A0 91
        > 0D 42 AF 86 DB 0C 89 AA 6A C5 9B 8F B1 54 82 50 3D
        \(Self.complete("CF800E933915A3DF853D002DA6D06174", "secureConnections sc 16 bonded"))

        ## SM/CEN/SCOB/BV-04-C: ignores reserved bits of AuthReq with out-of-band data
        \(Self.ownData)
        \(Self.testersData)
        pair encrypted
        < 01 03 01 09 10 00 00
        > 02 03 01 E9 10 00 00
        \(Self.keys)
        < 04 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 0D A6 6B 61 20 E0 0D A8 A0 34 FA 5D 59 77 86 99 1B
        > 0D CA 0A D2 E7 C2 D3 70 99 8B 3B 04 BD F1 AE EC 87
        \(Self.complete("CF800E933915A3DF853D002DA6D06174", "secureConnections sc 16 bonded"))

        ## SM/CEN/SCOB/BI-01-C: ends the pairing for every reason of the peer
        oob BE094EDE4FE0DC69BDE7828D5AD17157 8B3F4B2696083BD4F5B4CDEF9162CECF
        \(Self.refusals(["03", "08", "05", "09"], "pair encrypted \n < 01 03 01 09 10 00 00"))
        pair encrypted
        < 01 03 01 09 10 00 00
        > 02 03 00 09 10 00 00
        < 0C \(SecurityManagerScript.ownKey)
        > 05 02
        ? peer 02

        ## SM/CEN/SCOB/BI-04-C: rejects a key that the data does not confirm
        \(Self.ownData)
        oob 2DBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E
        pair encrypted
        < 01 03 01 09 10 00 00
        > 02 03 01 09 10 00 00
        \(Self.keys)
        < 05 04
        ? failed 04

        ## SM/CEN/SIP/BV-02-C: pairs if the peripheral asks, and ignores a second request
        > 0B 09
        < 01 03 00 09 10 00 00
        > 0B 09
        > 02 03 00 09 10 00 00
        \(Self.justWorks)
        ? paired encrypted sc 16 bonded
        ? security encrypted 16 bonded

        @ central displayYesNo protected keys=00
        ## SM/CEN/SCJW/BV-01-C: pairs by Numeric Comparison
        pair encrypted
        < 01 01 00 0D 10 00 00
        > 02 01 00 0D 10 00 00
        \(Self.keys)
        \(Self.numbers)
        ? compare 057084
        same
        < 0D 65 9A 60 51 7B F9 5C AB BF 72 A9 4B 39 E0 85 49
        > 0D 4E 23 4E 60 5C A2 9A 01 66 73 D1 D6 4C FB EF 3A
        \(Self.complete("97B51F831BF3FD753242C7C42DF29559", "secureConnections sc 16 bonded"))

        ## SM/CEN/SCJW/BI-01-C: ends the pairing for every reason of the peer
        \(Self.refusals(["03", "08", "05", "09"], "pair encrypted \n < 01 01 00 0D 10 00 00"))
        pair encrypted
        < 01 01 00 0D 10 00 00
        > 02 01 00 0D 10 00 00
        \(Self.keys)
        \(Self.numbers)
        ? compare 057084
        > 05 0C
        ? peer 0C

        @ central displayOnly protected keypresses keys=00
        ## SM/CEN/SCPK/BV-01-C: shows the passkey, and reports the keys that the peer presses
        pair encrypted
        < 01 00 00 1D 10 00 00
        > 02 02 00 1C 10 00 00
        \(Self.keys)
        ? show 816432
        < 03 D1 13 16 AB 5B FA FD 86 63 12 AD 42 62 5F F8 77
        keypress 0                                    # only the side that enters the passkey sends them
        > 0E 00
        ? keypress 0
        > 0E 01
        ? keypress 1
        > 0E 01
        ? keypress 1
        > 0E 04
        ? keypress 4
        rounds 816432 20
        < 0D 10 DD BF E6 F9 55 C0 CC D7 A1 81 3F 38 BF BE 35
        > 0D 66 1A 0A 7D AF 47 C7 4F 05 EF C9 F1 A9 3A C3 48
        \(Self.complete("701796D3A7D1233D566FDEA59D3D8985", "secureConnections sc 16 unbonded"))

        @ central keyboardDisplay protected keys=00
        ## SM/CEN/SCPK/BV-04-C: ignores reserved bits of AuthReq, and confirms them
        pair encrypted
        < 01 04 00 0D 10 00 00
        > 02 02 00 ED 10 00 00
        \(Self.keys)
        ? show 816432
        < 03 D1 13 16 AB 5B FA FD 86 63 12 AD 42 62 5F F8 77
        rounds 816432 20
        < 0D 20 F0 A4 9D D0 D2 BD 4E 84 97 F1 CD 56 E3 6D E8
        > 0D 7C 98 72 28 DF 1F D0 9A C7 5E DE 4E E4 14 35 80
        \(Self.complete("701796D3A7D1233D566FDEA59D3D8985", "secureConnections sc 16 bonded"))

        @ central displayOnly protected keys=00
        ## SM/CEN/SCPK/BI-01-C: ends the pairing for every reason of the peer
        \(Self.refusals(["03", "08", "05", "09"], "pair encrypted \n < 01 00 00 0D 10 00 00"))
        pair encrypted
        < 01 00 00 0D 10 00 00
        > 02 02 00 0D 10 00 00
        < 0C \(SecurityManagerScript.ownKey)
        > 05 01
        ? peer 01

        ## SM/CEN/SCPK/BI-02-C: rejects a confirm value of the fourth round that does not fit
        pair encrypted
        < 01 00 00 0D 10 00 00
        > 02 02 00 0C 10 00 00
        \(Self.keys)
        ? show 816432
        < 03 D1 13 16 AB 5B FA FD 86 63 12 AD 42 62 5F F8 77
        rounds 816432 3
        < 03 34 60 1F 15 D8 69 69 B2 EF 1B 3C C9 D2 72 41 C9
        > 03 63 C6 CB 09 76 C4 0E 44 CF B6 A6 4C 8F 8F 5B 2C
        < 04 C0 5D AA 4B 8A CF 76 74 FE 8B CF 14 4D D4 FC 9A
        > 04 26 1F 70 1F E7 46 E2 EB BA 4E 7C F7 74 7B 16 90
        < 05 04
        ? failed 04
        """
    )
}
