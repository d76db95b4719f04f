// A central in the qualification suite: Just Works, Numeric Comparison, out of band, and who asks for it.

import Testing

@testable import BluetoothHost

extension SecurityManagerCentralTests {
    @Test("SM/CEN/SCJW/BV-01-C: Just Works")
    func scjwBV01() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(),
            """
            pair encrypted
            < 01 03 00 09 10 00 00
            > 02 03 00 09 10 00 00
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
            ? paired encrypted sc 16 bonded
            ? security encrypted 16 bonded
            """
        )
    }

    @Test("SM/CEN/SCJW/BV-01-C: Numeric Comparison")
    func scjwBV01NumericComparison() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(.displayYesNo),
            """
            pair encrypted
            < 01 01 00 0D 10 00 00
            > 02 01 00 0D 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            > 03 E4 01 3F 98 64 AC 68 A1 92 23 3F 55 DE 0F AD EF
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? compare 057084
            same
            < 0D 65 9A 60 51 7B F9 5C AB BF 72 A9 4B 39 E0 85 49
            > 0D 4E 23 4E 60 5C A2 9A 01 66 73 D1 D6 4C FB EF 3A
            ? encrypt 97B51F831BF3FD753242C7C42DF29559 0000 0000000000000000
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 bonded
            ? security secureConnections 16 bonded
            """
        )
    }

    @Test("SM/CEN/SCJW/BV-04-C: reserved bits of AuthReq mean nothing, and are confirmed all the same")
    func scjwBV04() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(),
            """
            pair encrypted
            < 01 03 00 09 10 00 00
            > 02 03 00 E9 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            > 03 E4 01 3F 98 64 AC 68 A1 92 23 3F 55 DE 0F AD EF
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 0D DE 9D 66 4D B2 6E 24 88 75 AA 3F D1 67 55 F6 7A
            > 0D 9B E6 AA A8 F8 1D BB 6B 9D F8 F2 00 69 BD 0B 76
            ? encrypt 97B51F831BF3FD753242C7C42DF29559 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted sc 16 bonded
            ? security encrypted 16 bonded
            """
        )
    }

    @Test("SM/CEN/SCJW/BI-01-C: every reason of a peer ends the pairing")
    func scjwBI01() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(.displayYesNo),
            """
            pair encrypted
            < 01 01 00 0D 10 00 00
            > 05 03
            ? peer 03
            wait 64
            pair encrypted
            < 01 01 00 0D 10 00 00
            > 05 08
            ? peer 08
            wait 64
            pair encrypted
            < 01 01 00 0D 10 00 00
            > 05 05
            ? peer 05
            wait 64
            pair encrypted
            < 01 01 00 0D 10 00 00
            > 05 09
            ? peer 09
            wait 64
            pair encrypted
            < 01 01 00 0D 10 00 00
            > 02 01 00 0D 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            > 03 E4 01 3F 98 64 AC 68 A1 92 23 3F 55 DE 0F AD EF
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? compare 057084
            > 05 0C
            ? peer 0C
            """
        )
    }

    @Test("SM/CEN/SCOB/BV-01-C: both have data")
    func scobBV01() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(),
            """
            oob
            ? oob C249820B4A3EFE698663A87762D69FA0 71BB54D8D101B5B9C34D0BFF90150280
            oob 2CBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E
            pair encrypted
            < 01 03 01 09 10 00 00
            > 02 03 01 09 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            < 04 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 0D A6 6B 61 20 E0 0D A8 A0 34 FA 5D 59 77 86 99 1B
            > 0D 42 AF 86 DB 0C 89 AA 6A C5 9B 8F B1 54 82 50 3D
            ? encrypt CF800E933915A3DF853D002DA6D06174 0000 0000000000000000
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 bonded
            ? security secureConnections 16 bonded
            """
        )
    }

    @Test("SM/CEN/SCOB/BV-01-C: this side alone has data")
    func scobBV01Own() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(),
            """
            oob 2CBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E
            pair encrypted
            < 01 03 01 09 10 00 00
            > 02 03 00 09 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 0D 79 42 2E 2A FB F5 58 D7 FB 83 CC 42 27 DB 10 0F
            > 0D 68 F1 B8 92 8A 9D 93 4F 3F 9C BB 1C 3F 62 C1 0F
            ? encrypt 97B51F831BF3FD753242C7C42DF29559 0000 0000000000000000
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 bonded
            ? security secureConnections 16 bonded
            """
        )
    }

    @Test("SM/CEN/SCOB/BV-01-C: the peer alone has data")
    func scobBV01Peer() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(),
            """
            oob
            ? oob C249820B4A3EFE698663A87762D69FA0 71BB54D8D101B5B9C34D0BFF90150280
            pair encrypted
            < 01 03 00 09 10 00 00
            > 02 03 01 09 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            < 04 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 0D 09 4F 77 02 18 06 75 D6 D2 65 19 03 2F E7 A0 91
            > 0D 42 AF 86 DB 0C 89 AA 6A C5 9B 8F B1 54 82 50 3D
            ? encrypt CF800E933915A3DF853D002DA6D06174 0000 0000000000000000
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 bonded
            ? security secureConnections 16 bonded
            """
        )
    }

    @Test("SM/CEN/SCOB/BV-04-C: both have data, and reserved bits of AuthReq mean nothing")
    func scobBV04() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(),
            """
            oob
            ? oob C249820B4A3EFE698663A87762D69FA0 71BB54D8D101B5B9C34D0BFF90150280
            oob 2CBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E
            pair encrypted
            < 01 03 01 09 10 00 00
            > 02 03 01 E9 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            < 04 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 0D A6 6B 61 20 E0 0D A8 A0 34 FA 5D 59 77 86 99 1B
            > 0D CA 0A D2 E7 C2 D3 70 99 8B 3B 04 BD F1 AE EC 87
            ? encrypt CF800E933915A3DF853D002DA6D06174 0000 0000000000000000
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 bonded
            ? security secureConnections 16 bonded
            """
        )
    }

    @Test("SM/CEN/SCOB/BI-01-C: every reason of a peer ends the pairing")
    func scobBI01() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(),
            """
            oob BE094EDE4FE0DC69BDE7828D5AD17157 8B3F4B2696083BD4F5B4CDEF9162CECF
            pair encrypted
            < 01 03 01 09 10 00 00
            > 05 03
            ? peer 03
            wait 64
            pair encrypted
            < 01 03 01 09 10 00 00
            > 05 08
            ? peer 08
            wait 64
            pair encrypted
            < 01 03 01 09 10 00 00
            > 05 05
            ? peer 05
            wait 64
            pair encrypted
            < 01 03 01 09 10 00 00
            > 05 09
            ? peer 09
            wait 64
            pair encrypted
            < 01 03 01 09 10 00 00
            > 02 03 00 09 10 00 00
            < 0C \(Self.own)
            > 05 02
            ? peer 02
            """
        )
    }

    @Test("SM/CEN/SCOB/BI-04-C: the data does not confirm the key")
    func scobBI04() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(),
            """
            oob
            ? oob C249820B4A3EFE698663A87762D69FA0 71BB54D8D101B5B9C34D0BFF90150280
            oob 2DBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E
            pair encrypted
            < 01 03 01 09 10 00 00
            > 02 03 01 09 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/CEN/SIP/BV-02-C: the peripheral asks, and this side pairs; a second request is ignored")
    func sipBV02() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(),
            """
            > 0B 09
            < 01 03 00 09 10 00 00
            > 0B 09
            > 02 03 00 09 10 00 00
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
            ? paired encrypted sc 16 bonded
            ? security encrypted 16 bonded
            """
        )
    }
}
