// The values that a host speaks in: names of links, errors with their status and their words, and tallies.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: its values")
struct LEHostValuesTests {
    @Test(
        "An error of a host has the status that is nearest, and one line of words",
        arguments: [
            (.refused(.commandDisallowed), 0x0C, nil), (.unanswered, 0x1F, "the controller did not answer"),
            (.controllerLost, 0x1F, "the controller is gone"),
            (.malformedAnswer, 0x1F, "the controller's answer is malformed"),
            (.addressNotResolvedByPeer, 0x1F, "the peer does not resolve private addresses"),
            (.notConnected, 0x02, "there is no such link"), (.superseded, 0x1F, "a later call took its place"),
        ] as [(LEHostError, UInt8, String?)]
    )
    func errors(error: LEHostError, status: UInt8, words: String?) {
        #expect(error.status.rawValue == status)
        if let words {
            #expect("\(error)" == words)
        } else {
            #expect("\(error)".hasPrefix("the controller refused: "))
        }
    }

    @Test("A link has a number, which says which one came first")
    func links() {
        let (first, second) = (LinkID(rawValue: 6), LinkID(rawValue: 7))
        #expect(first < second && !(second < first) && !(first < LinkID(rawValue: 6)))
        #expect("\(second)" == "link 7" && second.rawValue == 7)
    }

    @Test("Links are numbered from 1 on, and no number is given again")
    func linkNumbers() {
        let testbed = HostTestbed.started()
        #expect(testbed.acceptLink(0x40)?.rawValue == 1)
        #expect(testbed.acceptLink(0x41)?.rawValue == 2)
        testbed.controller.disconnect(0x41, reason: .remoteUserTerminated)
        testbed.run()
        #expect(testbed.acceptLink(0x41)?.rawValue == 3)
        #expect(testbed.host.links.map(\.id.rawValue) == [1, 3])
    }

    @Test("What has left is counted for each run of one owner, in the order in which it left")
    func tally() {
        let (first, second) = (TransmitToken(rawValue: 1), TransmitToken(rawValue: 2))
        var tally = TransmitTally()
        #expect(tally.isEmpty && TransmitToken.standard.rawValue == 0)
        tally.add(first)
        tally.add(first, count: 3)
        tally.add(second, count: 2)
        tally.add(first)
        #expect(!tally.isEmpty)
        #expect(
            tally.transmissions == [
                Transmission(token: first, count: 4), Transmission(token: second, count: 2),
                Transmission(token: first, count: 1),
            ]
        )
        tally.removeAll()
        #expect(tally.isEmpty && tally.transmissions == [])
        tally.add(second)
        #expect(tally.transmissions == [Transmission(token: second, count: 1)])
    }

    @Test("A host is detached at first, and has neither links nor security for any")
    func beginning() {
        let testbed = HostTestbed()
        #expect(testbed.host.state == .detached && testbed.host.links == [] && !testbed.host.limitsReceivedData)
        #expect(testbed.host.reportNeed == .all && testbed.host.bondedPeers == [] && testbed.host.peerPrivacy == [:])
        #expect(testbed.host.transmitter.dataLength == 27 && testbed.host.transmitter.credits == 0)
    }

    @Test("What a host is made with is its configuration, and how it pairs from the beginning")
    func configuration() {
        let pairing = PairingConfiguration(isPairingAllowed: false, minimumKeySize: 9)
        let host = LEHostConfiguration(
            deviceName: "Pulse",
            appearance: 0x0341,
            address: DeviceAddress(1, kind: .random),
            fallbackAddress: DeviceAddress(2, kind: .random),
            preferredMTU: 100,
            commandTimeout: .seconds(7),
            limitsReceivedData: true,
            genericAttribute: .empty,
            pairing: pairing,
            privacy: PrivacyConfiguration(rotationInterval: .seconds(5), connectionsPerAddress: 3),
            peerPrivacyMode: .network
        )
        #expect(host.deviceName == "Pulse" && host.appearance == 0x0341 && host.preferredMTU == 100)
        #expect(host.address?.value == 1 && host.fallbackAddress?.value == 2 && host.commandTimeout == .seconds(7))
        #expect(host.limitsReceivedData && host.genericAttribute == .empty && host.pairing == pairing)
        #expect(host.privacy?.rotationInterval == .seconds(5) && host.privacy?.connectionsPerAddress == 3)
        #expect(host.peerPrivacyMode == .network && HostTestbed(host).host.pairing == pairing)
        // What nothing is said of.
        let usual = LEHostConfiguration()
        #expect(usual.deviceName == "OpenCoreBluetooth" && usual.appearance == 0 && usual.peerPrivacyMode == .device)
        #expect(usual.pairing == PairingConfiguration() && usual.pairingSeed == nil)
        #expect(PeerPrivacy() == PeerPrivacy(resolvesAddresses: false, usesOnlyPrivateAddresses: false))
    }

    @Test("A report says nothing of what was not received: whole, on LE 1M, without a secondary PHY")
    func report() {
        let report = AdvertisingReport(
            address: DeviceAddress(1, kind: .public),
            isConnectable: false,
            isScannable: false,
            isScanResponse: false,
            data: ByteBuffer(),
            rssi: nil
        )
        #expect(!report.isTruncated && report.primaryPHY == .le1M && report.secondaryPHY == nil)
    }

    // MARK: Calls together

    @Test("Calls within calls, and calls before which a turn is due already, are carried out in that turn")
    func nestedCalls() throws {
        let testbed = HostTestbed.started { $0.leavesProcess = true }
        let link = try #require(testbed.acceptLink(0x40))
        _ = testbed.controller.takeData()
        func write() { testbed.host.writeWithoutResponse(hex("AA"), to: 3, on: link) }
        let isCarriedOut = testbed.host.takeCalls {
            write()
            let isInnerCarriedOut = testbed.host.takeCalls { write() }
            #expect(!isInnerCarriedOut, "the outer ones are still being made")
            #expect(testbed.controller.takeData().isEmpty)
        }
        #expect(isCarriedOut && testbed.controller.takeData().count == 2)
        write()
        let isCarriedOutAtOnce = testbed.host.takeCalls { write() }
        #expect(!isCarriedOutAtOnce && testbed.controller.takeData().isEmpty)
        testbed.run()
        #expect(testbed.controller.takeData().count == 2)
        // Afterwards everything is as before.
        write()
        testbed.run()
        #expect(testbed.controller.takeData().count == 1)
        testbed.host.detach()
        testbed.run()
        var isMade = false
        let isCarriedOutWithoutController = testbed.host.takeCalls { isMade = true }
        #expect(isMade && !isCarriedOutWithoutController)
    }
}
