// Which peer is meant where failures are counted, and how much time a peer and a user have (Vol 3, Part H, 2.3.6, 3.4).

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Security Manager: peers and their time")
struct SecurityManagerPeersTests {
    private static let just = PairingConfiguration()
    private static let own = SecurityManagerScript.ownKey
    private static let tester = SecurityManagerScript.testerKey

    /// A bond with a peer that is known by its identity address.
    private static func bond(_ identity: IdentityInformation) -> Bond {
        var bond = SecurityManagerTests.bond(.encrypted)
        bond.peer.identity = identity
        return bond
    }

    // MARK: Whose failures

    @Test("A central waits for a bonded peer whose failures are counted for its identity address")
    func centralWaitsForIdentity() {
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            bond: Self.bond(PairingCase.peripheralIdentity),
            """
            pair encrypted
            < 01 03 00 09 10 01 03
            > 05 08
            ? peer 08
            pair encrypted
            ? repeatedAttempts
            > 0B 0D
            < 05 09
            wait 1
            pair encrypted
            < 01 03 00 09 10 01 03
            """
        )
    }

    @Test("A bonded peer that has failed has to wait on a new link, whatever its private address is there")
    func newAddress() {
        let configuration = PairingConfiguration(consent: .never)
        let bond = Self.bond(PairingCase.centralIdentity)
        var script = SecurityManagerScript(isCentral: false, configuration, bond: bond)
        script.run(
            """
            > 01 03 00 09 07 00 00
            < 05 06
            ? failed 06
            secure encrypted
            ? repeatedAttempts
            > 01 03 00 09 10 00 00
            < 05 09
            """
        )
        for (knownBond, answer) in [(bond, "05 09"), (nil, "02 03 00 09 10 00 00")] as [(Bond?, String)] {
            script.manager = SecurityManager(
                isCentral: false,
                localAddress: SecurityManagerPair.peripheralAddress,
                peerAddress: DeviceAddress(0x4011_2233_4455, kind: .random),
                configuration: configuration,
                bond: knownBond
            )
            script.run("> 01 03 00 09 10 00 00 \n < \(answer)")
        }
    }

    @Test("A bond holds the address that the peer had on the link, at both sides")
    func addresses() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.pair()
        #expect(pair.central.bond?.peerAddress == SecurityManagerPair.peripheralAddress)
        #expect(pair.peripheral.bond?.peerAddress == SecurityManagerPair.centralAddress)
        #expect(pair.central.identity == SecurityManagerPair.peripheralAddress)
        #expect(pair.peripheral.identity == SecurityManagerPair.centralAddress)
    }

    // MARK: Time

    @Test("The user's consent begins the time of the peer anew, since a command is sent then")
    func consentTakesTime() {
        SecurityManagerScript.run(
            isCentral: false,
            PairingConfiguration(consent: .always),
            """
            > 01 03 00 09 10 00 00
            ? consent justWorks bonding
            wait 29
            yes
            < 02 03 00 09 10 00 00
            wait 29
            wait 1
            ? timedOut
            """
        )
        SecurityManagerScript.run(
            isCentral: true,
            PairingConfiguration(consent: .always),
            """
            > 0B 09
            ? consent
            wait 29
            yes
            < 01 03 00 09 10 01 03
            wait 29
            wait 1
            ? timedOut
            """
        )
    }

    @Test("A user who is asked has 30 s for the consent")
    func consentTooLate() {
        SecurityManagerScript.run(
            isCentral: false,
            PairingConfiguration(consent: .always),
            """
            > 01 03 00 09 10 00 00
            ? consent justWorks bonding
            wait 30
            ? timedOut
            yes
            """
        )
    }

    @Test("What a peer sends without an answer gives it no more time")
    func promiseGivesNoTime() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(.keyboardOnly),
            """
            > 01 00 00 05 10 00 00
            < 02 02 00 05 10 00 00
            ? enter
            wait 29
            > 03 00..0F
            wait 1
            ? timedOut
            """
        )
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(.keyboardOnly),
            """
            > 01 00 00 0D 10 00 00
            < 02 02 00 0D 10 00 00
            > 0C \(Self.tester)
            < 0C \(Self.own)
            ? enter
            wait 29
            > 03 00..0F
            wait 1
            ? timedOut
            """
        )
    }

    @Test("Encryption gives the peer no time for its keys, commands of this side do")
    func keysInTime() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(minimumKeySize: 7, responderKeys: .encryptionKey, identity: PairingCase.centralIdentity),
            """
            pair encrypted
            < 01 03 00 01 10 00 01
            wait 29
            > 02 03 00 01 07 00 01
            < 03 26 4D 7B B0 E9 65 73 5E 2E 20 D4 F1 5C 3B AF 60
            wait 29
            > 03 F7 38 2D 2A 6E D9 A8 95 A7 39 55 52 DF BE 89 3F
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            wait 20
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt 000000000000000000618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 7 unbonded
            wait 9
            > 06 B4 E6 C8 30 B5 E9 F6 00*9
            wait 1
            ? timedOut
            """
        )
    }
}
