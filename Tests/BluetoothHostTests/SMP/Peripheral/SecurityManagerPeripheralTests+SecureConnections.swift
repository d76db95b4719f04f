import Testing

@testable import BluetoothHost

extension SecurityManagerPeripheralTests {
    @Test("follows the scripts of Secure Connections", arguments: secureConnectionsScripts)
    func secureConnections(script: ScriptCase) { script.runPairing() }

    private static let secureConnectionsScripts = ScriptCase.all(
        """
        @ peripheral keys=00
        ## SM/PER/SCJW/BV-02-C: pairs by Just Works
        > 01 03 00 09 10 00 00
        < 02 03 00 09 10 00 00
        \(Self.justWorks)
        ? paired encrypted sc 16 bonded
        ? security encrypted 16 bonded

        ## SM/PER/SCJW/BV-03-C: ignores reserved bits of AuthReq, and confirms them
        > 01 03 00 E9 10 00 00
        < 02 03 00 09 10 00 00
        \(Self.keys)
        \(Self.numbers)
        > 0D 98 F7 6F 6D 63 28 7D 13 F5 91 1C 15 CF 04 5F 12
        < 0D 62 0A 10 8E 25 3A 00 7F 4C 92 17 23 2C 8F B1 CF
        \(Self.complete("7526F14030BAA08D900C2A3D7B1EE7D7", "encrypted sc 16 bonded"))

        ## SM/PER/SCJW/BI-02-C: ends the pairing if the confirm value does not fit for the peer
        > 01 03 00 09 10 00 00
        < 02 03 00 09 10 00 00
        \(Self.keys)
        < 03 39 C0 14 A1 4D 0C AD 91 3F 97 45 71 90 80 F4 8D
        > 05 04
        ? peer 04

        ## SM/PER/SCOB/BV-02-C: uses out-of-band data that both sides have
        \(Self.ownData)
        \(Self.testersData)
        > 01 03 01 09 10 00 00
        < 02 03 01 09 10 00 00
        \(Self.keys)
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 04 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
        > 0D 92 3B 72 A8 E3 E6 B0 2F D8 EA F9 50 76 0C 75 91
        < 0D 7F B6 78 98 2D F0 0A 49 5D 73 15 8F 47 88 B0 D6
        \(Self.complete("412E6BA789AC69B6461D3C70DC6EAAFD", "secureConnections sc 16 bonded"))

        ## SM/PER/SCOB/BV-02-C: uses out-of-band data that only this side has
        \(Self.testersData)
        > 01 03 00 09 10 00 00
        < 02 03 01 09 10 00 00
        \(Self.keys)
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
        > 0D A3 8D 45 CF 03 F4 90 6F 8C 85 6D 68 A4 B9 8D 88
        < 0D 11 1B A6 03 42 D2 5F DA B3 31 E4 40 BE 82 06 84
        \(Self.complete("7526F14030BAA08D900C2A3D7B1EE7D7", "secureConnections sc 16 bonded"))

        ## SM/PER/SCOB/BV-02-C: uses out-of-band data that only the peer has
        \(Self.ownData)
        > 01 03 01 09 10 00 00
        < 02 03 00 09 10 00 00
        \(Self.keys)
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 04 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
        > 0D 92 3B 72 A8 E3 E6 B0 2F D8 EA F9 50 76 0C 75 91
        < 0D A6 E9 17 B0 06 69 56 E9 B1 24 45 C5 C6 4A 69 37
        \(Self.complete("412E6BA789AC69B6461D3C70DC6EAAFD", "secureConnections sc 16 bonded"))

        ## SM/PER/SCOB/BV-03-C: ignores reserved bits of AuthReq with out-of-band data
        \(Self.ownData)
        \(Self.testersData)
        > 01 03 01 E9 10 00 00
        < 02 03 01 09 10 00 00
        \(Self.keys)
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 04 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
        > 0D 66 C0 61 84 4E 7E F8 E0 7E BD 51 87 FB 7F 42 B9
        < 0D 7F B6 78 98 2D F0 0A 49 5D 73 15 8F 47 88 B0 D6
        \(Self.complete("412E6BA789AC69B6461D3C70DC6EAAFD", "secureConnections sc 16 bonded"))

        ## SM/PER/SCOB/BI-02-C: ends the pairing for every reason of the peer
        oob BE094EDE4FE0DC69BDE7828D5AD17157 8B3F4B2696083BD4F5B4CDEF9162CECF
        \(Self.refusals(["03", "08", "05", "09", "02"], "> 01 03 00 09 10 00 00 \n < 02 03 01 09 10 00 00"))

        ## SM/PER/SCOB/BI-03-C: rejects a key that the data does not confirm
        \(Self.ownData)
        oob 2DBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E
        > 01 03 01 09 10 00 00
        < 02 03 01 09 10 00 00
        \(Self.keys)
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 05 04
        ? failed 04

        ## SM/PER/SIP/BV-01-C: asks, and the central pairs
        secure encrypted
        < 0B 09
        > 01 03 00 09 10 00 00
        < 02 03 00 09 10 00 00
        \(Self.justWorks)
        ? paired encrypted sc 16 bonded
        ? security encrypted 16 bonded

        @ peripheral displayYesNo protected keys=00
        ## SM/PER/SCJW/BV-02-C: pairs by Numeric Comparison
        > 01 01 00 0D 10 00 00
        < 02 01 00 0D 10 00 00
        \(Self.keys)
        \(Self.numbers)
        ? compare 735584
        same
        > 0D E7 1D A6 BD 2E CE 12 1E 3B 97 7D F1 3B 93 BB BC
        < 0D 99 31 8D 8D E5 3D F6 76 59 8C 62 8F C7 D2 9A 62
        \(Self.complete("7526F14030BAA08D900C2A3D7B1EE7D7", "secureConnections sc 16 bonded"))

        @ peripheral keys=00 bond=encrypted
        ## SM/PER/SIE/BV-01-C: asks, and the central encrypts with the key of the bond
        secure encrypted
        < 0B 09
        key 0000 0000000000000000
        ? key 00112233445566778899AABBCCDDEEFF
        encrypted
        ? security encrypted 16 bonded
        wait 60

        @ peripheral keyboardOnly protected keypresses keys=00
        ## SM/PER/SCPK/BV-02-C: asks its user for the passkey, and tells the peer which keys are pressed
        > 01 04 00 1D 10 00 00
        < 02 02 00 1D 10 00 00
        \(Self.keys)
        ? enter
        keypress 0
        < 0E 00
        keypress 1
        < 0E 01
        keypress 4
        < 0E 04
        passkey 123456
        rounds 123456 20
        > 0D 17 CD 1A FC 7C 7D 40 CF 03 82 9E E6 7F 0D FF 84
        < 0D 28 84 CB 51 BC CB 72 DE 0F 59 2B CD 50 71 8D 48
        \(Self.complete("FD952B8A25207A487D84D7EAFAD2C3C6", "secureConnections sc 16 bonded"))

        @ peripheral displayOnly protected keys=00
        ## SM/PER/SCPK/BV-03-C: ignores reserved bits of AuthReq, and confirms them
        > 01 02 00 ED 10 00 00
        < 02 00 00 0D 10 00 00
        \(Self.keys)
        ? show 816432
        rounds 816432 20
        > 0D 65 9A 95 99 71 67 23 0D 89 E7 18 BC A8 6C F7 D3
        < 0D E7 DE 4E B0 AC 9D EF 8A D0 9B 9E D4 96 AB 9B E4
        \(Self.complete("2DD551E685D2E8FD2598A7F67EC2F974", "secureConnections sc 16 bonded"))

        ## SM/PER/SCPK/BI-03-C: rejects a confirm value of the first round that does not fit
        > 01 02 00 0D 10 00 00
        < 02 00 00 0D 10 00 00
        \(Self.keys)
        ? show 816432
        > 03 EC 55 76 54 74 73 B4 F2 37 71 0F F7 57 67 9C 08
        < 03 D1 13 16 AB 5B FA FD 86 63 12 AD 42 62 5F F8 77
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 05 04
        ? failed 04

        ## SM/PER/SCPK/BI-04-C: ends the pairing for every reason of the peer
        \(Self.refusals(["03", "08", "05", "09", "01"], "> 01 02 00 0D 10 00 00 \n < 02 00 00 0D 10 00 00"))
        """
    )
}
