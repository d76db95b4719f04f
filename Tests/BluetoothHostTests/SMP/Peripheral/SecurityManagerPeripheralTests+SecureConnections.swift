// A peripheral in the qualification suite: Just Works, Numeric Comparison, out of band, and who asks for it.

import Testing

@testable import BluetoothHost

extension SecurityManagerPeripheralTests {
    @Test("SM/PER/SCJW/BV-02-C: Just Works")
    func scjwBV02() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(),
            """
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
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
            ? paired encrypted sc 16 bonded
            ? security encrypted 16 bonded
            """
        )
    }

    @Test("SM/PER/SCJW/BV-02-C: Numeric Comparison")
    func scjwBV02NumericComparison() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(.displayYesNo),
            """
            > 01 01 00 0D 10 00 00
            < 02 01 00 0D 10 00 00
            > 0C \(Self.tester)
            < 0C \(Self.own)
            < 03 39 C0 14 A1 4D 0C AD 91 3F 97 45 71 90 80 F4 8D
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            ? compare 735584
            same
            > 0D E7 1D A6 BD 2E CE 12 1E 3B 97 7D F1 3B 93 BB BC
            < 0D 99 31 8D 8D E5 3D F6 76 59 8C 62 8F C7 D2 9A 62
            key 0000 0000000000000000
            ? key 7526F14030BAA08D900C2A3D7B1EE7D7
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 bonded
            ? security secureConnections 16 bonded
            """
        )
    }

    @Test("SM/PER/SCJW/BV-03-C: reserved bits of AuthReq mean nothing, and are confirmed all the same")
    func scjwBV03() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(),
            """
            > 01 03 00 E9 10 00 00
            < 02 03 00 09 10 00 00
            > 0C \(Self.tester)
            < 0C \(Self.own)
            < 03 39 C0 14 A1 4D 0C AD 91 3F 97 45 71 90 80 F4 8D
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 0D 98 F7 6F 6D 63 28 7D 13 F5 91 1C 15 CF 04 5F 12
            < 0D 62 0A 10 8E 25 3A 00 7F 4C 92 17 23 2C 8F B1 CF
            key 0000 0000000000000000
            ? key 7526F14030BAA08D900C2A3D7B1EE7D7
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted sc 16 bonded
            ? security encrypted 16 bonded
            """
        )
    }

    @Test("SM/PER/SCJW/BI-02-C: the peer says that the confirm value does not fit")
    func scjwBI02() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(),
            """
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
            > 0C \(Self.tester)
            < 0C \(Self.own)
            < 03 39 C0 14 A1 4D 0C AD 91 3F 97 45 71 90 80 F4 8D
            > 05 04
            ? peer 04
            """
        )
    }

    @Test("SM/PER/SCOB/BV-02-C: both have data")
    func scobBV02() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(),
            """
            oob
            ? oob C249820B4A3EFE698663A87762D69FA0 71BB54D8D101B5B9C34D0BFF90150280
            oob 2CBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E
            > 01 03 01 09 10 00 00
            < 02 03 01 09 10 00 00
            > 0C \(Self.tester)
            < 0C \(Self.own)
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
            > 0D 92 3B 72 A8 E3 E6 B0 2F D8 EA F9 50 76 0C 75 91
            < 0D 7F B6 78 98 2D F0 0A 49 5D 73 15 8F 47 88 B0 D6
            key 0000 0000000000000000
            ? key 412E6BA789AC69B6461D3C70DC6EAAFD
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 bonded
            ? security secureConnections 16 bonded
            """
        )
    }

    @Test("SM/PER/SCOB/BV-02-C: this side alone has data")
    func scobBV02Own() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(),
            """
            oob 2CBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E
            > 01 03 00 09 10 00 00
            < 02 03 01 09 10 00 00
            > 0C \(Self.tester)
            < 0C \(Self.own)
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 0D A3 8D 45 CF 03 F4 90 6F 8C 85 6D 68 A4 B9 8D 88
            < 0D 11 1B A6 03 42 D2 5F DA B3 31 E4 40 BE 82 06 84
            key 0000 0000000000000000
            ? key 7526F14030BAA08D900C2A3D7B1EE7D7
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 bonded
            ? security secureConnections 16 bonded
            """
        )
    }

    @Test("SM/PER/SCOB/BV-02-C: the peer alone has data")
    func scobBV02Peer() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(),
            """
            oob
            ? oob C249820B4A3EFE698663A87762D69FA0 71BB54D8D101B5B9C34D0BFF90150280
            > 01 03 01 09 10 00 00
            < 02 03 00 09 10 00 00
            > 0C \(Self.tester)
            < 0C \(Self.own)
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
            > 0D 92 3B 72 A8 E3 E6 B0 2F D8 EA F9 50 76 0C 75 91
            < 0D A6 E9 17 B0 06 69 56 E9 B1 24 45 C5 C6 4A 69 37
            key 0000 0000000000000000
            ? key 412E6BA789AC69B6461D3C70DC6EAAFD
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 bonded
            ? security secureConnections 16 bonded
            """
        )
    }

    @Test("SM/PER/SCOB/BV-03-C: both have data, and reserved bits of AuthReq mean nothing")
    func scobBV03() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(),
            """
            oob
            ? oob C249820B4A3EFE698663A87762D69FA0 71BB54D8D101B5B9C34D0BFF90150280
            oob 2CBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E
            > 01 03 01 E9 10 00 00
            < 02 03 01 09 10 00 00
            > 0C \(Self.tester)
            < 0C \(Self.own)
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 75 85 27 12 0F BB E7 85 A5 3C 36 D7 6C EC 99 E0
            > 0D 66 C0 61 84 4E 7E F8 E0 7E BD 51 87 FB 7F 42 B9
            < 0D 7F B6 78 98 2D F0 0A 49 5D 73 15 8F 47 88 B0 D6
            key 0000 0000000000000000
            ? key 412E6BA789AC69B6461D3C70DC6EAAFD
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 bonded
            ? security secureConnections 16 bonded
            """
        )
    }

    @Test("SM/PER/SCOB/BI-02-C: every reason of a peer ends the pairing")
    func scobBI02() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(),
            """
            oob BE094EDE4FE0DC69BDE7828D5AD17157 8B3F4B2696083BD4F5B4CDEF9162CECF
            > 01 03 00 09 10 00 00
            < 02 03 01 09 10 00 00
            > 05 03
            ? peer 03
            wait 64
            > 01 03 00 09 10 00 00
            < 02 03 01 09 10 00 00
            > 05 08
            ? peer 08
            wait 64
            > 01 03 00 09 10 00 00
            < 02 03 01 09 10 00 00
            > 05 05
            ? peer 05
            wait 64
            > 01 03 00 09 10 00 00
            < 02 03 01 09 10 00 00
            > 05 09
            ? peer 09
            wait 64
            > 01 03 00 09 10 00 00
            < 02 03 01 09 10 00 00
            > 05 02
            ? peer 02
            wait 64
            """
        )
    }

    @Test("SM/PER/SCOB/BI-03-C: the data does not confirm the key")
    func scobBI03() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(),
            """
            oob
            ? oob C249820B4A3EFE698663A87762D69FA0 71BB54D8D101B5B9C34D0BFF90150280
            oob 2DBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E
            > 01 03 01 09 10 00 00
            < 02 03 01 09 10 00 00
            > 0C \(Self.tester)
            < 0C \(Self.own)
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/PER/SIP/BV-01-C: this side asks, and the central pairs")
    func sipBV01() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(),
            """
            secure encrypted
            < 0B 09
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
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
            ? paired encrypted sc 16 bonded
            ? security encrypted 16 bonded
            """
        )
    }

    @Test("SM/PER/SIE/BV-01-C: this side asks, and the central encrypts with the key of the bond")
    func sieBV01() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(),
            bond: Self.bond,
            """
            secure encrypted
            < 0B 09
            key 0000 0000000000000000
            ? key 00112233445566778899AABBCCDDEEFF
            encrypted
            ? security encrypted 16 bonded
            wait 60
            """
        )
    }
}
