// What the qualification suite asks of a central: its cases as scripts, in their order. The octets were computed by
// another implementation of the protocol and of its cryptography than the one that is tested.

import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("SM/CEN")
struct SecurityManagerCentralTests {
    private static let own = SecurityManagerScript.ownKey
    private static let tester = SecurityManagerScript.testerKey
    private static let identity = PairingCase.centralIdentity

    @Test("SM/CEN/JW/BV-01-C: the peer has any capability and wants no protection")
    func jwBV01() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 04 00 00 10 00 00
            < 03 38 DC 87 DF DC 6A D5 72 74 5F B9 0D 60 C3 A2 F1
            > 03 6F B4 1A A0 7D 84 DB 29 0D C0 C0 54 B2 BB D9 44
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/JW/BI-04-C: reserved bits of AuthReq mean nothing, and are confirmed all the same")
    func jwBI04() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 03 00 E1 10 00 00
            < 03 D1 C0 A0 AD FC FE B4 8E 0A D2 AD 78 70 D8 98 5A
            > 03 5D 80 40 D0 AE 5C FA 63 D6 4D B3 1D 01 00 4C 47
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/JW/BI-01-C: a confirm value that does not fit")
    func jwBI01() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 03 00 01 10 00 00
            < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
            > 03 9B 10 BA 86 37 71 19 34 C4 BC 92 52 73 74 8F 84
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/CEN/JW/BI-06-C: the peer gives this side its own confirm value")
    func jwBI06() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 03 00 00 10 00 00
            < 03 1C A2 35 2E 5D 8B 69 C3 61 2D A2 FB B1 80 EA 44
            > 03 1C A2 35 2E 5D 8B 69 C3 61 2D A2 FB B1 80 EA 44
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/CEN/JW/BV-05-C: every reason of a peer ends the pairing")
    func jwBV05() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 05 08
            ? peer 08
            wait 64
            pair encrypted
            < 01 03 00 01 10 00 00
            > 05 05
            ? peer 05
            wait 64
            pair encrypted
            < 01 03 00 01 10 00 00
            > 05 09
            ? peer 09
            wait 64
            pair encrypted
            < 01 03 00 01 10 00 00
            > 05 10
            ? peer 10
            wait 64
            pair encrypted
            < 01 03 00 01 10 00 00
            > 05 03
            ? peer 03
            wait 64
            """
        )
    }

    @Test("SM/CEN/PROT/BV-01-C: after 30 s nothing is sent on this link")
    func protBV01() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
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
            """
        )
    }

    @Test("SM/CEN/PKE/BV-01-C: this side shows the passkey")
    func pkeBV01() {
        let configuration = PairingConfiguration(
            ioCapability: .keyboardDisplay,
            prefersMITMProtection: true,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 04 00 05 10 00 00
            > 02 02 00 04 10 00 00
            ? show 535192
            < 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
            > 03 0E D5 E1 35 E6 94 98 B5 00 54 97 8A E5 A1 E5 87
            < 04 5E 55 32 FB EE A2 93 F8 67 EC 8E 65 A1 8D EB BE
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt B8AD0A3589726CD76267F69371D1C8F3 0000 0000000000000000
            encrypted
            ? security authenticated 16 unbonded
            ? paired authenticated legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/PKE/BV-04-C: the peer has no capability: an unauthenticated key")
    func pkeBV04() {
        let configuration = PairingConfiguration(
            ioCapability: .keyboardDisplay,
            prefersMITMProtection: true,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 04 00 05 10 00 00
            > 02 03 00 01 10 00 00
            < 03 11 90 52 3D 01 FD 36 A2 F5 07 75 D4 9B 09 68 32
            > 03 80 E2 C3 0A E7 DB A4 A6 E6 A1 80 95 D2 4B 17 83
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/PKE/BI-01-C: another passkey was entered")
    func pkeBI01() {
        let configuration = PairingConfiguration(
            ioCapability: .keyboardDisplay,
            prefersMITMProtection: true,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
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
            """
        )
    }

    @Test("SM/CEN/PKE/BI-02-C: the peer's user gives up")
    func pkeBI02() {
        let configuration = PairingConfiguration(
            ioCapability: .keyboardDisplay,
            prefersMITMProtection: true,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 04 00 05 10 00 00
            > 02 02 00 04 10 00 00
            ? show 535192
            < 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
            > 05 01
            ? peer 01
            """
        )
    }

    @Test("SM/CEN/PKE/BI-03-C: the peer gives this side its own confirm value")
    func pkeBI03() {
        let configuration = PairingConfiguration(
            ioCapability: .keyboardDisplay,
            prefersMITMProtection: true,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 04 00 05 10 00 00
            > 02 02 00 04 10 00 00
            ? show 535192
            < 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
            > 03 A6 DE D8 61 13 60 8B CD 1F E2 37 12 FB 21 BD CA
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/CEN/OOB/BV-01-C: both have out-of-band data")
    func oobBV01() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            tk E1609DF73F647D7BA2523110AE904951
            pair encrypted
            < 01 03 01 01 10 00 00
            > 02 03 01 00 10 00 00
            < 03 A1 91 96 5B 4D 8A D6 02 4F 7A AA 15 CF C4 A1 80
            > 03 04 B7 85 96 D3 3F 1A 2D 7C 74 5A 9A B4 F0 35 25
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt B3D9B76C8330FC229B7E3070CC82A5E6 0000 0000000000000000
            encrypted
            ? security authenticated 16 unbonded
            ? paired authenticated legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/OOB/BV-03-C: only this side has out-of-band data: a passkey")
    func oobBV03() {
        let configuration = PairingConfiguration(
            ioCapability: .keyboardDisplay,
            prefersMITMProtection: true,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            tk E1609DF73F647D7BA2523110AE904951
            pair encrypted
            < 01 04 01 05 10 00 00
            > 02 02 00 04 10 00 00
            ? show 535192
            < 03 35 F3 7A 11 32 EB 5B CB 84 93 73 E4 EB 83 5D 04
            > 03 E4 05 18 A7 51 17 CF 86 49 41 06 75 58 C3 8B AA
            < 04 5E 55 32 FB EE A2 93 F8 67 EC 8E 65 A1 8D EB BE
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt B8AD0A3589726CD76267F69371D1C8F3 0000 0000000000000000
            encrypted
            ? security authenticated 16 unbonded
            ? paired authenticated legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/OOB/BV-05-C: only the peer has out-of-band data: a passkey")
    func oobBV05() {
        let configuration = PairingConfiguration(
            ioCapability: .keyboardDisplay,
            prefersMITMProtection: true,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 04 00 05 10 00 00
            > 02 02 01 04 10 00 00
            ? show 535192
            < 03 C0 33 3B BC 89 5B 18 71 5E F3 6C 75 E6 3A 93 E0
            > 03 E0 5D 7E AF 9F 37 FE DC F8 3F B8 62 6C 4A 14 E3
            < 04 5E 55 32 FB EE A2 93 F8 67 EC 8E 65 A1 8D EB BE
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt B8AD0A3589726CD76267F69371D1C8F3 0000 0000000000000000
            encrypted
            ? security authenticated 16 unbonded
            ? paired authenticated legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/OOB/BV-07-C: only the peer has out-of-band data, and wants no protection")
    func oobBV07() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 03 00 01 10 00 00
            > 02 03 01 00 10 00 00
            < 03 01 BB 4E E0 09 7E B3 E9 95 31 BA 97 A5 1E 49 C4
            > 03 FB 59 CF 10 28 41 63 56 61 4D BB 37 5F D0 BD E4
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/OOB/BV-09-C: only this side has out-of-band data, the peer wants no protection")
    func oobBV09() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            tk E1609DF73F647D7BA2523110AE904951
            pair encrypted
            < 01 03 01 01 10 00 00
            > 02 03 00 00 10 00 00
            < 03 48 BC 5F 4C 99 4B E1 D2 D4 E0 E2 C8 2A AD CD 65
            > 03 71 48 93 A6 4C A7 62 56 70 DE E7 84 23 72 0D 40
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt E3081FB64C3192CFD1618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            """
        )
    }

    @Test("SM/CEN/OOB/BI-01-C: the devices have different data")
    func oobBI01() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            tk E1609DF73F647D7BA2523110AE904951
            pair encrypted
            < 01 03 01 01 10 00 00
            > 02 03 01 04 10 00 00
            < 03 1E 3B DB 30 0A 50 DF E0 95 E2 60 27 0A 23 43 7E
            > 03 0E 6E 2B B2 8E 94 5D AD 1F 71 0E 43 A4 F3 4B 69
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/CEN/EKS/BV-01-C: the shortest key that is allowed")
    func eksBV01() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            minimumKeySize: 7,
            initiatorKeys: [],
            responderKeys: .encryptionKey,
            identity: Self.identity
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 03 00 01 10 00 01
            > 02 03 00 01 07 00 01
            < 03 26 4D 7B B0 E9 65 73 5E 2E 20 D4 F1 5C 3B AF 60
            > 03 F7 38 2D 2A 6E D9 A8 95 A7 39 55 52 DF BE 89 3F
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt 000000000000000000618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 7 unbonded
            > 06 B4 E6 C8 30 B5 E9 F6 00 00 00 00 00 00 00 00 00
            > 07 34 12 01 02 03 04 05 06 07 08
            ? paired encrypted legacy 7 bonded
            ? security encrypted 7 bonded
            """
        )
    }

    @Test("SM/CEN/EKS/BI-01-C: shorter keys: out of range, and shorter than this side wants")
    func eksBI01() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            minimumKeySize: 10,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
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

    @Test("SM/CEN/KDU/BV-04-C: the signing key alone, legacy")
    func kduBV04() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: .signingKey,
            responderKeys: [],
            identity: Self.identity
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: .identityKey,
            responderKeys: [],
            identity: Self.identity
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            supportsSecureConnections: false,
            initiatorKeys: .encryptionKey,
            responderKeys: [],
            identity: Self.identity
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            initiatorKeys: .identityKey,
            responderKeys: [],
            identity: Self.identity
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            initiatorKeys: .signingKey,
            responderKeys: [],
            identity: Self.identity
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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

    @Test("SM/CEN/SCJW/BV-01-C: Just Works")
    func scjwBV01() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .displayYesNo,
            prefersMITMProtection: true,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .displayYesNo,
            prefersMITMProtection: true,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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

    @Test("SM/CEN/SCPK/BV-01-C: this side shows the passkey, the peer says what keys are pressed")
    func scpkBV01() {
        let configuration = PairingConfiguration(
            ioCapability: .displayOnly,
            prefersMITMProtection: true,
            usesKeypressNotifications: true,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 00 00 1D 10 00 00
            > 02 02 00 1C 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            ? show 816432
            < 03 D1 13 16 AB 5B FA FD 86 63 12 AD 42 62 5F F8 77
            > 0E 00
            ? keypress 0
            > 0E 01
            ? keypress 1
            > 0E 01
            ? keypress 1
            > 0E 04
            ? keypress 4
            > 03 14 F0 D7 F8 0B 61 21 30 15 F0 87 B8 81 96 11 DB
            < 04 A5 3C 36 D7 6C EC 99 E0 80 02 15 90 FF 0B 4D C3
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 03 09 55 CD 3B 30 AB 96 C6 53 26 C8 28 73 F8 35 02
            > 03 CA F8 3B 34 22 75 0F 7A D9 96 61 3B DD AD F8 21
            < 04 A8 3D 7E 35 DE 18 17 49 75 85 27 12 0F BB E7 85
            > 04 69 D9 B9 29 E2 87 06 23 E9 5D F8 7E 79 1E 18 26
            < 03 2A CA 84 08 0E 51 0B A7 08 15 09 EE E1 91 2B 31
            > 03 11 C1 2D 03 D6 47 4E CC A3 63 D6 88 52 04 D5 0A
            < 04 61 4F 56 01 77 DC 75 67 96 67 61 74 8E 5C 43 CB
            > 04 31 62 93 C4 2E 10 F8 7C F2 F9 94 B9 3B C1 58 79
            < 03 34 60 1F 15 D8 69 69 B2 EF 1B 3C C9 D2 72 41 C9
            > 03 43 ED DB FD 38 A4 CC E1 DE CA 27 68 1D BE A5 8E
            < 04 C0 5D AA 4B 8A CF 76 74 FE 8B CF 14 4D D4 FC 9A
            > 04 26 1F 70 1F E7 46 E2 EB BA 4E 7C F7 74 7B 16 90
            < 03 01 DE D2 28 2F 46 12 FA 54 E5 24 F9 22 BF 8D CB
            > 03 6E 88 1A E8 93 F6 87 00 88 21 E7 5E 5A BC B2 05
            < 04 A8 57 4C 6F AE 6D 9B 6F 8A A2 D7 90 D6 41 B3 87
            > 04 06 27 8A 74 58 E8 6D 3D DC 89 6A FC 2E B8 6A EA
            < 03 70 DD 66 78 43 FE 75 5C 7A C5 84 1B 80 31 EF CB
            > 03 2F 8E 9E FB D0 B1 CA D6 63 5D 90 AC 92 A7 76 F2
            < 04 63 0B FD B7 A6 A6 34 A5 3B 4A 79 A5 17 CE C2 2A
            > 04 9B F3 EC B7 E5 F6 12 41 4C 67 F6 00 9E 63 CF 4B
            < 03 00 6D 49 BB 57 76 C8 C9 71 F7 F1 3B DD A2 A1 19
            > 03 32 BF FB 49 B8 3D 30 B0 83 C1 6F EB 5E C3 C5 23
            < 04 EE 89 AF 30 96 37 84 AE F1 AA 2B 57 DA D0 BA D0
            > 04 31 C7 2C 5C A0 02 CC 12 7D 18 08 F2 47 A7 B0 AB
            < 03 1E A2 BA 1B 41 05 0A 44 DA 32 4F EB B4 79 7A C2
            > 03 51 EF BD 01 D2 3A 81 67 95 3B C0 E3 DE 15 30 7C
            < 04 46 87 E9 65 68 C4 E2 10 08 65 EF 73 37 18 63 E2
            > 04 D3 28 F3 F3 DC 35 58 C2 F5 13 AD 02 32 07 B6 EB
            < 03 5A 8D 5D 70 07 02 11 4E DB 9A FA DD A2 3B 45 6F
            > 03 B6 F6 FE D5 D9 46 CE 0D E4 E6 55 47 4E FA AD 6A
            < 04 CD 8F 54 D1 0E FD F1 7E 9C 44 2A 5C 3C 97 D7 14
            > 04 2B 03 2C F0 3A F3 DC A7 4E 70 8B 0A 83 3E F7 34
            < 03 70 89 69 AA 09 CF 4E 88 BF CB F7 86 5B 16 1F F0
            > 03 D7 1C 41 EA 52 4C 00 E1 1E FB DA F1 B2 5A BE 22
            < 04 9F B9 AA D1 C5 05 73 49 AC 06 F3 3E 63 10 84 1F
            > 04 71 AE 75 44 EF A6 DB A3 03 83 2A 76 F8 65 05 9C
            < 03 E6 80 E9 7E A5 DF EF F1 93 53 18 A5 B2 D9 03 0B
            > 03 34 85 1A 35 47 EE 1A DE E9 0E 2B 9A 39 BB 66 DF
            < 04 35 71 4A 86 A7 1C F9 83 F7 B6 77 C1 7D 40 43 0C
            > 04 F0 D8 F9 AB 17 9F 22 D1 6B 83 0A A2 D6 78 92 F2
            < 03 8A 9B 54 56 90 82 66 92 A2 6B 00 8E 70 BB E3 3B
            > 03 77 37 77 C6 8B E8 C7 BC 38 D5 DE 7E A0 08 44 8C
            < 04 27 CD 5B 44 45 16 33 0B AB F7 2D 0D EF AE B9 B6
            > 04 80 1D D8 B0 96 F0 5C 6B 0D D4 B3 8A B7 B1 F0 42
            < 03 E5 4A F4 B9 2F BD 83 04 FE 21 15 F8 3B CD 73 70
            > 03 C7 09 10 2B CC E6 02 5D AE F9 30 CC 7B 2E F5 67
            < 04 84 D0 C5 12 0B D7 0C 99 8A 77 09 19 E8 67 6C FF
            > 04 D3 94 20 B6 FA CC 07 57 7C 89 D1 79 46 78 43 A7
            < 03 6D E6 66 1F 3B 35 17 C2 5D F7 1F CF 19 9F 14 A5
            > 03 54 42 74 AB 05 70 51 C7 55 3E 38 1C 5D 69 2C 99
            < 04 6D 2C 07 5A 68 E2 AC 65 BA 89 07 C9 67 19 2B 96
            > 04 CB 47 FA 0F 7F 39 4E 38 70 DB 33 D9 A4 FD 9B DD
            < 03 53 7D D9 E3 99 C6 B1 F4 F0 47 43 35 28 D3 1D 0C
            > 03 B2 AA 54 DF 6B 63 24 3A 53 6D 3D 26 8C 2F AC E4
            < 04 17 FC F3 2E 4E 82 D6 40 1C E0 DC 48 2F 6F 61 70
            > 04 CC 10 20 58 DF BA 27 A2 11 19 FA 38 97 FF 16 DE
            < 03 B3 61 76 48 87 9B B5 51 0B 9A 14 02 A6 57 D1 8D
            > 03 18 CE 28 B9 34 46 EF 8F D0 FA 2D 3F 6E 80 C3 FC
            < 04 F5 E0 4B 5E 44 02 2E 8B 0C FF FE 56 22 2E 9E 87
            > 04 61 EC BB DD 0A 2C 16 00 DB 43 BB 69 1A 7F 8F DD
            < 03 93 60 90 66 D9 00 A1 05 DD 53 D2 94 43 6E D5 36
            > 03 83 65 42 E8 2D EA 82 95 EB 80 5F 4C F6 77 6F 95
            < 04 18 9D EB 96 B2 A4 6A D1 C1 53 35 00 BB 59 8C BF
            > 04 8D 5B 59 3C A3 CA BB A9 48 D1 6C 2D B6 A9 5E 0B
            < 03 01 D2 46 29 76 03 F5 82 E1 A5 FE 5C AA 74 B8 82
            > 03 34 36 96 B9 1C 13 8E 87 3A 4C 20 29 08 01 6F CE
            < 04 86 2C 7E 60 49 C7 A0 DC 3C 13 5B BE 71 A1 27 AB
            > 04 95 43 AF 3A 28 9B E7 F7 6A E9 16 79 4B 08 04 E3
            < 03 14 59 2D 1E 51 C7 73 AE F2 28 9E BD 3A 6A 63 B7
            > 03 FA FC CA 82 A4 6E EE C2 DB 81 7C 12 3F 48 B4 4A
            < 04 63 81 10 59 BF 1F 82 3C 07 29 1E 88 40 3C 4B B5
            > 04 78 05 6C 42 BD 9D 76 61 90 28 BA 28 DE 70 36 DF
            < 03 3F FC 3A 4D 89 C8 F9 29 3E 39 AB 66 92 26 A2 00
            > 03 C5 E0 AA F1 87 5D 75 E3 BA CF 8B 27 72 CB D4 C3
            < 04 81 60 C6 9F 01 D1 70 DE B2 FF 87 86 38 0D FF A7
            > 04 CE B4 62 59 9A F3 77 FA 34 B1 CC 70 BB B5 E8 EA
            < 0D 10 DD BF E6 F9 55 C0 CC D7 A1 81 3F 38 BF BE 35
            > 0D 66 1A 0A 7D AF 47 C7 4F 05 EF C9 F1 A9 3A C3 48
            ? encrypt 701796D3A7D1233D566FDEA59D3D8985 0000 0000000000000000
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 unbonded
            """
        )
    }

    @Test("SM/CEN/SCPK/BV-04-C: reserved bits of AuthReq mean nothing, and are confirmed all the same")
    func scpkBV04() {
        let configuration = PairingConfiguration(
            ioCapability: .keyboardDisplay,
            prefersMITMProtection: true,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 04 00 0D 10 00 00
            > 02 02 00 ED 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            ? show 816432
            < 03 D1 13 16 AB 5B FA FD 86 63 12 AD 42 62 5F F8 77
            > 03 14 F0 D7 F8 0B 61 21 30 15 F0 87 B8 81 96 11 DB
            < 04 A5 3C 36 D7 6C EC 99 E0 80 02 15 90 FF 0B 4D C3
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 03 09 55 CD 3B 30 AB 96 C6 53 26 C8 28 73 F8 35 02
            > 03 CA F8 3B 34 22 75 0F 7A D9 96 61 3B DD AD F8 21
            < 04 A8 3D 7E 35 DE 18 17 49 75 85 27 12 0F BB E7 85
            > 04 69 D9 B9 29 E2 87 06 23 E9 5D F8 7E 79 1E 18 26
            < 03 2A CA 84 08 0E 51 0B A7 08 15 09 EE E1 91 2B 31
            > 03 11 C1 2D 03 D6 47 4E CC A3 63 D6 88 52 04 D5 0A
            < 04 61 4F 56 01 77 DC 75 67 96 67 61 74 8E 5C 43 CB
            > 04 31 62 93 C4 2E 10 F8 7C F2 F9 94 B9 3B C1 58 79
            < 03 34 60 1F 15 D8 69 69 B2 EF 1B 3C C9 D2 72 41 C9
            > 03 43 ED DB FD 38 A4 CC E1 DE CA 27 68 1D BE A5 8E
            < 04 C0 5D AA 4B 8A CF 76 74 FE 8B CF 14 4D D4 FC 9A
            > 04 26 1F 70 1F E7 46 E2 EB BA 4E 7C F7 74 7B 16 90
            < 03 01 DE D2 28 2F 46 12 FA 54 E5 24 F9 22 BF 8D CB
            > 03 6E 88 1A E8 93 F6 87 00 88 21 E7 5E 5A BC B2 05
            < 04 A8 57 4C 6F AE 6D 9B 6F 8A A2 D7 90 D6 41 B3 87
            > 04 06 27 8A 74 58 E8 6D 3D DC 89 6A FC 2E B8 6A EA
            < 03 70 DD 66 78 43 FE 75 5C 7A C5 84 1B 80 31 EF CB
            > 03 2F 8E 9E FB D0 B1 CA D6 63 5D 90 AC 92 A7 76 F2
            < 04 63 0B FD B7 A6 A6 34 A5 3B 4A 79 A5 17 CE C2 2A
            > 04 9B F3 EC B7 E5 F6 12 41 4C 67 F6 00 9E 63 CF 4B
            < 03 00 6D 49 BB 57 76 C8 C9 71 F7 F1 3B DD A2 A1 19
            > 03 32 BF FB 49 B8 3D 30 B0 83 C1 6F EB 5E C3 C5 23
            < 04 EE 89 AF 30 96 37 84 AE F1 AA 2B 57 DA D0 BA D0
            > 04 31 C7 2C 5C A0 02 CC 12 7D 18 08 F2 47 A7 B0 AB
            < 03 1E A2 BA 1B 41 05 0A 44 DA 32 4F EB B4 79 7A C2
            > 03 51 EF BD 01 D2 3A 81 67 95 3B C0 E3 DE 15 30 7C
            < 04 46 87 E9 65 68 C4 E2 10 08 65 EF 73 37 18 63 E2
            > 04 D3 28 F3 F3 DC 35 58 C2 F5 13 AD 02 32 07 B6 EB
            < 03 5A 8D 5D 70 07 02 11 4E DB 9A FA DD A2 3B 45 6F
            > 03 B6 F6 FE D5 D9 46 CE 0D E4 E6 55 47 4E FA AD 6A
            < 04 CD 8F 54 D1 0E FD F1 7E 9C 44 2A 5C 3C 97 D7 14
            > 04 2B 03 2C F0 3A F3 DC A7 4E 70 8B 0A 83 3E F7 34
            < 03 70 89 69 AA 09 CF 4E 88 BF CB F7 86 5B 16 1F F0
            > 03 D7 1C 41 EA 52 4C 00 E1 1E FB DA F1 B2 5A BE 22
            < 04 9F B9 AA D1 C5 05 73 49 AC 06 F3 3E 63 10 84 1F
            > 04 71 AE 75 44 EF A6 DB A3 03 83 2A 76 F8 65 05 9C
            < 03 E6 80 E9 7E A5 DF EF F1 93 53 18 A5 B2 D9 03 0B
            > 03 34 85 1A 35 47 EE 1A DE E9 0E 2B 9A 39 BB 66 DF
            < 04 35 71 4A 86 A7 1C F9 83 F7 B6 77 C1 7D 40 43 0C
            > 04 F0 D8 F9 AB 17 9F 22 D1 6B 83 0A A2 D6 78 92 F2
            < 03 8A 9B 54 56 90 82 66 92 A2 6B 00 8E 70 BB E3 3B
            > 03 77 37 77 C6 8B E8 C7 BC 38 D5 DE 7E A0 08 44 8C
            < 04 27 CD 5B 44 45 16 33 0B AB F7 2D 0D EF AE B9 B6
            > 04 80 1D D8 B0 96 F0 5C 6B 0D D4 B3 8A B7 B1 F0 42
            < 03 E5 4A F4 B9 2F BD 83 04 FE 21 15 F8 3B CD 73 70
            > 03 C7 09 10 2B CC E6 02 5D AE F9 30 CC 7B 2E F5 67
            < 04 84 D0 C5 12 0B D7 0C 99 8A 77 09 19 E8 67 6C FF
            > 04 D3 94 20 B6 FA CC 07 57 7C 89 D1 79 46 78 43 A7
            < 03 6D E6 66 1F 3B 35 17 C2 5D F7 1F CF 19 9F 14 A5
            > 03 54 42 74 AB 05 70 51 C7 55 3E 38 1C 5D 69 2C 99
            < 04 6D 2C 07 5A 68 E2 AC 65 BA 89 07 C9 67 19 2B 96
            > 04 CB 47 FA 0F 7F 39 4E 38 70 DB 33 D9 A4 FD 9B DD
            < 03 53 7D D9 E3 99 C6 B1 F4 F0 47 43 35 28 D3 1D 0C
            > 03 B2 AA 54 DF 6B 63 24 3A 53 6D 3D 26 8C 2F AC E4
            < 04 17 FC F3 2E 4E 82 D6 40 1C E0 DC 48 2F 6F 61 70
            > 04 CC 10 20 58 DF BA 27 A2 11 19 FA 38 97 FF 16 DE
            < 03 B3 61 76 48 87 9B B5 51 0B 9A 14 02 A6 57 D1 8D
            > 03 18 CE 28 B9 34 46 EF 8F D0 FA 2D 3F 6E 80 C3 FC
            < 04 F5 E0 4B 5E 44 02 2E 8B 0C FF FE 56 22 2E 9E 87
            > 04 61 EC BB DD 0A 2C 16 00 DB 43 BB 69 1A 7F 8F DD
            < 03 93 60 90 66 D9 00 A1 05 DD 53 D2 94 43 6E D5 36
            > 03 83 65 42 E8 2D EA 82 95 EB 80 5F 4C F6 77 6F 95
            < 04 18 9D EB 96 B2 A4 6A D1 C1 53 35 00 BB 59 8C BF
            > 04 8D 5B 59 3C A3 CA BB A9 48 D1 6C 2D B6 A9 5E 0B
            < 03 01 D2 46 29 76 03 F5 82 E1 A5 FE 5C AA 74 B8 82
            > 03 34 36 96 B9 1C 13 8E 87 3A 4C 20 29 08 01 6F CE
            < 04 86 2C 7E 60 49 C7 A0 DC 3C 13 5B BE 71 A1 27 AB
            > 04 95 43 AF 3A 28 9B E7 F7 6A E9 16 79 4B 08 04 E3
            < 03 14 59 2D 1E 51 C7 73 AE F2 28 9E BD 3A 6A 63 B7
            > 03 FA FC CA 82 A4 6E EE C2 DB 81 7C 12 3F 48 B4 4A
            < 04 63 81 10 59 BF 1F 82 3C 07 29 1E 88 40 3C 4B B5
            > 04 78 05 6C 42 BD 9D 76 61 90 28 BA 28 DE 70 36 DF
            < 03 3F FC 3A 4D 89 C8 F9 29 3E 39 AB 66 92 26 A2 00
            > 03 C5 E0 AA F1 87 5D 75 E3 BA CF 8B 27 72 CB D4 C3
            < 04 81 60 C6 9F 01 D1 70 DE B2 FF 87 86 38 0D FF A7
            > 04 CE B4 62 59 9A F3 77 FA 34 B1 CC 70 BB B5 E8 EA
            < 0D 20 F0 A4 9D D0 D2 BD 4E 84 97 F1 CD 56 E3 6D E8
            > 0D 7C 98 72 28 DF 1F D0 9A C7 5E DE 4E E4 14 35 80
            ? encrypt 701796D3A7D1233D566FDEA59D3D8985 0000 0000000000000000
            encrypted
            ? security secureConnections 16 unbonded
            ? paired secureConnections sc 16 bonded
            ? security secureConnections 16 bonded
            """
        )
    }

    @Test("SM/CEN/SCPK/BI-01-C: every reason of a peer ends the pairing")
    func scpkBI01() {
        let configuration = PairingConfiguration(
            ioCapability: .displayOnly,
            prefersMITMProtection: true,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 00 00 0D 10 00 00
            > 05 03
            ? peer 03
            wait 64
            pair encrypted
            < 01 00 00 0D 10 00 00
            > 05 08
            ? peer 08
            wait 64
            pair encrypted
            < 01 00 00 0D 10 00 00
            > 05 05
            ? peer 05
            wait 64
            pair encrypted
            < 01 00 00 0D 10 00 00
            > 05 09
            ? peer 09
            wait 64
            pair encrypted
            < 01 00 00 0D 10 00 00
            > 02 02 00 0D 10 00 00
            < 0C \(Self.own)
            > 05 01
            ? peer 01
            """
        )
    }

    @Test("SM/CEN/SCPK/BI-02-C: the confirm value of the fourth round does not fit")
    func scpkBI02() {
        let configuration = PairingConfiguration(
            ioCapability: .displayOnly,
            prefersMITMProtection: true,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 00 00 0D 10 00 00
            > 02 02 00 0C 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            ? show 816432
            < 03 D1 13 16 AB 5B FA FD 86 63 12 AD 42 62 5F F8 77
            > 03 14 F0 D7 F8 0B 61 21 30 15 F0 87 B8 81 96 11 DB
            < 04 A5 3C 36 D7 6C EC 99 E0 80 02 15 90 FF 0B 4D C3
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 03 09 55 CD 3B 30 AB 96 C6 53 26 C8 28 73 F8 35 02
            > 03 CA F8 3B 34 22 75 0F 7A D9 96 61 3B DD AD F8 21
            < 04 A8 3D 7E 35 DE 18 17 49 75 85 27 12 0F BB E7 85
            > 04 69 D9 B9 29 E2 87 06 23 E9 5D F8 7E 79 1E 18 26
            < 03 2A CA 84 08 0E 51 0B A7 08 15 09 EE E1 91 2B 31
            > 03 11 C1 2D 03 D6 47 4E CC A3 63 D6 88 52 04 D5 0A
            < 04 61 4F 56 01 77 DC 75 67 96 67 61 74 8E 5C 43 CB
            > 04 31 62 93 C4 2E 10 F8 7C F2 F9 94 B9 3B C1 58 79
            < 03 34 60 1F 15 D8 69 69 B2 EF 1B 3C C9 D2 72 41 C9
            > 03 63 C6 CB 09 76 C4 0E 44 CF B6 A6 4C 8F 8F 5B 2C
            < 04 C0 5D AA 4B 8A CF 76 74 FE 8B CF 14 4D D4 FC 9A
            > 04 26 1F 70 1F E7 46 E2 EB BA 4E 7C F7 74 7B 16 90
            < 05 04
            ? failed 04
            """
        )
    }

    @Test("SM/CEN/SCOB/BV-01-C: both have data")
    func scobBV01() {
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
        let configuration = PairingConfiguration(
            ioCapability: .noInputNoOutput,
            initiatorKeys: [],
            responderKeys: []
        )
        var script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
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
