// What a host does where its user says nothing: the defaults of all that it is configured with.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Defaults of a host")
struct ConfigurationTests {
    @Test("A host is bonding, asks before it replaces a bond, takes whole keys only and no debug keys")
    func pairing() {
        let pairing = PairingConfiguration()
        #expect(pairing.isPairingAllowed && pairing.isBondable && pairing.supportsSecureConnections)
        #expect(!pairing.acceptsDebugKey && !pairing.usesKeypressNotifications && !pairing.isSecureConnectionsOnly)
        #expect(!pairing.prefersMITMProtection && pairing.minimumLevel == .encrypted)
        #expect(pairing.minimumKeySize == 16 && pairing.maximumKeySize == 16)
        #expect(pairing.consent == .whenReplacingBond)
        #expect(pairing.initiatorKeys == [.encryptionKey, .identityKey])
        #expect(pairing.responderKeys == [.encryptionKey, .identityKey])
        RunRecord.note("\(pairing)")
    }

    @Test("A host has the longest MTU, waits two seconds for its controller, and hides where it is told to alone")
    func host() {
        let host = LEHostConfiguration()
        #expect(host.preferredMTU == 517 && host.commandTimeout == .seconds(2))
        #expect(host.genericAttribute == .full && !host.limitsReceivedData)
        #expect(host.privacy == nil && host.address == nil && host.fallbackAddress == nil)
        RunRecord.note("\(host.deviceName) \(host.appearance) \(host.peerPrivacyMode) \(host.pairing)")
        let privacy = PrivacyConfiguration()
        #expect(privacy.rotationInterval == .seconds(900) && privacy.connectionsPerAddress == nil)
    }

    @Test("An advertiser is connectable, ten times a second, for everybody; a scanner hears each device once")
    func advertisingAndScanning() {
        let advertising = AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))
        #expect(advertising.isConnectable && advertising.interval == .milliseconds(100))
        #expect(advertising.directedTo == nil && advertising.scanResponse.readableBytes == 0)
        RunRecord.note("\(ScanParameters())")
    }
}
